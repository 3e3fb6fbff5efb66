import {type Slices, thisWindow, whenIdle} from './slices.ts';

/** One queue for all background work of this window: one piece after the other, while nobody moves anything. */
export const windowSlices: Slices = work => {
  ofThisWindow ??= whenIdle(thisWindow());
  return ofThisWindow(work);
};

let ofThisWindow: Slices | undefined;
