import type {TraceData} from '../trace/traceData.ts';
import {measure, type PaneMetrics} from './metrics.ts';

/**
 * Metrics of a live load, of which only the client's side is known. NaN (null in JSON) marks unknown values. Drops by
 * the path are never known. Of packets, only those that arrived and those that the client sent are known, and none at
 * all if the kernel's TCP is used (not `seesPackets`).
 */
export function liveMetrics(data: TraceData, seesPackets: boolean): PaneMetrics {
  const metrics = measure(data);
  const lost = UNKNOWN_BOTH;
  if (seesPackets) return {...metrics, lost};
  return {
    ...metrics,
    lost,
    packets: UNKNOWN_BOTH,
    retransmitted: Number.NaN,
    holBlockedMs: Number.NaN,
    holBlockedBytes: Number.NaN,
    longestWaitMs: Number.NaN,
  };
}

const UNKNOWN_BOTH = {down: Number.NaN, up: Number.NaN};
