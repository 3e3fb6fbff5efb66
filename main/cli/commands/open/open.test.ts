import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {gzipSync} from 'node:zlib';
import {Ajv2020} from 'ajv/dist/2020.js';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {decodeRun} from '../../../../app/run/trace/runFile.ts';
import {openCaptures} from '../../../captures/openCaptures.ts';
import {root} from '../../../setup/command.mjs';
import {runHere} from '../../testing/runHere.ts';
import {captureTable} from './captureResult.ts';

const folder = mkdtempSync(join(tmpdir(), 'interleave-open-'));
afterAll(() => rmSync(folder, {recursive: true}));

const captures = join(root, 'fixtures/captures');
const KEYS = join(captures, 'keys.log');
const PACKETS = join(captures, 'ngtcp2.pcap');
const SMALL = ['-s', 'small.json'];

beforeAll(async () => {
  const scenario = {page: 'gallery-3k', path: {rateBps: 1_000_000, rttMs: 100}, panes: [{pipeline: 'tcp'}], seed: 7};
  writeFileSync(join(folder, 'small.json'), JSON.stringify(scenario));
  expect(await runHere(folder, ['har', ...SMALL, '--content', '--out', 'own.har'])).toMatchObject({status: 0});
  expect(await runHere(folder, ['trace', ...SMALL, '--out', 'own.trace'])).toMatchObject({status: 0});
  expect(await runHere(folder, ['open', 'own.har', '--out', 'saved.trace'])).toMatchObject({status: 0});
});

interface Documents {
  readonly captures: readonly {
    readonly file: string;
    readonly kind: string;
    readonly url: string;
    readonly objects: number;
    readonly notKnown: readonly string[];
    readonly pane: {
      readonly outcome: string;
      readonly finishMs: number;
      readonly holBlockedMs: number | null;
      readonly packets: {readonly down: number | null; readonly up: number | null};
      readonly objects: readonly {readonly url: string; readonly completeMs: number}[];
    };
  }[];
}

