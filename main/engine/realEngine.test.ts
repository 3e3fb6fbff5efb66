import {execFileSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {afterAll, beforeAll, describe, expect, test, vi} from 'vitest';
import type {Json} from '../../app/base/json.ts';
import type {EngineState, LoadAnswer} from '../../app/host/contract.ts';
import {pageStamp} from '../../app/page/page.ts';
import {syntheticPage} from '../../app/page/synthetic.ts';
import {measure} from '../../app/run/metrics/metrics.ts';
import {capturedPackets} from '../../app/run/packets/captureFile.ts';
import {DEFAULT_THRESHOLDS} from '../../app/run/quality/states.ts';
import {smallQuality} from '../../app/run/quality/testing/smallQuality.ts';
import {measureVisual} from '../../app/run/quality/visual.ts';
import {decodeRun} from '../../app/run/trace/runFile.ts';
import {Trace} from '../../app/run/trace/trace.ts';
import {ALL_METRICS, CAUSE_METRICS, METRICS} from '../../app/study/experiment/metricList.ts';
import {metricValue, paneRow} from '../../app/study/experiment/row.ts';
import {takeSnapshot} from '../pages/base/pageSnapshot.ts';
import {bundleMain, bundles} from '../setup/bundle.mjs';
import {Engine} from '../workers/engine.ts';
import {Threads} from '../workers/engineThreads.ts';

// These tests run the engine with real threads, and make all calls that a window may make.

const folder = mkdtempSync(join(tmpdir(), 'interleave-real-engine-'));
const states: EngineState[] = [];
let engine: Engine;
beforeAll(async () => {
  await bundleMain();
  // The threads get their environment when they start. They have their own cache, because the cache of other test files
  // may already contain the conversions.
  vi.stubEnv('XDG_CACHE_HOME', join(folder, 'cache'));
  engine = new Engine({
    worker: pathToFileURL(join(bundles, 'engineWorker.mjs')),
    fixtures: fileURLToPath(new URL('../../fixtures/pages', import.meta.url)),
    threads: 2,
    onState: state => states.push(state),
  });
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await engine.close();
  rmSync(folder, {recursive: true});
});

test('all panes load the page as it was when it was opened, even if its folder changes', async () => {
  const page = pageFolder('edited', '<img src=a.png>', {'a.png': 1003});
  const opened = await open(page);
  const {hash} = opened;
  const tcp = await bytesOf(load({page, panes: [{pipeline: 'tcp'}]}, hash));
  writeFileSync(join(page, 'a.png'), new Uint8Array(30_003));
  const sctp = await bytesOf(load({page, panes: [{pipeline: 'sctp'}]}, hash));
  rmSync(page, {recursive: true});
  const gone = await bytesOf(load({page, panes: [{pipeline: 'sctp'}]}, hash));
  expect([tcp, sctp, gone]).toEqual(Array(3).fill([15, 1003]));
  // The window draws the same bytes.
  expect(opened.objects.map(({body}) => body?.length)).toEqual([15, 1003]);
  const held = engine.heldPage(hash);
  expect(held.ok && held.page).toEqual(opened);
});

test('a page is opened with converted objects, and a pane with this conversion loads them', async () => {
  const [served, answer] = [
    await open('gallery-baseline'),
    await engine.openPage('gallery-baseline', 'run', ['progressive']),
  ];
  if (!answer.ok) throw new Error(answer.message);
  const {hash, conversions, converted = []} = answer.page;
  expect(conversions).toEqual(['progressive']);
  const bytes = converted[0]?.objects.map((made, i) => (made ?? served.objects[i])?.body?.length);
  const panes = [{pipeline: 'tcp', conversion: 'progressive'}];
  expect(await bytesOf(load({page: 'gallery-baseline', panes}, hash))).toEqual(bytes);
  const objects = smallQuality().objects;
  const quality = {...smallQuality(), converted: [{conversion: 'progressive', objects}]};
  const eye = {quality, thresholds: DEFAULT_THRESHOLDS};
  expect(await engine.loadSeeds({panes}, hash, [1], '', eye)).toMatchObject({ok: true});
  for (const [wanted, message] of [
    [['zip'], 'conversions[0] is "zip": must be "progressive" or "webp" or "avif"'],
    ['webp', 'conversions is "webp": must be a list of 0 to 3 items'],
  ] as const)
    expect(await engine.openPage('gallery', 'run', wanted)).toMatchObject({ok: false, message});
});

test('a conversion ends when its run is cancelled, and succeeds when it is requested again', async () => {
  const converted = () => readdirSync(folder, {recursive: true}).length;
  const before = converted();
  const opening = engine.openPage('gallery-baseline', 'cancelled', ['avif']);
  while (converted() === before) await new Promise(resolve => setTimeout(resolve, 1));
  engine.cancelLoad('cancelled');
  expect(await opening).toMatchObject({ok: false, message: 'another load has replaced this one'});
  expect(await engine.openPage('gallery-baseline', 'run', ['avif'])).toMatchObject({ok: true});
  expect(states).toEqual([]);
});

test('opening a page again reads its current files', async () => {
  const page = pageFolder('again', '<img src=a.png>', {'a.png': 10});
  const before = await open(page);
  writeFileSync(join(page, 'a.png'), new Uint8Array(20));
  const after = await open(page);
  expect(after.hash).not.toBe(before.hash);
  expect(await bytesOf(load({page}, after.hash))).toEqual([15, 20]);
  expect(await bytesOf(load({page}, before.hash))).toEqual([15, 10]);
});

test('a run contains the stamp of the page that it loaded', async () => {
  const {hash, leftOut} = await open('gallery');
  const answer = await load({}, hash);
  const decoded = answer.ok ? decodeRun(answer.run) : answer;
  expect(decoded.ok && decoded.run.page).toEqual({hash, leftOut});
});

test('a run can assume a free set-up, which no setting gives, and an unknown assumption is refused', async () => {
  const {hash} = await open('gallery');
  const scenario = {panes: [{pipeline: 'tcp', tls: false}], path: {rttMs: 300}};
  const firstRequestNs = async (assumption?: unknown) => {
    const answer = await engine.load(scenario, hash, '', assumption);
    const decoded = answer.ok ? decodeRun(answer.run) : answer;
    if (!decoded.ok) throw new Error(decoded.message);
    return decoded.run.panes[0]?.objects[0]?.requestNs;
  };
  expect(await firstRequestNs()).toBeGreaterThanOrEqual(300e6);
  expect(await firstRequestNs(null)).toBeGreaterThanOrEqual(300e6);
  expect(await firstRequestNs('free-set-up')).toBe(0);
  await expect(firstRequestNs('free-lunch')).rejects.toThrow(
    'assumption is "free-lunch": must be "free-set-up" or "unlimited-window"',
  );
});

test('a packet of a run is decoded, and invalid panes and rows are refused with value and limit', async () => {
  const {hash} = await open('gallery');
  const ask = (pane: unknown, row: unknown, of = hash) => engine.packetParts({}, of, pane, row, '');
  const answer = await ask(1, 0);
  expect(answer.ok && answer.parts.map(({name}) => name)).toEqual(['IPv4', 'SCTP']);
  for (const [pane, row, message] of [
    [2, 0, 'pane is 2: must be a whole number from 0 to 1'],
    [0, -1, 'row is -1: must be a whole number from 0 to 4294967295'],
    [0, '1', 'row is "1": must be a whole number from 0 to 4294967295'],
    [0, 1e6, 'row is 1000000: the pane has fewer packets'],
  ] as const)
    expect(await ask(pane, row)).toMatchObject({ok: false, message});
  expect(await ask(0, 0, 'never')).toMatchObject({isPageGone: true});
});

test('a pane’s capture has the packets of the load, and invalid panes are refused with value and limit', async () => {
  const {hash} = await open('gallery');
  const scenario = {seed: 3, panes: [{pipeline: 'tcp'}, {pipeline: 'h3'}]};
  const decoded = await load(scenario, hash).then(answer => (answer.ok ? decodeRun(answer.run) : answer));
  if (!decoded.ok) throw new Error(decoded.message);
  for (const [pane, {packets}] of decoded.run.panes.entries()) {
    const answer = await engine.capture(scenario, hash, pane, '');
    if (!answer.ok) throw new Error(answer.message);
    expect(capturedPackets(answer.capture).map(({length}) => length)).toEqual([...packets.bytes]);
  }
  expect(await engine.capture(scenario, hash, 2, '')).toMatchObject({
    ok: false,
    message: 'pane is 2: must be a whole number from 0 to 1',
  });
  expect(await engine.capture({seed: 'x'}, hash, 0, '')).toMatchObject({
    ok: false,
    problems: [{path: 'seed'}],
  });
  expect(await engine.capture(scenario, 'never', 0, '')).toMatchObject({isPageGone: true});
});

test('each of many seeds has the same metrics as a single load', async () => {
  const {hash} = await open('gallery');
  const scenario = {path: {rateBps: 200_000, loss: 0.05}, seed: 99, timeLimitMs: 9000};
  // This is like a page whose style sheet blocks rendering.
  const eye = {quality: {...smallQuality(), blocking: [1]}, thresholds: DEFAULT_THRESHOLDS};
  const [plain, seen] = [
    await engine.loadSeeds(scenario, hash, [3, 1, 4], '', null),
    await engine.loadSeeds(scenario, hash, [3, 1, 4], '', eye),
  ];
  if (!plain.ok || !seen.ok) throw new Error('refused');
  expect(plain.rows.map(({seed}) => seed)).toEqual([3, 1, 4]);
  const outcomes = new Set<string>();
  for (const [i, {seed, panes}] of plain.rows.entries()) {
    const answer = await load({...scenario, seed}, hash);
    const decoded = answer.ok ? decodeRun(answer.run) : answer;
    if (!decoded.ok) throw new Error(decoded.message);
    const traces = decoded.run.panes.map(data => new Trace(data));
    expect(panes).toEqual(
      traces.map(trace => {
        const metrics = measure(trace.data, trace);
        outcomes.add(metrics.outcome);
        return paneRow(metrics, METRICS);
      }),
    );
    // If `eye` does not say which objects are pictures, the second object, which is the logo, also counts as a picture.
    const completeMs = traces.map(({objects}) => objects.map(({completeNs}) => completeNs && completeNs / 1e6));
    const firstOf = (of: readonly number[]) => completeMs.map(times => leastOf(of.map(each => times[each] ?? null)));
    expect(plain.rows[i]?.firstPicturesMs).toEqual(firstOf([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]));
    expect(plain.rows[i]?.wholePagesMs).toEqual(
      traces.map(({data}) => (data.outcome === 'complete' ? data.endNs / 1e6 : null)),
    );
    // The small quality has one picture, which is object 1.
    expect(seen.rows[i]?.firstPicturesMs).toEqual(firstOf([1]));
    expect(seen.rows[i]?.panes).toEqual(
      traces.map(trace => {
        const visual = measureVisual(trace, eye.quality, eye.thresholds);
        return paneRow({...measure(trace.data, trace), visual}, ALL_METRICS);
      }),
    );
  }
  // The time limit is chosen so that both outcomes occur.
  expect(outcomes).toEqual(new Set(['complete', 'time-limit']));
});

test('seeds with causes have the other metrics, too, and their causes add up to the time of the whole page', async () => {
  const {hash} = await open('gallery');
  const scenario = {path: {loss: 0.05}};
  const [plain, explained] = [
    await engine.loadSeeds(scenario, hash, [3, 1], '', null, 'yes'),
    await engine.loadSeeds(scenario, hash, [3, 1], '', null, true),
  ];
  if (!plain.ok || !explained.ok) throw new Error('refused');
  for (const [i, {panes}] of explained.rows.entries()) {
    for (const [side, pane] of panes.entries()) {
      const usual = plain.rows[i]?.panes[side]?.values ?? [];
      expect(usual).toHaveLength(METRICS.length);
      expect(pane.values.slice(0, METRICS.length)).toEqual(usual);
      const sumMs = CAUSE_METRICS.reduce((sum, {name}) => sum + (metricValue(pane, name) ?? Number.NaN), 0);
      expect(sumMs).toBeCloseTo(metricValue(pane, 'finishMs') ?? -1, 6);
    }
  }
});

function leastOf(times: readonly (number | null)[]): number | null {
  return times.reduce((least, each) => (least === null || (each !== null && each < least) ? each : least), null);
}

test('invalid seeds, scenarios and qualities of a page are refused', async () => {
  const {hash} = await open('gallery');
  const object = {kind: 'picture', area: 1, curve: [[1, 1]], scanEnds: [1]};
  const thresholds = {recognisable: 0.6, good: 0.8};
  const eyeWith = (change: object) => {
    return {quality: {screen: {width: 1, height: 1}, objects: [{...object, ...change}]}, thresholds};
  };
  const refused: readonly (readonly [Json, unknown, unknown, RegExp])[] = [
    [{}, [-1], null, /^seed is -1: must be a whole number/],
    [{}, ['1'], null, /^seed is "1"/],
    [{seed: 'x'}, [1], null, /^seed is "x"/],
    [{}, [1], {}, /^eye\.quality is missing/],
    [{}, [1], eyeWith({kind: 'film'}), /^eye\.quality\.objects\[0\]\.kind is "film"/],
    [{}, [1], eyeWith({curve: [[1, 2]]}), /^eye\.quality\.objects\[0\]\.curve\[0\]\[1\] is 2/],
    [{}, [1], eyeWith({curve: [[1]]}), /curve\[0\] is \[1\]: must be bytes and quality/],
    [{}, [1], {...eyeWith({}), thresholds: {recognisable: 2, good: 1}}, /^eye\.thresholds\.recognisable is 2/],
  ];
  for (const [scenario, seeds, eye, message] of refused) {
    const answer = await engine.loadSeeds(scenario, hash, seeds, '', eye);
    expect(answer).toMatchObject({ok: false, message: expect.stringMatching(message)});
  }
  expect(await engine.loadSeeds({}, hash, [1], '', eyeWith({}))).toMatchObject({ok: true});
  expect(states).toEqual([]);
});

test('a thread keeps the page of its previous load, and can load any other page', async () => {
  const fixtures = fileURLToPath(new URL('../../fixtures/pages', import.meta.url));
  const worker = pathToFileURL(join(bundles, 'engineWorker.mjs'));
  const threads = new Threads({worker, fixtures, threads: 1, deadlineMs: 60_000, onState: () => undefined});
  const sizes = {objects: 2, indexBytes: 900, headerBytes: 250, requestBytes: 200};
  const page = takeSnapshot(syntheticPage({...sizes, objectBytes: 700}), ['a.js']);
  const other = takeSnapshot(syntheticPage({...sizes, objectBytes: 800}), ['a.js']);
  const like = {...page, leftOut: ['b.js']};
  for (const each of [page, page, other, like, page]) {
    const answer = await threads.call('load', [{}, each]);
    const decoded = answer.ok ? decodeRun(answer.run) : answer;
    if (!decoded.ok) throw new Error(decoded.message);
    expect(decoded.run.page).toEqual(pageStamp(each));
    expect(decoded.run.panes[0]?.objects.map(({bytes}) => bytes)).toEqual(each.objects.map(({body}) => body?.length));
  }
  await threads.close();
});

test('pages that the engine returns do not share memory with its threads', async () => {
  const opened = await open('gallery');
  const again = engine.heldPage(opened.hash);
  if (!again.ok) throw new Error(again.message);
  opened.objects[0]?.body?.fill(0);
  expect(again.page.objects[0]?.body?.[0]).toBe('<'.charCodeAt(0));
  for (const {objects} of [opened, again.page]) {
    expect(objects.some(({body}) => body?.buffer instanceof SharedArrayBuffer)).toBe(false);
  }
});

describe('the engine survives a hostile page or document:', () => {
  const n = 80_000;
  test.each([
    ['wrong ends', '<div>'.repeat(n) + '</x>'.repeat(n), 'nested more than 512 deep'],
    ['many images', Array.from({length: 10_000}, (_, i) => `<img src=${i}>`).join(''), 'names more than 1000 objects'],
    ['5 MB of text', 'x'.repeat(5e6), 'more than 1000000 bytes'],
  ])('HTML with %s is cut, and loads', async (name, html, why) => {
    const page = pageFolder(name, html);
    const {hash, leftOut} = await open(page);
    expect(leftOut).toEqual([expect.stringContaining(why)]);
    const answer = await load({page, path: {rateBps: 1e9, rttMs: 1}}, hash);
    expect(answer).toMatchObject({ok: true});
    expect(states).toEqual([]);
  });

  const fifo = () => {
    const page = pageFolder('fifo', '');
    rmSync(join(page, 'index.html'));
    execFileSync('mkfifo', [join(page, 'index.html')]);
    return page;
  };
  const deep = (levels: number): Json => {
    let value: Json = [];
    for (let i = 0; i < levels; i++) value = [value];
    return value;
  };
  const keys = (): Json => Object.fromEntries(Array.from({length: 100_000}, (_, i) => [`k${i}`, 0]));
  test.each<[string, () => Json, RegExp]>([
    ['a FIFO for index.html', fifo, /index\.html: it is a FIFO/],
    ['a NUL for a name', () => '\0', /a name cannot contain U\+0000/],
    ['a name of 100 MB', () => 'x'.repeat(1e8), /has a name of 100000000 characters \(at most 4096\)/],
    ['a page of lists in lists', () => deep(2000), /page is \[\[/],
    ['a page that cannot be sent to a thread', () => deep(200_000), /the computation cannot start/],
    ['a page of unknown keys', keys, /page\.k0 is not a setting of a page/],
  ])('%s is refused with the reason', async (_, make, message) => {
    const answer = await engine.openPage(make(), 'run');
    expect(answer).toMatchObject({ok: false, message: expect.stringMatching(message)});
    if (!answer.ok) expect(answer.problems.length).toBeLessThanOrEqual(100);
    expect(await engine.openPage('gallery', 'run')).toMatchObject({ok: true});
    expect(states).toEqual([]);
  });

  test('an invalid scenario is refused with its problems', async () => {
    const {hash} = await open('gallery');
    expect(await load({seed: deep(2000)}, hash)).toMatchObject({
      ok: false,
      problems: [{path: 'seed', value: null}],
      message: expect.stringMatching(/^seed is \[\[/),
    });
  });
});

async function open(page: Json) {
  const answer = await engine.openPage(page, 'run');
  if (!answer.ok) throw new Error(answer.message);
  return answer.page;
}

function load(scenario: Json, hash: string): Promise<LoadAnswer> {
  return engine.load(scenario, hash, 'run');
}

/** Returns the size of each object in the first pane. */
async function bytesOf(answer: Promise<LoadAnswer>): Promise<readonly number[]> {
  const loaded = await answer;
  if (!loaded.ok) throw new Error(loaded.message);
  const decoded = decodeRun(loaded.run);
  if (!decoded.ok) throw new Error(decoded.message);
  return decoded.run.panes[0]?.objects.map(({bytes}) => bytes) ?? [];
}

function pageFolder(name: string, html: string, files: {readonly [name: string]: number} = {}): string {
  const path = join(folder, name);
  mkdirSync(path);
  writeFileSync(join(path, 'index.html'), html);
  for (const [file, bytes] of Object.entries(files)) writeFileSync(join(path, file), new Uint8Array(bytes));
  return path;
}
