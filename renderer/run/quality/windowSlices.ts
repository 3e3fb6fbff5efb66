import {thisWindow, whenIdle} from './slices.ts';

/** Of all that is measured in this window: one piece after the other. */
export const windowSlices = whenIdle(thisWindow());
