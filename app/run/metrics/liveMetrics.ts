import type {TraceData} from '../trace/traceData.ts';
import {measure, type PaneMetrics} from './metrics.ts';

/**
 * The metrics of a live load, of which the client alone is known: NaN, in JSON null, is what nobody here can know. What
 * the path dropped never is; of packets only those that came and those that were sent are, and where a kernel has them (not `seesPackets`) none.
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
