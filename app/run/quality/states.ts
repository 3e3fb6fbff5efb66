import type {Trace} from '../trace/trace.ts';
import {qualityAt} from './curve.ts';
import {type ObjectQuality, type PageQuality, paintedFromNs, seenIn} from './pageQuality.ts';
import {picturesOf} from './pictures.ts';

/** SSIM from which on a picture is recognisable, and good: 0 < recognisable ≤ good ≤ 1. */
export interface Thresholds {
  readonly recognisable: number;
  readonly good: number;
}

/**
 * Good: from 0.88 on people call a picture fair or better, a mean opinion score of 3 (Zinner, Hohlfeld, Abboud and
 * Hossfeld, 'Impact of frame rate and resolution on objective QoE metrics', QoMEX 2010, table 1: SSIM above 0.99
 * excellent, 0.95 good, 0.88 fair, 0.5 poor). Of the gallery's progressive pictures that is 22–51 % of their bytes,
 * which N07 §5.3.1 calls good; of the baseline ones 91–97 %.
 *
 * Recognisable: nobody has measured it; 0.65 is by our own eyes, on prefixes of nine of the fixtures' pictures at the
 * size at which the page shows them. From there on what is on the picture can be said. Measured on all 82, it comes in
 * the first scan of a progressive one or in the second, blurred (13–17 % of the gallery's bytes of 10 KB; at most 39 %
 * of 5 KB and 49 % of 3 KB), in the third to fifth pass of an interlaced PNG (14–33 %), and with 50–72 % of a baseline
 * one. Zinner's 0.5, from which on a picture is poor and no longer bad, is too little: SSIM of an empty box is 0.27 in
 * the mean, up to 0.58, and with 0.5 of a baseline picture one sees its sky.
 */
export const DEFAULT_THRESHOLDS: Thresholds = {recognisable: 0.65, good: 0.88};

/** @throws RangeError unless 0 < recognisable ≤ good ≤ 1. */
export function checkThresholds(thresholds: Thresholds): Thresholds {
  const wrong = wrongThreshold(thresholds);
  if (wrong === undefined) return thresholds;
  throw new RangeError(`${wrong.name} is ${thresholds[wrong.name]}: must be ${wrong.limit}`);
}

/** The first that is out of its limit; undefined if 0 < recognisable ≤ good ≤ 1. */
export function wrongThreshold({
  recognisable,
  good,
}: Thresholds): {readonly name: keyof Thresholds; readonly limit: string} | undefined {
  if (!(recognisable > 0 && recognisable <= 1)) return {name: 'recognisable', limit: 'above 0 and at most 1'};
  if (!(good >= recognisable && good <= 1)) return {name: 'good', limit: `${recognisable} (recognisable) to 1`};
  return undefined;
}

/** What a person can do with a picture; each is more than the one before. */
export type PictureState = 'none' | 'recognisable' | 'good' | 'complete';

/** `none` too for what is no picture. */
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

/** How many pictures are at least in each state at t, of all pictures of the page that a viewer counts. */
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
  // of one that fails on the way, what came of it stays
  const quality = qualityAt(picture.curve, trace.bytesAt(object, tNs));
  if (quality >= good) return 'good';
  return quality >= recognisable ? 'recognisable' : 'none';
}
