import {pipelineOf} from '../../pipelines/index.ts';
import {livePathOf} from '../scenario/livePath.ts';
import type {Scenario} from '../scenario/scenario.ts';
import type {Trace} from '../trace/trace.ts';
import type {TraceData} from '../trace/traceData.ts';
import {liveMetrics} from './liveMetrics.ts';
import {measure, type PaneMetrics} from './metrics.ts';

/** One pane of a run, and what came of it. */
interface PaneRun {
  readonly scenario: Scenario;
  /** Its place in the scenario. */
  readonly pane: number;
  readonly data: TraceData;
}

/** The metrics of a pane: of a live load, what a client can know. `trace` is that of `data`, where it is there already. */
export function paneMetrics({scenario, pane, data}: PaneRun, trace?: Trace): PaneMetrics {
  const settings = scenario.panes[pane];
  const path = settings && livePathOf(scenario, settings);
  if (path === undefined) return measure(data, trace);
  return liveMetrics(data, pipelineOf(data.pipeline).live?.seesPackets(path) === true);
}
