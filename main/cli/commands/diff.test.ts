import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, expect, test} from 'vitest';
import type {Json} from '../../../app/base/json.ts';
import type {SeenAt} from '../../../app/run/scenario/capturedPath.ts';
import {decodeRun, encodeRun} from '../../../app/run/trace/runFile.ts';
import {Trace} from '../../../app/run/trace/trace.ts';
import {causeTotals, nsOf} from '../../../app/run/why/causeTotals.ts';
import {objectPaths} from '../../../app/run/why/loadPaths.ts';
import {PLAIN_OPTIONS} from '../../../app/run/why/testing/plainOptions.ts';
import {runHere} from '../testing/runHere.ts';

const folder = mkdtempSync(join(tmpdir(), 'interleave-diff-'));
afterAll(() => rmSync(folder, {recursive: true}));

const SMALL = {
  page: {synthetic: {indexBytes: 1000, objects: 3, objectBytes: 5000}},
  path: {rateBps: 1_000_000, rttMs: 100},
  panes: [{pipeline: 'tcp'}, {pipeline: 'sctp'}],
  seed: 7,
};

beforeAll(async () => {
  await compute('a', SMALL);
  await compute('lossy', {...SMALL, path: {...SMALL.path, loss: 0.2}});
  await compute('larger', {...SMALL, page: {synthetic: {indexBytes: 1000, objects: 4, objectBytes: 5000}}});
  await compute('short', {...SMALL, timeLimitMs: 400});
  const args = ['trace', '--scenario', 'n07-hsdpa', '--set', 'path.loss=0.05', '--out', 'blocked.trace'];
  expect(await runHere(folder, args)).toMatchObject({status: 0});
  await compute('alone', {...SMALL, panes: [{pipeline: 'sctp'}]});
  // the scenario makes this load live, and so decides which causes are known
  const decoded = decodeRun(readFileSync(join(folder, 'a.trace')));
  if (!decoded.ok) throw new Error(decoded.message);
  const scenario = {...(decoded.run.scenario as object), path: {live: '127.0.0.1:9'}} as Json;
  writeFileSync(join(folder, 'live.trace'), encodeRun({...decoded.run, scenario}));
});

async function compute(name: string, document: object): Promise<void> {
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(document));
  const args = ['trace', '-s', `${name}.json`, '--out', `${name}.trace`];
  expect(await runHere(folder, args)).toMatchObject({status: 0});
}

interface Cause {
  readonly name: string;
  readonly ms: number;
}

interface Comparison {
  readonly sides: readonly {
    readonly file: string;
    readonly pane: number;
    readonly totalMs: number | null;
    readonly causes: readonly Cause[];
    readonly reason?: string;
  }[];
  readonly differenceMs: number | null;
  readonly causes: readonly Cause[];
  readonly objects: readonly {
    readonly url: string;
    readonly totalMs: readonly (number | null)[];
    readonly differenceMs: number | null;
    readonly causes: readonly Cause[];
  }[];
}

test('the causes of every difference add up to it, for the page and for each object', async () => {
  const comparisons = await compared('a.trace', 'lossy.trace');
  expect(comparisons.map(({sides}) => sides.map(({file, pane}) => `${file} ${pane}`))).toEqual([
    ['a.trace 1', 'lossy.trace 1'],
    ['a.trace 2', 'lossy.trace 2'],
  ]);
  for (const {sides, differenceMs, causes, objects} of comparisons) {
    for (const {totalMs, causes: own} of sides) expect(sumMs(own)).toBeCloseTo(totalMs ?? -1, 6);
    const [first, second] = sides;
    expect(differenceMs).toBeCloseTo((second?.totalMs ?? 0) - (first?.totalMs ?? 0), 6);
    expect(sumMs(causes)).toBeCloseTo(differenceMs ?? Number.NaN, 6);
    expect(objects.map(({url}) => url)).toEqual(['/', '/o/1', '/o/2', '/o/3']);
    for (const {totalMs, differenceMs: more, causes: own} of objects) {
      expect(more).toBeCloseTo((totalMs[1] ?? 0) - (totalMs[0] ?? 0), 6);
      expect(sumMs(own)).toBeCloseTo(more ?? Number.NaN, 6);
    }
  }
});

test('a load does not differ from itself, and the panes of one file can be compared', async () => {
  const [same] = await compared('a.trace', 'a.trace', '--panes', '1,1');
  expect(same).toMatchObject({differenceMs: 0, causes: []});
  expect(same?.objects.every(({differenceMs, causes}) => differenceMs === 0 && causes.length === 0)).toBe(true);
  const text = await succeed('diff', 'a.trace', 'a.trace', '--panes', '1,2');
  expect(text).toMatch(/\n +HTTP\/1\.1 over TCP +HTTP over SCTP +difference\n/);
  expect(text).toMatch(/\nHTTP\/1\.1 over TCP is \d+ ms ahead of HTTP over SCTP: /);
});

