import {fileURLToPath} from 'node:url';
import type {Json} from '../../app/scenario/document.ts';
import {parseScenario} from '../../app/scenario/scenario.ts';
import type {Run} from '../../app/trace/runFile.ts';
import {Trace} from '../../app/trace/trace.ts';
import {load} from './load.ts';
import {openPage} from './pages.ts';

// For tests: runs of scenario documents.

/** @throws Error with every problem, if the document is not a scenario. */
export function runDocument(document: Json): Run {
  const parsed = parseScenario(document);
  if (!parsed.ok) throw new Error(parsed.problems.map(problem => problem.message).join('; '));
  const {scenario} = parsed;
  return load(openPage(scenario.page, FIXTURES), scenario, scenario.seed);
}

/** One trace for each pane. */
export function traces(document: Json): readonly Trace[] {
  return runDocument(document).panes.map(data => new Trace(data));
}

const FIXTURES = fileURLToPath(new URL('../../fixtures/pages', import.meta.url));
