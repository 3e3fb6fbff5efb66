import type {Eye} from '../../run/quality/states.ts';
import {measureVisual} from '../../run/quality/visual.ts';
import {runEndNs, type Trace} from '../../run/trace/trace.ts';

/**
 * Where somebody with two buttons stops on the way, ns, rising: on each side when the longest wait is over, when all
 * pictures are recognisable, and when the load ends. From 0 to the run's end.
 */
export function stopsOf(traces: readonly Trace[], eye: Eye | null): readonly number[] {
  const leastNs = LEAST_SHARE * runEndNs(traces);
  const times = traces.flatMap(trace => {
    const seenMs = eye === null ? null : measureVisual(trace, eye.quality, eye.thresholds).recognisableMs;
    return [longestWaitNs(trace), seenMs === null ? null : seenMs * 1e6, trace.data.endNs];
  });
  const stops: number[] = [];
  // of those that nobody could tell apart the last
  for (const ns of times.flatMap(ns => ns ?? []).sort((a, b) => b - a)) {
    if (ns > leastNs && (stops[0] ?? Number.POSITIVE_INFINITY) - ns > leastNs) stops.unshift(ns);
  }
  return [0, ...stops];
}

/** When the longest that data waited at the client for a lost packet is over. */
function longestWaitNs(trace: Trace): number | null {
  let longest = {startNs: 0, endNs: 0};
  for (const packet of trace.droppedPackets()) {
    for (const held of trace.holdOf(packet)?.held ?? [])
      if (held.endNs - held.startNs > longest.endNs - longest.startNs) longest = held;
  }
  return longest.endNs === 0 ? null : longest.endNs;
}

/** Of the run. */
const LEAST_SHARE = 0.01;
