import type {Conversion} from '../../page/conversion.ts';
import {isMissing} from '../../page/failure.ts';
import {cachedByTrace} from '../trace/cachedByTrace.ts';
import type {Trace} from '../trace/trace.ts';
import {isLeftOut} from '../trace/traceData.ts';
import type {QualityCurve} from './curve.ts';

/** What an object looks like while it loads. */
export interface ObjectQuality {
  readonly kind: 'picture' | 'text';
  /** Area of the first screen that the object covers, in px². */
  readonly area: number;
  readonly curve: QualityCurve;
  /**
   * Byte offsets at which the scans of a picture end, ascending. The last is the object's size. It is the only entry
   * for an object without scans.
   */
  readonly scanEnds: readonly number[];
}

/** The quality of one page, measured on the reference screen. */
export interface PageQuality {
  /** Size of the reference screen in CSS px. */
  readonly screen: {readonly width: number; readonly height: number};
  /**
   * One entry for each object of the page. Null for an object that cannot be seen, because it is missing, or because it
   * is neither text nor a picture, such as a style sheet.
   */
  readonly objects: readonly (ObjectQuality | null)[];
  /** The objects after each conversion of pictures by gateways. Absent if no conversion was measured. */
  readonly converted?: readonly ConvertedQuality[];
  /** Numbers of the style sheets that block painting (HTML, 'render-blocking mechanism'). Absent if there are none. */
  readonly blocking?: readonly number[];
}

export interface ConvertedQuality {
  readonly conversion: Conversion;
  readonly objects: PageQuality['objects'];
}

/**
 * Returns what the objects of a load look like, by number. If a gateway converts the load's pictures, they look as they
 * do after this conversion.
 */
export function seenIn({data}: Trace, quality: PageQuality): PageQuality['objects'] {
  return seenAs(quality, data.conversion);
}

/** Returns what the objects look like after a conversion. Empty if the conversion was not measured. */
export function seenAs(quality: PageQuality, conversion: Conversion | undefined): PageQuality['objects'] {
  if (conversion === undefined) return quality.objects;
  return quality.converted?.find(each => each.conversion === conversion)?.objects ?? [];
}

/** Returns the time when painting starts, in ns. Infinite if a blocking style sheet neither completes nor fails. */
export function paintedFromNs(trace: Trace, {blocking = []}: PageQuality): number {
  return blocking.reduce((latest, object) => {
    const {completeNs = null, failedNs = null} = trace.objects[object] ?? {};
    return Math.max(latest, completeNs ?? failedNs ?? Number.POSITIVE_INFINITY);
  }, 0);
}

/**
 * Returns the objects that a load can show, with their numbers. A complete load cannot show the objects that it left
 * out (`isLeftOut`, as in `PaneMetrics`). Any other load cannot show the objects that the page itself lacks
 * (`isMissing`).
 */
export function seenObjects(trace: Trace, quality: PageQuality): readonly (readonly [number, ObjectQuality])[] {
  return seenIn(trace, quality).flatMap((seen, object): [number, ObjectQuality][] =>
    seen === null || isWithout(trace, object) ? [] : [[object, seen]],
  );
}

/**
 * Whether the load does without an object. While a load runs, an object that is not found yet may still be requested.
 */
function isWithout({data, objects}: Trace, object: number): boolean {
  const found = objects[object];
  if (found === undefined) return false;
  return data.outcome === 'complete' ? isLeftOut(found) : isMissing(found.failure);
}

/**
 * Returns the pictures that a viewer counts, in the order in which the page names them. Logos and icons, whose area is
 * below {@link LEAST_PICTURE_AREA}, are left out. Pictures below the first screen cover no area of it, but count.
 */
export const picturesOf = cachedByTrace((trace, quality: PageQuality): readonly (readonly [number, ObjectQuality])[] =>
  seenObjects(trace, quality).filter(([, seen]) => isViewersPicture(seen)),
);

/** Whether an object of the page is one of {@link picturesOf}. */
export function isViewersPicture({kind, area}: Pick<ObjectQuality, 'kind' | 'area'>): boolean {
  return kind === 'picture' && (area === 0 || area >= LEAST_PICTURE_AREA);
}

/** The area of 64 × 64 CSS px, the largest size of icons in icon sets. The demo's logo has 40 × 40 CSS px. */
const LEAST_PICTURE_AREA = 64 * 64;
