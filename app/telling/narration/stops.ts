import type {Eye} from '../../run/quality/states.ts';
import {measureVisual} from '../../run/quality/visual.ts';
import {runEndNs, type Trace} from '../../run/trace/trace.ts';

/**
 * The times at which a presenter's clicker stops, ns, ascending from 0 to the run's end: on each side the end of the
 * longest wait, the time when all pictures are recognisable, and the end of the load.
 */
export function stopsOf(traces: readonly Trace[], eye: Eye | null): readonly number[] {
  const leastNs = LEAST_SHARE * runEndNs(traces);
  const times = traces.flatMap(trace => {
    const seenMs = eye === null ? null : measureVisual(trace, eye.quality, eye.thresholds).recognisableMs;
    return [longestWaitNs(trace), seenMs === null ? null : seenMs * 1e6, trace.data.endNs];
  });
  const stops: number[] = [];
  // of times that are too close to distinguish, only the last is kept
  for (const ns of times.flatMap(ns => ns ?? []).sort((a, b) => b - a)) {
    if (ns > leastNs && (stops[0] ?? Number.POSITIVE_INFINITY) - ns > leastNs) stops.unshift(ns);
  }
  return [0, ...stops];
}

/** The end of the longest time that data waited at the client for a lost packet. */
function longestWaitNs(trace: Trace): number | null {
  let longest = {startNs: 0, endNs: 0};
  for (const packet of trace.droppedPackets()) {
    for (const held of trace.holdOf(packet)?.held ?? [])
      if (held.endNs - held.startNs > longest.endNs - longest.startNs) longest = held;
  }
  return longest.endNs === 0 ? null : longest.endNs;
}

/** The smallest distance of two stops, as a share of the run. */
const LEAST_SHARE = 0.01;
