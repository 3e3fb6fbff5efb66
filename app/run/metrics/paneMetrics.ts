import type {Page} from '../../page/page.ts';
import {type Pane, pipelineOf} from '../../pipelines/index.ts';
import {capturedPart, type SeenAt} from '../scenario/capturedPath.ts';
import {livePathOf} from '../scenario/livePath.ts';
import type {Scenario} from '../scenario/scenario.ts';
import type {Trace} from '../trace/trace.ts';
import type {TraceData} from '../trace/traceData.ts';
import {measure, type PaneMetrics} from './metrics.ts';

/** One pane of a run with its trace. */
interface PaneRun {
  readonly scenario: Scenario;
  /** Index of the pane in the scenario. */
  readonly pane: number;
  readonly data: TraceData;
}

/**
 * Computes the metrics of a pane. In those of a live or captured load, NaN marks what was not observed. `trace` is a
 * `Trace` of `data`, if the caller has one.
 */
export function paneMetrics({scenario, pane, data}: PaneRun, trace?: Trace): PaneMetrics {
  const captured = capturedPart(scenario.path);
  if (captured !== undefined) return capturedMetrics(data, captured.seenAt);
  const settings = scenario.panes[pane];
  const path = settings && livePathOf(scenario, settings);
  if (path === undefined) return measure(data, trace);
  return liveMetrics(data, pipelineOf(data.pipeline).live?.seesPackets(path) === true);
}

/**
 * Computes the metrics of a captured load. NaN (null in JSON) marks unknown values: a capture without packets has no
 * packet metrics, one side never sees which packets of the other side were lost, and waits at the client are known only
 * if all packets were recorded at the client. With `both`, each packet was recorded at its sender instead.
 */
export function capturedMetrics(data: TraceData, seenAt: SeenAt): PaneMetrics {
  if (data.packets.sentNs.length === 0) return liveMetrics(data, false);
  const metrics = measure(data);
  const {down, up} = metrics.lost;
  if (seenAt === 'both') return {...metrics, ...UNKNOWN_WAITS};
  if (seenAt === 'server') return {...metrics, ...UNKNOWN_WAITS, lost: {down, up: Number.NaN}};
  return {...metrics, lost: {down: Number.NaN, up}};
}

/**
 * Computes the metrics of a live load, of which only the client's side is known. NaN (null in JSON) marks unknown
 * values. The number of packets that the path dropped is always unknown. The other packet metrics cover only packets
 * that the client sent or received. Without `seesPackets`, as with the kernel's TCP, they are unknown, too, and so are
 * the waits at the client.
 */
export function liveMetrics(data: TraceData, seesPackets: boolean): PaneMetrics {
  const metrics = measure(data);
  if (seesPackets) return {...metrics, lost: UNKNOWN_BOTH};
  return {
    ...metrics,
    lost: UNKNOWN_BOTH,
    packets: UNKNOWN_BOTH,
    retransmitted: Number.NaN,
    ...UNKNOWN_WAITS,
  };
}

/** Returns the metrics of a pane whose load the program failed to compute. Only the reason is known. */
export function failedMetrics({pipeline}: Pane, page: Page, reason: string): PaneMetrics {
  const never = {25: null, 50: null, 75: null, 100: null};
  return {
    pipeline,
    outcome: 'error',
    reason,
    missing: 0,
    setupMs: null,
    pageTimeMs: null,
    pPageMs: never,
    pRenMs: never,
    finishMs: null,
    fcpMs: null,
    lcpMs: null,
    lcpElement: null,
    dclMs: null,
    loadMs: null,
    silentMs: null,
    packets: UNKNOWN_BOTH,
    lost: UNKNOWN_BOTH,
    retransmitted: Number.NaN,
    ...UNKNOWN_WAITS,
    objects: page.objects.map(({url, body}) => ({
      url,
      bytes: body?.length ?? 0,
      stream: null,
      requestMs: null,
      firstByteMs: null,
      completeMs: null,
      latencyMs: null,
      failure: null,
    })),
  };
}

/** The metrics of waits at the client if they are unknown. */
const UNKNOWN_WAITS = {holBlockedMs: Number.NaN, holBlockedBytes: Number.NaN, longestWaitMs: Number.NaN};
const UNKNOWN_BOTH = {down: Number.NaN, up: Number.NaN};
