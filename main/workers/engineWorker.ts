import {parentPort, workerData} from 'node:worker_threads';
import type {Json} from '../../app/base/json.ts';
import {check, integer, list, oneOf, orNull, type Problem} from '../../app/base/schema.ts';
import type {CaptureAnswer, LoadAnswer, PacketAnswer, Refusal} from '../../app/host/contract.ts';
import {CONVERSIONS} from '../../app/page/conversion.ts';
import type {PageSnapshot} from '../../app/page/page.ts';
import {pageSource} from '../../app/run/scenario/pageSource.ts';
import {parseComputed, type Scenario} from '../../app/run/scenario/scenario.ts';
import {encodeRun} from '../../app/run/trace/runFile.ts';
import {parseEye} from '../engine/eye.ts';
import {capture, load} from '../engine/load.ts';
import {packetParts} from '../engine/packetParts.ts';
import {program} from '../files/program.ts';
import {PageError} from '../pages/base/pageError.ts';
import {convertPage} from '../pages/convertPage.ts';
import {fixtureNames, openPage} from '../pages/pages.ts';
import {isKept, type OpenedPage, type SeedAnswer, type ThreadCalls, type ThreadRequest} from './engineThread.ts';
import {seedRow} from './seedRow.ts';

// One of the engine's threads. It answers one call after the other. An error that is thrown is a bug: it ends this
// thread, and the engine starts another.

const {fixtures} = workerData as {fixtures: string};

const calls: {[K in keyof ThreadCalls]: (...args: Parameters<ThreadCalls[K]>) => unknown} = {
  pageNames: () => fixtureNames(fixtures),
  openPage: answerPage,
  load: answerLoad,
  loadSeed: answerSeed,
  packetParts: answerPacket,
  capture: answerCapture,
};

parentPort?.on('message', async ({call, args}: ThreadRequest) => {
  const answer = await (calls[call] as (...args: unknown[]) => object)(...args);
  // handed over, not copied
  const bytes = 'run' in answer && answer.run instanceof Uint8Array ? [answer.run.buffer as ArrayBuffer] : [];
  parentPort?.postMessage(answer, bytes);
});

async function answerPage(document: Json, wanted: unknown): Promise<OpenedPage | Refusal> {
  const source = check((value, _path, problems) => pageSource(value, 'page', problems), document);
  if (!source.ok) return refuse(source.problems);
  const conversions = check((value, _path, problems) => anyConversions(value, 'conversions', problems), wanted);
  if (!conversions.ok) return refuse(conversions.problems);
  try {
    return {ok: true, page: await convertPage(await openPage(source.value, fixtures), conversions.value)};
  } catch (error) {
    if (error instanceof PageError) return {ok: false, problems: [], message: error.message};
    throw error;
  }
}

const anyConversions = list(oneOf(CONVERSIONS), 0, CONVERSIONS.length);

function answerLoad(document: Json, named: PageSnapshot | null): LoadAnswer {
  const page = keptOr(named);
  const parsed = parseComputed(document);
  if (!parsed.ok) return refuse(parsed.problems);
  const {scenario} = parsed;
  return {ok: true, run: encodeRun({...load(page, scenario, scenario.seed), program: program()})};
}

function answerSeed(
  document: Json,
  named: PageSnapshot | null,
  seedValue: unknown,
  eyeValue: unknown,
): SeedAnswer | Refusal {
  const page = keptOr(named);
  const parsed = parseComputed(document);
  if (!parsed.ok) return refuse(parsed.problems);
  const seed = check((value, _path, problems) => wholeSeed(value, 'seed', problems), seedValue);
  if (!seed.ok) return refuse(seed.problems);
  const eye = check((value, _path, problems) => orNull(parseEye)(value, 'eye', problems), eyeValue);
  if (!eye.ok) return refuse(eye.problems);
  return {ok: true, row: seedRow(page, parsed.scenario, seed.value, eye.value)};
}

function answerPacket(document: Json, named: PageSnapshot | null, paneValue: unknown, rowValue: unknown): PacketAnswer {
  const page = keptOr(named);
  const parsed = parseComputed(document);
  if (!parsed.ok) return refuse(parsed.problems);
  const {scenario} = parsed;
  const pane = paneOf(scenario, paneValue);
  if (!pane.ok) return refuse(pane.problems);
  const row = check((value, _path, problems) => anyRow(value, 'row', problems), rowValue);
  if (!row.ok) return refuse(row.problems);
  const parts = packetParts(page, scenario, pane.value, row.value);
  return parts === undefined
    ? {ok: false, problems: [], message: `row is ${row.value}: the pane has fewer packets`}
    : {ok: true, parts};
}

function answerCapture(document: Json, named: PageSnapshot | null, paneValue: unknown): CaptureAnswer {
  const page = keptOr(named);
  const parsed = parseComputed(document);
  if (!parsed.ok) return refuse(parsed.problems);
  const {scenario} = parsed;
  const pane = paneOf(scenario, paneValue);
  if (!pane.ok) return refuse(pane.problems);
  return {ok: true, capture: capture(page, scenario, scenario.seed, pane.value)};
}

function paneOf({panes}: Scenario, value: unknown) {
  const anyPane = integer(0, panes.length - 1);
  return check((value, _path, problems) => anyPane(value, 'pane', problems), value);
}

const anyRow = integer(0, 2 ** 32 - 1);

const wholeSeed = integer(0, Number.MAX_SAFE_INTEGER);

/** The page of a load. It is kept for the next one. */
function keptOr(named: PageSnapshot | null): PageSnapshot {
  const page = named ?? before;
  if (page === null) throw new Error('no page is kept');
  before = isKept(page) ? page : null;
  return page;
}

/** The page of the last load, whose responses are made only once. */
let before: PageSnapshot | null = null;

/** The first problems, without values that cannot be handed over. */
function refuse(problems: readonly Problem[]): Refusal {
  const told = problems.slice(0, MOST_PROBLEMS).map(problem => {
    const {value} = problem;
    return {...problem, value: typeof value === 'object' ? null : value};
  });
  return {ok: false, problems: told, message: told[0]?.message ?? 'not a scenario'};
}

/** More than a reader takes in. A document may have a million problems. */
const MOST_PROBLEMS = 100;