async function documents(...args: readonly string[]): Promise<Documents> {
  const {status, stdout, stderr} = await runHere(folder, ['open', ...args, '--json']);
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

async function refused(...args: readonly string[]): Promise<string> {
  const {status, stderr} = await runHere(folder, args);
  expect([status, stderr.split('\n').length]).toEqual([2, 2]);
  return stderr;
}

test('a HAR that this program wrote has the times of the load, but no packets', async () => {
  const [{pane, ...own} = {pane: undefined}] = (await documents('own.har')).captures;
  const {stdout} = await runHere(folder, ['run', ...SMALL, '--json']);
  const [computed] = JSON.parse(stdout).runs[0].panes;
  expect(own).toMatchObject({file: 'own.har', kind: 'har', url: 'http://page.test/'});
  expect(pane?.finishMs).toBe(computed.finishMs);
  expect(pane?.objects.map(({completeMs}) => completeMs)).toEqual(
    computed.objects.map(({completeMs}: {completeMs: number}) => completeMs),
  );
  expect(pane).toMatchObject({outcome: 'complete', packets: {down: null, up: null}, holBlockedMs: null});
});

test('what --json prints agrees with its schema', async () => {
  const schema = JSON.parse(readFileSync(join(root, 'schemas/capture.schema.json'), 'utf8'));
  const isValid = new Ajv2020({strict: true, allErrors: false}).compile(schema);
  expect(isValid(await documents('own.har', PACKETS, '--keys', KEYS)), JSON.stringify(isValid.errors)).toBe(true);
});

test('packets are read with the keys of a key log, whatever the names of the files are', async () => {
  writeFileSync(join(folder, 'renamed.txt'), gzipSync(readFileSync(PACKETS)));
  const [capture] = (await documents('renamed.txt', '--keys', KEYS)).captures;
  expect(capture).toMatchObject({kind: 'pcap', objects: 3, url: 'https://localhost/index.html'});
  const {stdout} = await runHere(folder, ['open', PACKETS, '--keys', KEYS]);
  expect(stdout).toMatch(/HTTP\/3, captured \(pcap\)\n/);
  expect(stdout).toMatch(/\nrecorded by +pcap, at the client\n/);
  expect(stdout).toMatch(/\npackets down\/up +17\/13\n/);
  expect(stdout).toMatch(/\nlost down\/up +\?\/0\n/);
  expect(stdout).toContain('The client does not see when the server sent its packets, nor which of them were lost.');
});

test('the trace of a captured load is shown and explained, but not loaded again', async () => {
  const run = await runHere(folder, ['run', '--trace', 'saved.trace']);
  expect(run.stdout).toMatch(/^captured \(har\); times in ms\n/);
  const why = await runHere(folder, ['why', '--trace', 'saved.trace', '--json']);
  const {panes} = JSON.parse(why.stdout);
  expect(panes[0].totalMs).toBe((await documents('own.har')).captures[0]?.pane.finishMs);
  expect(await refused('trace', '--scenario', 'saved.trace', '--out', 'x.trace')).toContain(
    'path.captured is har: the run was recorded, so it can be shown and compared, but neither loaded again nor emulated',
  );
});

test('each capture becomes a pane, and --panes chooses panes and their order', async () => {
  const args = ['own.har', PACKETS, '--keys', KEYS];
  expect((await documents(...args)).captures.map(({kind}) => kind)).toEqual(['har', 'pcap']);
  expect(await runHere(folder, ['open', ...args, '--panes', '2,1', '--out', 'two.trace'])).toMatchObject({status: 0});
  const decoded = decodeRun(readFileSync(join(folder, 'two.trace')));
  expect(decoded.ok && decoded.run.sources?.map(({file}) => file)).toEqual(['ngtcp2.pcap', 'own.har']);
  expect(await refused('open', ...args, '--panes', '3')).toContain('--panes has 3, but the captures have 2 page loads');
  const seven = Array.from({length: 7}, () => 'own.har');
  expect(await refused('open', ...seven, '--out', 'x.trace')).toContain('the captures have 7 page loads (at most 6)');
});

test('a note that a load has twice is printed once, and names the load if others do not have it', async () => {
  const file = {name: 'own.har', bytes: readFileSync(join(folder, 'own.har'))};
  const [opened] = await openCaptures([file], new AbortController().signal);
  const withNotes = (...notes: string[]) => ({...opened, load: {...opened.load, notes}});
  const lines = captureTable([withNotes('one', 'one', 'all'), withNotes('all')]).split('\n');
  expect(lines.filter(line => /\bone$|\ball$/.test(line))).toEqual(['load 1: one', 'all']);
});

test('a capture is compared with a computed load and with another capture, object by object', async () => {
  for (const [first, second] of [
    ['own.har', 'own.trace'],
    ['saved.trace', 'own.trace'],
    ['saved.trace', 'own.har'],
  ] as const) {
    const {stdout} = await runHere(folder, ['diff', first, second, '--json']);
    const [{objects, differenceMs}] = JSON.parse(stdout).comparisons;
    expect([differenceMs, objects.length]).toEqual([0, 12]);
    expect(objects.every(({totalMs}: {totalMs: readonly number[]}) => totalMs[0] === totalMs[1])).toBe(true);
  }
});

test('input that is not a readable capture is refused in one line', async () => {
  writeFileSync(join(folder, 'cut.pcapng'), readFileSync(PACKETS).subarray(0, 10));
  writeFileSync(join(folder, 'no.har'), '{"log": {}}');
  expect(await refused('open')).toContain('open needs a capture');
  expect(await refused('open', 'gone.pcap')).toContain('capture gone.pcap: no file that can be read');
  expect(await refused('open', 'small.json')).toContain('small.json is not a capture: it must be pcapng, pcap, qlog');
  expect(await refused('open', 'no.har')).toContain('no.har: not a HAR file: it has no log.entries');
  expect(await refused('open', 'cut.pcapng')).toContain('cut.pcapng: ');
  expect(await refused('open', KEYS)).toContain('a key log alone shows no load');
  expect(await refused('open', PACKETS, '--keys', 'small.json')).toContain('--keys small.json: has no secrets');
  expect(await refused('open', PACKETS)).toMatch(/ngtcp2\.pcap: /);
});
