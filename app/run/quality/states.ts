import type {Trace} from '../trace/trace.ts';
import {qualityAt} from './curve.ts';
import {type ObjectQuality, type PageQuality, paintedFromNs, picturesOf, seenIn} from './pageQuality.ts';

/** The smallest SSIM of a recognisable picture, and of a good one: 0 < recognisable ≤ good ≤ 1. */
export interface Thresholds {
  readonly recognisable: number;
  readonly good: number;
}

/**
 * Good: people call a picture with an SSIM of at least 0.88 fair or better, which is a mean opinion score of 3 (Zinner,
 * Hohlfeld, Abboud and Hossfeld, 'Impact of frame rate and resolution on objective QoE metrics', QoMEX 2010, table 1:
 * SSIM above 0.99 excellent, 0.95 good, 0.88 fair, 0.5 poor). The gallery's progressive pictures reach 0.88 at 22–51 %
 * of their bytes, and the baseline pictures at 91–97 %. The paper N07 (§5.3.1) calls a picture good at 25 to 50 % of
 * its bytes.
 *
 * Recognisable: we know of no measurement. We chose 0.65 by eye, on prefixes of nine of the fixtures' pictures at the
 * size at which the page shows them. From 0.65 on, a viewer can say what the picture shows. We then measured at which
 * share of its bytes each of all 82 pictures reaches 0.65. A progressive picture reaches it in its first or second
 * scan, while it is still blurred: at 13–17 % if it is one of the gallery's pictures of 10 KB, and at no more than 39 %
 * for 5 KB and 49 % for 3 KB. An interlaced PNG reaches it in the third to fifth pass (14–33 %), and a baseline picture
 * at 50–72 %. Zinner's 0.5, the limit between poor and bad, is too low: the SSIM of an empty box is 0.27 on average and
 * up to 0.58, and a baseline picture at 0.5 shows its sky only.
 */
export const DEFAULT_THRESHOLDS: Thresholds = {recognisable: 0.65, good: 0.88};

/** Returns the thresholds if they are valid. @throws RangeError unless 0 < recognisable ≤ good ≤ 1 */
export function checkThresholds(thresholds: Thresholds): Thresholds {
  const wrong = wrongThreshold(thresholds);
  if (wrong === undefined) return thresholds;
  throw new RangeError(`${wrong.name} is ${thresholds[wrong.name]}: must be ${wrong.limit}`);
}

/** Returns the first threshold that is outside its limits. Undefined if 0 < recognisable ≤ good ≤ 1. */
export function wrongThreshold({
  recognisable,
  good,
}: Thresholds): {readonly name: keyof Thresholds; readonly limit: string} | undefined {
  if (!(recognisable > 0 && recognisable <= 1)) return {name: 'recognisable', limit: 'above 0 and at most 1'};
  if (!(good >= recognisable && good <= 1)) return {name: 'good', limit: `${recognisable} (recognisable) to 1`};
  return undefined;
}

/** How much of a picture a viewer can see. Each state includes the ones before it. */
export type PictureState = 'none' | 'recognisable' | 'good' | 'complete';

/** Returns the state of an object at t. An object that is not a picture is always `none`. */
export function pictureStateAt(
  trace: Trace,
  quality: PageQuality,
  thresholds: Thresholds,
  object: number,
  tNs: number,
): PictureState {
  const picture = seenIn(trace, quality)[object];
  if (picture?.kind !== 'picture' || tNs < paintedFromNs(trace, quality)) return 'none';
  return stateAt(trace, picture, thresholds, object, tNs);
}

/** Returns how many pictures a viewer counts (`picturesOf`), and how many of them have reached each state at t. */
export function countStates(
  trace: Trace,
  quality: PageQuality,
  thresholds: Thresholds,
  tNs: number,
): {
  readonly pictures: number;
  readonly recognisable: number;
  readonly good: number;
  readonly complete: number;
} {
  const count = {pictures: 0, recognisable: 0, good: 0, complete: 0};
  const isPainted = tNs >= paintedFromNs(trace, quality);
  for (const [object, seen] of picturesOf(trace, quality)) {
    const state = isPainted ? stateAt(trace, seen, thresholds, object, tNs) : 'none';
    count.pictures += 1;
    if (state !== 'none') count.recognisable += 1;
    if (state === 'good' || state === 'complete') count.good += 1;
    if (state === 'complete') count.complete += 1;
  }
  return count;
}

function stateAt(
  trace: Trace,
  picture: ObjectQuality,
  {recognisable, good}: Thresholds,
  object: number,
  tNs: number,
): PictureState {
  if (trace.stateAt(object, tNs) === 'complete') return 'complete';
  // A picture that fails keeps the pixels that were painted.
  const quality = qualityAt(picture.curve, trace.bytesAt(object, tNs));
  if (quality >= good) return 'good';
  return quality >= recognisable ? 'recognisable' : 'none';
}

/** The measured quality of a page, and the thresholds at which a picture counts as recognisable and as good. */
export interface Eye {
  readonly quality: PageQuality;
  readonly thresholds: Thresholds;
}
