import type {Conversion} from '../../page/conversion.ts';
import {isMissing} from '../../page/failure.ts';
import type {Trace} from '../trace/trace.ts';
import type {QualityCurve} from './curve.ts';

/** What an object looks like while it comes. */
export interface ObjectQuality {
  readonly kind: 'picture' | 'text';
  /** px² of the first screen that it takes. */
  readonly area: number;
  readonly curve: QualityCurve;
  /** Ends of its scans in bytes, rising, the last is all; one for what has no scans. */
  readonly scanEnds: readonly number[];
}

/** Of one page, measured on the reference screen. */
export interface PageQuality {
  /** CSS px. */
  readonly screen: {readonly width: number; readonly height: number};
  /** By the page's objects; null for what cannot be seen: style sheets, what is missing or no picture. */
  readonly objects: readonly (ObjectQuality | null)[];
  /** Likewise, of the page as gateways convert it; absent if it is not there converted. */
  readonly converted?: readonly ConvertedQuality[];
  /** Style sheets without which nothing is painted (HTML §4.2.4.4), by number; absent if there are none. */
  readonly blocking?: readonly number[];
}

export interface ConvertedQuality {
  readonly conversion: Conversion;
  readonly objects: PageQuality['objects'];
}

/** What the objects of a load look like, as it had them; by number. */
export function seenIn({data}: Trace, quality: PageQuality): PageQuality['objects'] {
  return seenAs(quality, data.conversion);
}

/** As {@link seenIn}, of the page as a conversion has it. Nothing is known of what was not measured. */
export function seenAs(quality: PageQuality, conversion: Conversion | undefined): PageQuality['objects'] {
  if (conversion === undefined) return quality.objects;
  return quality.converted?.find(each => each.conversion === conversion)?.objects ?? [];
}

/** From when on anything is painted, ns; infinite if a style sheet is never there nor given up. */
export function paintedFromNs(trace: Trace, {blocking = []}: PageQuality): number {
  return blocking.reduce((latest, object) => {
    const {completeNs = null, failedNs = null} = trace.objects[object] ?? {};
    return Math.max(latest, completeNs ?? failedNs ?? Number.POSITIVE_INFINITY);
  }, 0);
}

/**
 * The objects that a load can show, by number. What is missing from the page itself (`isMissing`) is a broken image
 * in every load of it, and counts nowhere, as in `PaneMetrics`.
 */
export function seenObjects(trace: Trace, quality: PageQuality): readonly (readonly [number, ObjectQuality])[] {
  return seenIn(trace, quality).flatMap((seen, object): [number, ObjectQuality][] =>
    seen === null || isMissing(trace.objects[object]?.failure ?? null) ? [] : [[object, seen]],
  );
}
