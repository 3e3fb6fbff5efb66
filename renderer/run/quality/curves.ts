import {type QualityCurve, qualityAt} from '../../../app/run/quality/curve.ts';
import type {PageQuality} from '../../../app/run/quality/pageQuality.ts';

/** A picture's quality by the share of its bytes. */
export interface SharedCurve {
  readonly object: number;
  /** 0–1; a step function, as {@link qualityAt} has it. */
  readonly at: (share: number) => number;
  /** The shares at which it rises, 0–1. */
  readonly rises: readonly number[];
}

/** Those of some of a page's pictures. */
export function sharedCurves({objects}: PageQuality, pictures: readonly number[]): readonly SharedCurve[] {
  return pictures.flatMap(object => {
    const curve = objects[object]?.curve ?? [];
    const size = sizeOf(curve);
    if (size === 0) return [];
    // a share of a size is no whole number, and may miss it by a little
    const at = (share: number): number => qualityAt(curve, Math.round(share * size * 1e6) / 1e6);
    return [{object, at, rises: curve.map(([bytes]) => bytes / size)}];
  });
}

/** What a picture has on average with a share of its bytes, 0–1; 0 of none. */
export function meanAt(curves: readonly SharedCurve[], share: number): number {
  return curves.reduce((sum, {at}) => sum + at(share), 0) / Math.max(curves.length, 1);
}

/** The least share of their bytes, in percent, with which pictures on average have a quality; null if none. */
export function meanReachesPercent(curves: readonly SharedCurve[], quality: number): number | null {
  for (let percent = 0; percent <= 100; percent++) {
    if (curves.length > 0 && meanAt(curves, percent / 100) >= quality) return percent;
  }
  return null;
}

function sizeOf(curve: QualityCurve): number {
  return curve.at(-1)?.[0] ?? 0;
}
