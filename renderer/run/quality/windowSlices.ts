import {thisWindow, whenIdle} from './slices.ts';

/**
 * The queue of everything that is measured in this window, one slice after the other. It stands apart from slices.ts
 * because it listens to the window as soon as it is imported.
 */
export const windowSlices = whenIdle(thisWindow());
