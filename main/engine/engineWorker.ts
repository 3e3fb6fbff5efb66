import {parentPort, workerData} from 'node:worker_threads';
import type {LoadAnswer, PageAnswer, Refusal} from '../../app/ipc/contract.ts';
import type {Page} from '../../app/page/page.ts';
import type {Json} from '../../app/scenario/document.ts';
import {type PageSource, pageSource} from '../../app/scenario/pageSource.ts';
import {parseScenario} from '../../app/scenario/scenario.ts';
import {INVALID, type Problem} from '../../app/scenario/schema.ts';
import {encodeRun} from '../../app/trace/runFile.ts';
import type {EngineAnswer, EngineCalls, EngineRequest} from './engineThread.ts';
import {load} from './load.ts';
import {fixtureNames, openPage, PageError} from './pages.ts';

// One of the engine's threads: one call after the other.

const {fixtures} = workerData as {fixtures: string};

const calls: EngineCalls = {
  pageNames: () => fixtureNames(fixtures),
  openPage: answerPage,
  load: answerLoad,
};

parentPort?.on('message', ({id, call, args}: EngineRequest) => {
  const answer: EngineAnswer = {id, value: (calls[call] as (...args: unknown[]) => unknown)(...args)};
  parentPort?.postMessage(answer);
});

function answerPage(document: Json): PageAnswer {
  const problems: Problem[] = [];
  const source = pageSource(document, 'page', problems);
  if (source === INVALID) return refuse(problems);
  return attempt(() => ({ok: true, page: open(source)}));
}

function answerLoad(document: Json): LoadAnswer {
  const parsed = parseScenario(document);
  if (!parsed.ok) return refuse(parsed.problems);
  const {scenario} = parsed;
  return attempt(() => ({ok: true, run: encodeRun(load(open(scenario.page), scenario, scenario.seed))}));
}

/** The page opened last: a window asks for the same one again and again. */
let last: {readonly source: string; readonly page: Page} | undefined;

function open(source: PageSource): Page {
  const key = JSON.stringify(source);
  if (last?.source !== key) last = {source: key, page: openPage(source, fixtures)};
  return last.page;
}

function attempt<T>(compute: () => T): T | Refusal {
  try {
    return compute();
  } catch (error) {
    if (error instanceof PageError) return {ok: false, problems: [], message: error.message};
    throw error; // a bug: it ends this thread, and the engine starts another
  }
}

function refuse(problems: readonly Problem[]): Refusal {
  return {ok: false, problems, message: problems[0]?.message ?? 'not a scenario'};
}
