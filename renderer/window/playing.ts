import type {Trace} from '../../app/run/trace/trace.ts';

/** The next time after t at which an object of any pane grows, ns; the run's end if none does. */
export function nextEventNs(traces: readonly Trace[], tNs: number): number {
  const ends = traces.map(trace => trace.data.endNs);
  return Math.min(
    ...traces.map(trace => trace.data.deliveries.atNs.find(atNs => atNs > tNs) ?? Number.POSITIVE_INFINITY),
    Math.max(0, ...ends),
  );
}

/** The last time before t at which an object of any pane grew, ns; 0 if none did. */
export function previousEventNs(traces: readonly Trace[], tNs: number): number {
  return Math.max(0, ...traces.map(trace => trace.data.deliveries.atNs.findLast(atNs => atNs < tNs) ?? 0));
}

/** The next higher speed in {@link SPEEDS}; `speed` itself if none is higher. */
export function faster(speed: number): number {
  return SPEEDS.find(each => each > speed) ?? speed;
}

/** The next lower speed in {@link SPEEDS}; `speed` itself if none is lower. */
export function slower(speed: number): number {
  return SPEEDS.findLast(each => each < speed) ?? speed;
}

/** The speeds to choose from: run time per wall time. */
export const SPEEDS: readonly number[] = [0.01, 0.04, 0.1, 0.25, 0.5, 1, 2, 5, 10, 20];
