import {parentPort, workerData} from 'node:worker_threads';
import type {Json} from '../../app/base/json.ts';
import {refusal, refuseDocument} from '../../app/base/refusal.ts';
import {check, integer, list, oneOf, orNull} from '../../app/base/schema.ts';
import type {CaptureAnswer, LoadAnswer, PacketAnswer, Refusal} from '../../app/host/contract.ts';
import {CONVERSIONS} from '../../app/page/conversion.ts';
import type {PageSnapshot} from '../../app/page/page.ts';
import {ASSUMPTIONS} from '../../app/run/load/assumption.ts';
import {pageSource} from '../../app/run/scenario/pageSource.ts';
import {parseComputed, type Scenario} from '../../app/run/scenario/scenario.ts';
import {encodeRun} from '../../app/run/trace/runFile.ts';
import {capture, load, packetParts} from '../engine/load.ts';
import {program} from '../files/program.ts';
import {PageError} from '../pages/base/pageErrors.ts';
import {convertPage} from '../pages/convertPage.ts';
import {fixtureNames, openPage} from '../pages/openPage.ts';
import {isKept, type OpenedPage, type SeedAnswer, type ThreadCalls, type ThreadRequest} from './engineThread.ts';
import {parseEye} from './parseEye.ts';
import {seedRow} from './seedRow.ts';
import {WarmUp} from './warmUp.ts';

// This module runs as one of the engine's threads. It answers one call after the other. A thrown error is a bug. It
// ends this thread, and the engine starts another thread.

const {fixtures} = workerData as {fixtures: string};

const calls: {[K in keyof ThreadCalls]: (...args: Parameters<ThreadCalls[K]>) => unknown} = {
  pageNames: () => fixtureNames(fixtures),
  openPage: answerPage,
  load: answerLoad,
  loadSeed: answerSeed,
  packetParts: answerPacket,
  capture: answerCapture,
};

const warmUp = new WarmUp();

parentPort?.on('message', async ({call, args}: ThreadRequest) => {
  warmUp.pause();
  const answer = await (calls[call] as (...args: unknown[]) => object)(...args);
  // The bytes of a run are transferred to the thread that asked for it, instead of copied.
  const bytes = 'run' in answer && answer.run instanceof Uint8Array ? [answer.run.buffer as ArrayBuffer] : [];
  parentPort?.postMessage(answer, bytes);
  warmUp.resume();
});

async function answerPage(document: Json, wanted: unknown): Promise<OpenedPage | Refusal> {
  const source = check((value, _path, problems) => pageSource(value, 'page', problems), document);
  if (!source.ok) return refuseDocument(source.problems);
  const conversions = check((value, _path, problems) => anyConversions(value, 'conversions', problems), wanted);
  if (!conversions.ok) return refuseDocument(conversions.problems);
  try {
    return {ok: true, page: await convertPage(await openPage(source.value, fixtures), conversions.value)};
  } catch (error) {
    if (error instanceof PageError) return refusal(error.message);
    throw error;
  }
}

const anyConversions = list(oneOf(CONVERSIONS), 0, CONVERSIONS.length);

function answerLoad(document: Json, named: PageSnapshot | null, assumed: unknown): LoadAnswer {
  const page = keptOr(named);
  const parsed = parseComputed(document);
  if (!parsed.ok) return refuseDocument(parsed.problems);
  const {scenario} = parsed;
  const assumption = check(
    (value, _path, problems) => orNull(anyAssumption)(value, 'assumption', problems),
    assumed ?? null,
  );
  if (!assumption.ok) return refuseDocument(assumption.problems);
  return warmUp.run(() => {
    const run = load(page, scenario, scenario.seed, {assumption: assumption.value ?? undefined});
    return {ok: true, run: encodeRun({...run, program: program()})};
  });
}

const anyAssumption = oneOf(ASSUMPTIONS);

function answerSeed(
  document: Json,
  named: PageSnapshot | null,
  seedValue: unknown,
  eyeValue: unknown,
  hasCauses: unknown,
): SeedAnswer | Refusal {
  const page = keptOr(named);
  const parsed = parseComputed(document);
  if (!parsed.ok) return refuseDocument(parsed.problems);
  const seed = check((value, _path, problems) => wholeSeed(value, 'seed', problems), seedValue);
  if (!seed.ok) return refuseDocument(seed.problems);
  const eye = check((value, _path, problems) => orNull(parseEye)(value, 'eye', problems), eyeValue);
  if (!eye.ok) return refuseDocument(eye.problems);
  return {ok: true, row: seedRow(page, parsed.scenario, seed.value, {eye: eye.value, hasCauses: hasCauses === true})};
}

function answerPacket(document: Json, named: PageSnapshot | null, paneValue: unknown, rowValue: unknown): PacketAnswer {
  const page = keptOr(named);
  const parsed = parseComputed(document);
  if (!parsed.ok) return refuseDocument(parsed.problems);
  const {scenario} = parsed;
  const pane = paneOf(scenario, paneValue);
  if (!pane.ok) return refuseDocument(pane.problems);
  const row = check((value, _path, problems) => anyRow(value, 'row', problems), rowValue);
  if (!row.ok) return refuseDocument(row.problems);
  const parts = packetParts(page, scenario, pane.value, row.value);
  return parts === undefined ? refusal(`row is ${row.value}: the pane has fewer packets`) : {ok: true, parts};
}

function answerCapture(document: Json, named: PageSnapshot | null, paneValue: unknown): CaptureAnswer {
  const page = keptOr(named);
  const parsed = parseComputed(document);
  if (!parsed.ok) return refuseDocument(parsed.problems);
  const {scenario} = parsed;
  const pane = paneOf(scenario, paneValue);
  if (!pane.ok) return refuseDocument(pane.problems);
  return {ok: true, capture: capture(page, scenario, scenario.seed, pane.value)};
}

function paneOf({panes}: Scenario, value: unknown) {
  const anyPane = integer(0, panes.length - 1);
  return check((value, _path, problems) => anyPane(value, 'pane', problems), value);
}

const anyRow = integer(0, 2 ** 32 - 1);

const wholeSeed = integer(0, Number.MAX_SAFE_INTEGER);

/**
 * Returns the page that a load needs. `named` is the page in the call. If it is null, the load needs the page of the
 * previous load. The returned page is kept for the next load if {@link isKept} is true for it.
 */
function keptOr(named: PageSnapshot | null): PageSnapshot {
  const page = named ?? before;
  if (page === null) throw new Error('no page is kept');
  before = isKept(page) ? page : null;
  return page;
}

/** The page of the previous load. Null if that page was not kept. */
let before: PageSnapshot | null = null;
