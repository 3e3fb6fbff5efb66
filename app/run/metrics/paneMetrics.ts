import {pipelineOf} from '../../pipelines/index.ts';
import {livePathOf} from '../scenario/livePath.ts';
import type {Scenario} from '../scenario/scenario.ts';
import type {Trace} from '../trace/trace.ts';
import type {TraceData} from '../trace/traceData.ts';
import {liveMetrics} from './liveMetrics.ts';
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
