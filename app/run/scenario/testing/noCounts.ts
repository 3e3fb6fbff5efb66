import type {PathCounts} from '../runningPath.ts';

/** For tests: the counts of a direction of a path that has had no packets. */
export const NO_COUNTS: PathCounts = {
  passed: 0,
  lost: 0,
  queueFull: 0,
  early: 0,
  policed: 0,
  copied: 0,
  marked: 0,
  tooLarge: 0,
  handedOver: 0,
};
