import type {LiveAnswer} from '../../app/host/contract.ts';
import type {PageSnapshot} from '../../app/page/page.ts';
import {paneMetrics} from '../../app/run/metrics/paneMetrics.ts';
import type {Scenario} from '../../app/run/scenario/scenario.ts';
import {decodeRun} from '../../app/run/trace/runFile.ts';
import {Trace} from '../../app/run/trace/trace.ts';
import type {TraceData} from '../../app/run/trace/traceData.ts';
import type {LoadResult, ShownRun} from './loads.ts';

/** How a live load goes. */
export interface LiveState {
  /** Nothing more comes. */
  readonly isOver: boolean;
  /** What its servers are not as they should be, for people. */
  readonly notes: readonly string[];
}

/** What is on show of a live load, as the host tells it. */
export function liveRun(scenario: Scenario, page: PageSnapshot, answer: LiveAnswer): LoadResult {
  if (!answer.ok) return answer;
  const decoded = decodeRun(answer.run);
  if (!decoded.ok) return {ok: false, problems: [], message: decoded.message};
  const {isOver, notes} = answer;
  return {ok: true, run: runOf(scenario, page, decoded.run.panes, {isOver, notes})};
}

/** What came of it, where somebody or something ended it before it was over. */
export function endedRun({scenario, page, traces, live}: ShownRun, reason: string): ShownRun {
  const panes = traces.map(({data}): TraceData => {
    return data.outcome === 'loading' ? {...data, outcome: 'aborted', reason} : data;
  });
  return runOf(scenario, page, panes, {isOver: true, notes: live?.notes ?? []});
}

/** Whether a pane is loading: not one that waits for its turn. */
export function isUnderWay({data}: Trace): boolean {
  return data.outcome === 'loading' && data.reason === null;
}

function runOf(scenario: Scenario, page: PageSnapshot, panes: readonly TraceData[], live: LiveState): ShownRun {
  const traces = panes.map(data => new Trace(data));
  const metrics = panes.map((data, i) => paneMetrics({scenario, pane: i, data}, traces[i]));
  return {scenario, page, traces, metrics, live};
}
