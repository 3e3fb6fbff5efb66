import type {Trace} from '../trace/trace.ts';
import {qualityAt} from './curve.ts';
import {type ObjectQuality, type PageQuality, seenObjects} from './pageQuality.ts';

/** SSIM from which on a picture is recognisable, and good: 0 < recognisable ≤ good ≤ 1. */
export interface Thresholds {
  readonly recognisable: number;
  readonly good: number;
}

export const DEFAULT_THRESHOLDS: Thresholds = {recognisable: 0.6, good: 0.8};

/** @throws RangeError unless 0 < recognisable ≤ good ≤ 1. */
export function checkThresholds(thresholds: Thresholds): Thresholds {
  const {recognisable, good} = thresholds;
  if (!(recognisable > 0 && recognisable <= 1)) {
    throw new RangeError(`recognisable is ${recognisable}: must be above 0 and at most 1`);
  }
  if (!(good >= recognisable && good <= 1)) {
    throw new RangeError(`good is ${good}: must be ${recognisable} (recognisable) to 1`);
  }
  return thresholds;
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
  const picture = quality.objects[object];
  return picture?.kind === 'picture' ? stateAt(trace, picture, thresholds, object, tNs) : 'none';
}

/** How many pictures are at least in each state at t, of all pictures that the page can show. */
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
  for (const [object, seen] of seenObjects(trace, quality)) {
    if (seen.kind !== 'picture') continue;
    const state = stateAt(trace, seen, thresholds, object, tNs);
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
