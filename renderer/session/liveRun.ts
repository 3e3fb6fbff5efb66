import {refusal} from '../../app/base/refusal.ts';
import type {LiveAnswer} from '../../app/host/contract.ts';
import type {PageSnapshot} from '../../app/page/page.ts';
import {paneMetrics} from '../../app/run/metrics/paneMetrics.ts';
import type {Scenario} from '../../app/run/scenario/scenario.ts';
import {decodeRun} from '../../app/run/trace/runFile.ts';
import {Trace} from '../../app/run/trace/trace.ts';
import type {TraceData} from '../../app/run/trace/traceData.ts';
import type {LoadResult, ShownRun} from './loads.ts';

/** The progress of a live load. */
export interface LiveState {
  /** Whether the load has ended, complete or not. */
  readonly isOver: boolean;
  /** Notes about servers with unsuitable settings. */
  readonly notes: readonly string[];
}

/** Decodes the run of a live load, as far as it has come, from the host's answer. */
export function liveRun(scenario: Scenario, page: PageSnapshot, answer: LiveAnswer): LoadResult {
  if (!answer.ok) return answer;
  const decoded = decodeRun(answer.run);
  if (!decoded.ok) return refusal(decoded.message);
  const {isOver, notes} = answer;
  return {ok: true, run: runOf(scenario, page, decoded.run.panes, {isOver, notes})};
}

/** The run of a live load that was ended before it was complete. */
export function endedRun({scenario, page, traces, live}: ShownRun, reason: string): ShownRun {
  const panes = traces.map(({data}): TraceData => {
    return data.outcome === 'loading' ? {...data, outcome: 'aborted', reason} : data;
  });
  return runOf(scenario, page, panes, {isOver: true, notes: live?.notes ?? []});
}

/** Whether a pane is loading. A pane that waits until the panes before it are done is not loading. */
export function isUnderWay({data}: Trace): boolean {
  return data.outcome === 'loading' && data.reason === null;
}

function runOf(scenario: Scenario, page: PageSnapshot, panes: readonly TraceData[], live: LiveState): ShownRun {
  const traces = panes.map(data => new Trace(data));
  const metrics = panes.map((data, i) => paneMetrics({scenario, pane: i, data}, traces[i]));
  return {scenario, page, traces, metrics, live};
}
