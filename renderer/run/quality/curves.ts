import {type QualityCurve, qualityAt} from '../../../app/run/quality/curve.ts';
import type {PageQuality} from '../../../app/run/quality/pageQuality.ts';

/** The quality of a picture as a function of the share of its bytes. */
export interface SharedCurve {
  readonly object: number;
  /** The quality, 0–1, at a share of the bytes: a step function like {@link qualityAt}. */
  readonly at: (share: number) => number;
  /** The shares at which the curve rises, 0–1. */
  readonly rises: readonly number[];
}

/** The curves of some of a page's pictures. */
export function sharedCurves({objects}: PageQuality, pictures: readonly number[]): readonly SharedCurve[] {
  return pictures.flatMap(object => {
    const curve = objects[object]?.curve ?? [];
    const size = sizeOf(curve);
    if (size === 0) return [];
    // rounded to a millionth of a byte, because `share * size` can be just below the byte count of a step
    const at = (share: number): number => qualityAt(curve, Math.round(share * size * 1e6) / 1e6);
    return [{object, at, rises: curve.map(([bytes]) => bytes / size)}];
  });
}

/** The mean quality of several pictures with the same share of their bytes, 0–1; 0 if there are no pictures. */
export function meanAt(curves: readonly SharedCurve[], share: number): number {
  return curves.reduce((sum, {at}) => sum + at(share), 0) / Math.max(curves.length, 1);
}

/**
 * The least percentage of bytes at which the pictures' mean quality reaches `quality`; null if there are no pictures.
 */
export function meanReachesPercent(curves: readonly SharedCurve[], quality: number): number | null {
  for (let percent = 0; percent <= 100; percent++) {
    if (curves.length > 0 && meanAt(curves, percent / 100) >= quality) return percent;
  }
  return null;
}

function sizeOf(curve: QualityCurve): number {
  return curve.at(-1)?.[0] ?? 0;
}
