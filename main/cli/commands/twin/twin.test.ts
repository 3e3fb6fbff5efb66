import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, expect, test} from 'vitest';
import {panesOfFiles} from '../../../../app/run/trace/joinRuns.ts';
import {root} from '../../../setup/command.mjs';
import {runHere} from '../../testing/runHere.ts';

const folder = mkdtempSync(join(tmpdir(), 'interleave-twin-'));
afterAll(() => rmSync(folder, {recursive: true}));

const KNOWN = join(root, 'fixtures/captures/path');
/** Chromium and nginx at 2 Mbit/s and 100 ms, without losses. */
const CAPTURE = join(KNOWN, 'chromium-nginx-h2.pcap');
const KEYS = join(KNOWN, 'keys.log');

async function refused(...args: readonly string[]): Promise<string> {
  const {status, stderr} = await runHere(folder, ['twin', ...args]);
  expect([status, stderr.split('\n').length]).toEqual([2, 2]);
  return stderr;
}

test('the twin of a real load has about the known rate and RTT of the path and the page time of the load', async () => {
  const {status, stdout} = await runHere(folder, ['twin', CAPTURE, '--keys', KEYS, '--json']);
  expect(status).toBe(0);
  const {twin} = JSON.parse(stdout);
  expect(twin).toMatchObject({
    pipeline: 'h2',
    named: null,
    isClose: true,
    incomplete: null,
    file: 'chromium-nginx-h2.pcap',
  });
  expect(twin.fitted).toMatchObject({browser: 'chromium', server: 'nginx', policer: null, placed: 0});
  expect(twin.fitted.thinkMs).toBeLessThan(8);
  expect(twin.fitted.rateBps.down / 2e6).toBeCloseTo(1, 1.5);
  expect(twin.fitted.rttMs / 100).toBeCloseTo(1, 1);
  expect(Math.abs(twin.pageTimeMs.twin / twin.pageTimeMs.capture - 1)).toBeLessThan(0.1);
  const total = twin.causes.reduce((sum: number, {ms}: {readonly ms: number}) => sum + ms, 0);
  expect(total).toBeGreaterThan(twin.pageTimeMs.twin);
});

test('the scenario of a twin loads like any other, and its finish time is the sum of the twin causes', async () => {
  const out = join(folder, 'twin.json');
  const {stdout} = await runHere(folder, ['twin', CAPTURE, '--keys', KEYS, '--out', out, '--json']);
  const {twin} = JSON.parse(stdout);
  expect(JSON.parse(readFileSync(out, 'utf8'))).toMatchObject(twin.scenario);
  const ran = await runHere(folder, ['run', '--scenario', out, '--json']);
  const [pane] = JSON.parse(ran.stdout).runs[0].panes;
  const total = twin.causes.reduce((sum: number, {ms}: {readonly ms: number}) => sum + ms, 0);
  expect(pane.finishMs).toBeCloseTo(total, 3);
});

test('a trace file has the captured load and its twin side by side', async () => {
  const trace = join(folder, 'both.trace');
  const {stdout} = await runHere(folder, ['twin', CAPTURE, '--keys', KEYS, '--trace', trace]);
  expect(stdout).toMatch(/rate down +2 Mbit\/s/);
  expect(stdout).toMatch(/page time from the first packet: capture 929 ms, twin \d+ ms \([−+]\d\.\d %\)/);
  const read = panesOfFiles([{name: 'both.trace', bytes: readFileSync(trace)}]);
  expect(read.ok && read.panes.map(({file, scenario: {path}}) => [file, path.captured ?? null])).toEqual([
    ['chromium-nginx-h2.pcap', 'pcap'],
    ['twin of chromium-nginx-h2.pcap', null],
  ]);
});

test('if the page times differ too much, the output says that the twin does not explain the load', async () => {
  // a load on loopback, where programs need longer than the path
  const capture = join(root, 'fixtures/captures/chromium-h3.pcap');
  const {stdout} = await runHere(folder, ['twin', capture, '--keys', join(root, 'fixtures/captures/keys.log')]);
  expect(stdout).toMatch(/The page times differ too much: this twin does not explain the captured load\./);
  expect(stdout).not.toMatch(/Look first|stands out/);
});

test('a load that the capture has only in part has no page time', async () => {
  const part = join(folder, 'part.pcap');
  writeFileSync(part, readFileSync(CAPTURE).subarray(0, 60_000));
  const printed = await runHere(folder, ['twin', part, '--keys', KEYS]);
  expect(printed.stdout).toMatch(
    /The captured load is incomplete, so it has no page time: \d+ responses are not complete/,
  );
  const {twin} = JSON.parse((await runHere(folder, ['twin', part, '--keys', KEYS, '--json'])).stdout);
  expect(twin).toMatchObject({pageTimeMs: {capture: null}, isClose: null});
  expect(twin.incomplete).toMatch(/not complete/);
});

test('captures without packets of a client, and wrong options, are refused with the reason', async () => {
  expect(await refused()).toMatch(/twin needs one capture, not 0/);
  expect(await refused(CAPTURE, CAPTURE)).toMatch(/twin needs one capture, not 2/);
  expect(await refused(CAPTURE)).toMatch(/--keys/);
  expect(await refused(CAPTURE, '--keys', KEYS, '--pane', '2')).toMatch(/--pane is 2, but the capture has 1 page load/);
  expect(await refused(CAPTURE, '--keys', KEYS, '--pane', '12')).toMatch(
    /--pane is 12, but the capture has 1 page load/,
  );
  for (const pane of ['1,2', 'x', '0'])
    expect(await refused(CAPTURE, '--pane', pane)).toContain(`--pane is ${pane}: must be a single page load`);
  expect(await refused(CAPTURE, '--keys', KEYS, '--trace', '-')).toMatch(/--trace is -: must be a file/);
  const same = await refused(CAPTURE, '--keys', KEYS, '--out', 'x', '--trace', 'x');
  expect(same).toMatch(/--out and --trace are both x: must be different files/);
  writeFileSync(join(folder, 'small.json'), JSON.stringify({page: 'gallery-3k', panes: [{pipeline: 'tcp'}]}));
  await runHere(folder, ['har', '--scenario', 'small.json', '--content', '--out', 'own.har']);
  expect(await refused(join(folder, 'own.har'))).toMatch(/own\.har: a twin needs packets/);
  await runHere(folder, ['pcap', '--scenario', 'small.json', '--out', 'own.pcapng']);
  expect(await refused(join(folder, 'own.pcapng'))).toMatch(/own\.pcapng: a twin needs packets .* at the client/);
});
