import type {Loads} from '../../../app/engine/loads.ts';
import type {PageSnapshot} from '../../../app/page/page.ts';
import {parseScenario, type Scenario} from '../../../app/run/scenario/scenario.ts';
import {encodeRun} from '../../../app/run/trace/runFile.ts';
import type {NamedScenario} from './scenarios.ts';

/** A scenario and the page that it loads. */
export interface Job extends NamedScenario {
  readonly page: PageSnapshot;
}

/** Hashes of the trace file of a scenario, and of the capture of each pane. */
export interface Digest {
  readonly name: string;
  readonly trace: string;
  readonly captures: readonly string[];
}

/** Runs the scenarios one after the other. `sha256` returns a hash in hexadecimal. */
export async function digestsOf(
  {load, capture}: Loads,
  jobs: readonly Job[],
  sha256: (bytes: Uint8Array) => string | Promise<string>,
): Promise<Digest[]> {
  const digests: Digest[] = [];
  for (const {name, document, page} of jobs) {
    const scenario = scenarioOf(document);
    const trace = await sha256(encodeRun(load(page, scenario, scenario.seed)));
    const captures: string[] = [];
    for (const pane of scenario.panes.keys()) captures.push(await sha256(capture(page, scenario, scenario.seed, pane)));
    digests.push({name, trace, captures});
  }
  return digests;
}

/** @throws Error with all problems if the document is not a scenario */
export function scenarioOf(document: NamedScenario['document']): Scenario {
  const answer = parseScenario(document);
  if (!answer.ok) throw new Error(answer.problems.map(problem => problem.message).join('; '));
  return answer.scenario;
}
