import type {Page} from '../../page/page.ts';
import {type Pane, pipelineOf} from '../../pipelines/index.ts';
import {livePathOf} from '../scenario/livePath.ts';
import type {Scenario} from '../scenario/scenario.ts';
import type {Trace} from '../trace/trace.ts';
import type {TraceData} from '../trace/traceData.ts';
import {measure, type PaneMetrics} from './metrics.ts';

/** One pane of a run with its trace. */
interface PaneRun {
  readonly scenario: Scenario;
  /** Its index in the scenario. */
  readonly pane: number;
  readonly data: TraceData;
}

/**
 * The metrics of a pane. For a live load, these are what a client can know. `trace` is a trace of `data`, if there is
 * one.
 */
export function paneMetrics({scenario, pane, data}: PaneRun, trace?: Trace): PaneMetrics {
  const settings = scenario.panes[pane];
  const path = settings && livePathOf(scenario, settings);
  if (path === undefined) return measure(data, trace);
  return liveMetrics(data, pipelineOf(data.pipeline).live?.seesPackets(path) === true);
}

/**
 * Metrics of a live load, of which only the client's side is known. NaN (null in JSON) marks unknown values. Drops by
 * the path are never known. Of packets, only those that arrived and those that the client sent are known, and none at
 * all if the kernel's TCP is used (not `seesPackets`).
 */
export function liveMetrics(data: TraceData, seesPackets: boolean): PaneMetrics {
  const metrics = measure(data);
  if (seesPackets) return {...metrics, lost: UNKNOWN_BOTH};
  return {
    ...metrics,
    lost: UNKNOWN_BOTH,
    packets: UNKNOWN_BOTH,
    retransmitted: Number.NaN,
    holBlockedMs: Number.NaN,
    holBlockedBytes: Number.NaN,
    longestWaitMs: Number.NaN,
  };
}

/** Metrics of a pane whose load the program failed to compute. Only the reason is known. */
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
    silentMs: null,
    packets: UNKNOWN_BOTH,
    lost: UNKNOWN_BOTH,
    retransmitted: Number.NaN,
    holBlockedMs: Number.NaN,
    holBlockedBytes: Number.NaN,
    longestWaitMs: Number.NaN,
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

const UNKNOWN_BOTH = {down: Number.NaN, up: Number.NaN};
