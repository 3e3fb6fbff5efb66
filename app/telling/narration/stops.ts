import type {Eye} from '../../run/quality/states.ts';
import {measureVisual} from '../../run/quality/visual.ts';
import {runEndNs, type Trace} from '../../run/trace/trace.ts';

/**
 * The stops of presenter mode, ns, ascending from 0 to the run's end. Page Down plays or jumps to the next stop, and
 * Page Up jumps to the previous one. Each pane has up to three stops: the end of its longest wait, the time when all
 * its pictures are recognisable, and the end of its load.
 */
export function stopsOf(traces: readonly Trace[], eye: Eye | null): readonly number[] {
  const leastNs = LEAST_SHARE * runEndNs(traces);
  const times = traces.flatMap(trace => {
    const seenMs = eye === null ? null : measureVisual(trace, eye.quality, eye.thresholds).recognisableMs;
    return [longestWaitNs(trace), seenMs === null ? null : seenMs * 1e6, trace.data.endNs];
  });
  const stops: number[] = [];
  // if times are too close to distinguish, only the last is kept
  for (const ns of times.flatMap(ns => ns ?? []).sort((a, b) => b - a)) {
    if (ns > leastNs && (stops[0] ?? Number.POSITIVE_INFINITY) - ns > leastNs) stops.unshift(ns);
  }
  return [0, ...stops];
}

/**
 * The end of the longest wait of data for a lost packet, ns; null if no data waited. Responses wait at the client, and
 * requests wait at the server.
 */
function longestWaitNs(trace: Trace): number | null {
  let longest = {startNs: 0, endNs: 0};
  for (const packet of trace.droppedPackets()) {
    for (const held of trace.blockingOf(packet)?.held ?? [])
      if (held.endNs - held.startNs > longest.endNs - longest.startNs) longest = held;
  }
  return longest.endNs === 0 ? null : longest.endNs;
}

/** The smallest distance between two stops, as a share of the run's duration. */
const LEAST_SHARE = 0.01;
