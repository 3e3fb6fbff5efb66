import {fileURLToPath} from 'node:url';
import type {Json} from '../../../app/base/json.ts';
import type {PageSnapshot} from '../../../app/page/page.ts';
import {syntheticPage} from '../../../app/page/synthetic.ts';
import {parseScenario, type Scenario} from '../../../app/run/scenario/scenario.ts';
import type {Run} from '../../../app/run/trace/runFile.ts';
import {Trace} from '../../../app/run/trace/trace.ts';
import {load} from '../../engine/load.ts';
import {takeSnapshot} from '../../pages/base/pageSnapshot.ts';
import {openPageFor} from '../../pages/convertPage.ts';
import {fixtureNames, openPage} from '../../pages/openPage.ts';

// Computes runs of scenario documents for tests.

const FIXTURES = fileURLToPath(new URL('../../../fixtures/pages', import.meta.url));

/** All fixtures (the program's pages), opened in advance, so that {@link runDocument} need not be asynchronous. */
const pages = new Map<string, PageSnapshot>();
for (const name of fixtureNames(FIXTURES)) pages.set(name, await openPage({kind: 'named', name}, FIXTURES));

/**
 * Runs a scenario with a fixture or a synthetic page. For other pages use {@link runFolder}.
 * @throws Error with all problems if the document is not a scenario
 */
export function runDocument(document: Json): Run {
  const scenario = parsed(document);
  const {page} = scenario;
  const snapshot = page.kind === 'synthetic' ? takeSnapshot(syntheticPage(page), []) : pages.get(page.name);
  if (snapshot === undefined) throw new Error(`no fixture: ${JSON.stringify(page)}`);
  return load(snapshot, scenario, scenario.seed);
}

/** Runs a scenario with any page. */
export async function runFolder(document: Json): Promise<Run> {
  const scenario = parsed(document);
  return load(await openPageFor(scenario, FIXTURES), scenario, scenario.seed);
}

/** Runs a scenario like {@link runDocument}. Returns the trace of each pane. */
export function traces(document: Json): readonly Trace[] {
  return runDocument(document).panes.map(data => new Trace(data));
}

function parsed(document: Json): Scenario {
  const answer = parseScenario(document);
  if (!answer.ok) throw new Error(answer.problems.map(problem => problem.message).join('; '));
  return answer.scenario;
}
