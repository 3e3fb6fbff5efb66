import {type Slices, thisWindow, whenIdle} from './slices.ts';

/** One queue for all background work of this window. Its slices are done in order, while the user is inactive. */
export const windowSlices: Slices = work => {
  ofThisWindow ??= whenIdle(thisWindow());
  return ofThisWindow(work);
};

let ofThisWindow: Slices | undefined;
