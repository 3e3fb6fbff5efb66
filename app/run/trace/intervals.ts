/** A time during which `bytes` waited. */
export interface BlockedInterval {
  readonly startNs: number;
  readonly endNs: number;
  readonly bytes: number;
}

/** Joins overlapping and touching intervals and adds up their bytes. The result is in order of time. */
export function mergeIntervals(intervals: readonly BlockedInterval[]): readonly BlockedInterval[] {
  const merged: BlockedInterval[] = [];
  for (const {startNs, endNs, bytes} of [...intervals].sort((a, b) => a.startNs - b.startNs)) {
    const last = merged.at(-1);
    if (last !== undefined && startNs <= last.endNs) {
      const joined = {startNs: last.startNs, endNs: Math.max(last.endNs, endNs), bytes: last.bytes + bytes};
      merged[merged.length - 1] = joined;
    } else merged.push({startNs, endNs, bytes});
  }
  return merged;
}

/** The time covered by at least one of the intervals, in ns. */
export function unionNs(intervals: readonly BlockedInterval[]): number {
  return mergeIntervals(intervals).reduce((sum, {startNs, endNs}) => sum + endNs - startNs, 0);
}