test('objects are aligned by their address, and an object that only one page has is named', async () => {
  const [first] = await compared('a.trace', 'larger.trace');
  const last = first?.objects.at(-1);
  expect(last).toMatchObject({url: '/o/4', totalMs: [null, expect.any(Number)], differenceMs: null, causes: []});
  expect(await succeed('diff', 'a.trace', 'larger.trace')).toContain('\nnot in a.trace: /o/4\n');
});

test('a load that is not complete has no total, but its complete objects are compared', async () => {
  const [first] = await compared('a.trace', 'short.trace');
  expect(first?.sides[1]).toMatchObject({
    totalMs: null,
    causes: [],
    reason: expect.stringContaining('not complete after'),
  });
  expect(first?.differenceMs).toBeNull();
  expect(first?.objects[0]?.differenceMs).toBe(0);
  const text = await succeed('diff', 'a.trace', 'short.trace');
  expect(text).toContain('\nshort.trace has no time: ');
  expect(text).toContain('\nnever complete in short.trace: ');
});

test('of a live load, only what its client saw has a cause', async () => {
  for (const {sides} of await compared('live.trace', 'a.trace')) {
    const [live, computed] = sides;
    expect(live?.totalMs).toBe(computed?.totalMs);
    const seen = ['set-up', 'request-wait', 'blocking', 'unknown'];
    expect(live?.causes.filter(({name}) => !seen.includes(name))).toEqual([]);
    const setUp = computed?.causes.find(({name}) => name === 'set-up');
    expect(live?.causes).toContainEqual(setUp);
    expect(live?.causes.find(({name}) => name === 'unknown')?.ms).toBeGreaterThan(100);
    expect(computed?.causes.map(({name}) => name)).not.toContain('unknown');
  }
});

test('in a live load, data was blocked by a loss only if the client recorded since when it was blocked', () => {
  const decoded = decodeRun(readFileSync(join(folder, 'blocked.trace')));
  const [data] = decoded.ok ? decoded.run.panes : [];
  if (data === undefined) throw new Error('no pane');
  const blockedNs = (trace: Trace, seenAt: SeenAt | null): number => {
    const paths = objectPaths(trace, {...PLAIN_OPTIONS, seenAt});
    return paths.reduce((sum, path) => sum + nsOf(causeTotals(path ?? []), 'blocking'), 0);
  };
  const computedNs = blockedNs(new Trace(data), null);
  expect(computedNs).toBeGreaterThan(0);
  expect(blockedNs(new Trace(data), 'client')).toBe(computedNs);
  const blocked = {...data.blocked, startNs: data.blocked.startNs.map(() => Number.NaN)};
  expect(blockedNs(new Trace({...data, blocked}), 'client')).toBe(0);
});

test.each([
  [['a.trace'], 'diff needs two files, not 1'],
  [['a.trace', 'a.trace', 'a.trace'], 'diff needs two files, not 3'],
  [['a.trace', 'none.trace'], 'trace file none.trace: no file that can be read'],
  [['a.trace', 'a.json'], 'a.json'],
  [['a.trace', 'alone.trace'], 'the files have 2 and 1 panes: choose a pane of each with --panes'],
  [['a.trace', 'alone.trace', '--panes', '1,2'], '--panes has 2, but alone.trace has 1 pane'],
  [['a.trace', 'alone.trace', '--panes', '1'], '--panes is 1: must be a pane of each file, as in 1,2'],
  [['a.trace', 'alone.trace', '--panes', '1,0'], '--panes has 0: each entry must be the number of a pane'],
])('%s is refused in one line', async (args, message) => {
  const {status, stdout, stderr} = await runHere(folder, ['diff', ...args]);
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toContain(message);
  expect(stderr).toMatch(/^interleave: .+\n$/);
});

async function compared(...args: readonly string[]): Promise<readonly Comparison[]> {
  return JSON.parse(await succeed('diff', ...args, '--json')).comparisons;
}

function sumMs(causes: readonly Cause[]): number {
  return causes.reduce((sum, {ms}) => sum + ms, 0);
}

async function succeed(...args: readonly string[]): Promise<string> {
  const {status, stdout, stderr} = await runHere(folder, args);
  expect(stderr).toBe('');
  expect(status).toBe(0);
  return stdout;
}
