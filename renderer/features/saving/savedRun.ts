import {scenarioDocument} from '../../../app/run/scenario/document.ts';
import type {Scenario} from '../../../app/run/scenario/scenario.ts';
import {joinedRun} from '../../../app/run/trace/joinRuns.ts';
import {encodeRun} from '../../../app/run/trace/runFile.ts';
import {saveBytes} from '../../kit/savedFile.ts';
import type {ShownRun} from '../../session/loads.ts';
import type {Session} from '../../session/session.ts';
import {panesOnShow} from '../../session/traceFiles.ts';

/** Saves the scenario on screen. For trace files and live loads it saves the run as one trace file instead. */
export function saveShown({store, traces}: Session): void {
  const {scenario, run, version} = store.getState();
  const hasHappened = traces.panesOf(scenario) !== undefined || run?.live !== undefined;
  if (!hasHappened) saveScenario(scenario, version);
  else if (run !== null) saveTraces(run, version);
}

/** Saves a run as one trace file. The panes may come from several trace files. */
export function saveTraces(run: ShownRun, version: string): void {
  const joined = joinedRun(panesOnShow(run));
  if (joined === undefined) return;
  const name = joined.sources === undefined ? `interleave-seed-${run.scenario.seed}` : 'interleave-joined';
  saveBytes(`${name}.trace`, encodeRun({...joined, program: `interleave ${version}`}), 'application/octet-stream');
}

function saveScenario(scenario: Scenario, version: string): void {
  const document = {program: `interleave ${version}`, ...(scenarioDocument(scenario) as object)};
  const text = `${JSON.stringify(document, null, 2)}\n`;
  saveBytes(`interleave-seed-${scenario.seed}.json`, new TextEncoder().encode(text), 'application/json');
}
