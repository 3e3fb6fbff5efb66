import {spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, readdirSync, readFileSync, rmSync} from 'node:fs';
import {type AddressInfo, createServer} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, afterEach, beforeEach, expect, test, vi} from 'vitest';
import {decodeRun} from '../../../../app/run/trace/runFile.ts';
import {type LiveServer, startServer} from '../../../live/server/liveServer.ts';
import {openPage} from '../../../pages/openPage.ts';
import type {CommandContext} from '../../command.ts';
import {main} from '../../main.ts';

const root = '.';
const page = await openPage({kind: 'named', name: 'gallery'}, 'fixtures/pages');
const folder = mkdtempSync(join(tmpdir(), 'interleave-live-'));
let server: LiveServer;

beforeEach(async () => {
  server = await startServer({page, host: '127.0.0.1', port: 0, token: undefined});
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
});
afterAll(() => rmSync(folder, {recursive: true}));

/** Runs a command line. Returns what it prints on standard output and standard error, and its exit code. */
async function interleave(...args: string[]) {
  const printed: (string | Uint8Array)[] = [];
  const ended = await interleaveTo(async bytes => void printed.push(bytes), ...args);
  return {...ended, printed: printed.join('')};
}

async function interleaveTo(writeOut: CommandContext['write'], ...args: string[]) {
  const error = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  try {
    const code = await main(args, {root, buildRenderer: async () => undefined, writeOut});
    return {code, error: error.mock.calls.join('')};
  } finally {
    error.mockRestore();
  }
}

const live = (): string => `path.live="127.0.0.1:${server.port}"`;

test('run loads live, and leaves out what the client cannot know', async () => {
  const {code, printed} = await interleave('run', '--set', live(), '--json');
  expect(code).toBe(0);
  const {scenario, runs, model} = JSON.parse(printed);
  expect(scenario.path).toEqual({live: `127.0.0.1:${server.port}`});
  const [tcp, sctp] = runs[0].panes;
  expect(tcp).toMatchObject({outcome: 'complete', packets: {down: null, up: null}, holBlockedMs: null});
  expect(sctp).toMatchObject({outcome: 'complete', lost: {down: null, up: null}});
  expect(sctp.packets.down).toBeGreaterThan(50);
  expect(tcp.pageTimeMs).toBeGreaterThan(0);
  expect(model[0]).toEqual({ok: false, reason: 'the settings of a live path are not known'});
  const {printed: table} = await interleave('run', '--set', live());
  expect(table).toContain(
    'the client cannot count lost packets, nor packets of the kernel’s TCP, so they are left out',
  );
  expect(table).not.toContain('NaN');
  expect(table).toMatch(/^live; times in ms\n/);
});

test('trace saves a live load', async () => {
  const out = join(folder, 'live.trace');
  expect(await interleave('trace', '--set', live(), '--out', out)).toMatchObject({code: 0});
  const decoded = decodeRun(readFileSync(out));
  expect(decoded.ok && decoded.run.panes.map(({outcome}) => outcome)).toEqual(['complete', 'complete']);
  const {code, printed} = await interleave('run', '--trace', out, '--json');
  expect(code).toBe(0);
  expect(JSON.parse(printed).runs[0].panes).toMatchObject([
    {outcome: 'complete', packets: {down: null}, pageTimeMs: expect.any(Number)},
    {outcome: 'complete', packets: {down: expect.any(Number)}, lost: {down: null}},
  ]);
});

const TOKEN = '0123456789abcdef';

test('the token is read from the command line or the environment, and is sent only to its server', async () => {
  await server.close();
  server = await startServer({page, host: '127.0.0.1', port: 0, token: TOKEN});
  const outcomes = async (...args: string[]): Promise<unknown[]> => {
    const {code, printed} = await interleave('run', '--set', live(), '--json', ...args);
    return [code, ...JSON.parse(printed).runs[0].panes.map(({outcome}: {outcome: string}) => outcome)];
  };
  expect(await outcomes()).toEqual([1, 'partial', 'partial']);
  const bound = `127.0.0.1:${server.port}=${TOKEN}`;
  expect(await outcomes('--token', bound)).toEqual([0, 'complete', 'complete']);
  expect(await outcomes('--token', `127.0.0.1:1=${TOKEN}`)).toEqual([1, 'partial', 'partial']);
  // a token that is not bound to a server is not sent, because the author of the scenario chose the server
  vi.stubEnv('INTERLEAVE_TOKEN', TOKEN);
  expect(await outcomes()).toEqual([1, 'partial', 'partial']);
  vi.stubEnv('INTERLEAVE_TOKEN', bound);
  expect(await outcomes()).toEqual([0, 'complete', 'complete']);
  const out = join(folder, 'token.trace');
  expect(await interleave('trace', '--set', live(), '--out', out)).toMatchObject({code: 0});
  expect(await interleave('trace', '--set', live(), '--out', out, '--token', `a:1=${TOKEN} x`)).toEqual({
    code: 2,
    printed: '',
    error: expect.stringContaining('--token has characters'),
  });
  const {error} = await interleave('trace', '--set', live(), '--out', out, '--token', TOKEN);
  expect(error).toContain('--token names no server: must be HOST:PORT=TOKEN, like');
  for (const args of [['run'], ['trace', '--out', out]]) {
    const {code, error} = await interleave(...args, '--token', `a:1=${TOKEN}`);
    expect([code, error]).toEqual([
      2,
      expect.stringContaining('--token is for live loads: the scenario has no path.live'),
    ]);
  }
});

test('another page on the server gives exit code 1, and every missing object is printed with the reason', async () => {
  await server.close();
  const other = await openPage({kind: 'named', name: 'text-10k'}, 'fixtures/pages');
  server = await startServer({page: other, host: '127.0.0.1', port: 0, token: undefined});
  const {code, error, printed} = await interleave('run', '--page', 'gallery', '--set', live(), '--json');
  expect(code).toBe(1);
  const [tcp] = JSON.parse(printed).runs[0].panes;
  expect([tcp.outcome, tcp.pageTimeMs]).toEqual(['partial', null]);
  expect(error).toContain('serves text-10k, not gallery');
  expect(error).toContain('pane 1 is not complete: partial, 12 of 12 objects failed: differs from the expected object');
  expect(error).toMatch(/ {2}\/: differs from the expected object, beginning at byte \d+ \(expected size: \d+ B\)\n/);
  // eleven pictures are missing in each of two panes
  expect(error.match(/: not named by any received object, but contained in the expected page\n/g)).toHaveLength(2 * 11);
});

test('--repeat loads several times, and gives the same statistics as several seeds', async () => {
  const {code, printed} = await interleave('run', '--set', live(), '--repeat', '5', '--json');
  expect(code).toBe(0);
  const {runs, summary} = JSON.parse(printed);
  expect(runs.map(({seed}: {seed: number}) => seed)).toEqual([1, 2, 3, 4, 5]);
  const times: number[][] = [0, 1].map(pane =>
    runs.map(({panes}: {panes: {pageTimeMs: number}[]}) => panes[pane]?.pageTimeMs),
  );
  const mean = (values: readonly number[] = []): number => values.reduce((sum, value) => sum + value, 0) / 5;
  for (const [pane, {complete, pageTimeMs, lost}] of summary.entries()) {
    expect([complete, pageTimeMs.n]).toEqual([5, 5]);
    expect(pageTimeMs.mean).toBeCloseTo(mean(times[pane]), 9);
    expect(pageTimeMs.ci95).toBeGreaterThan(0);
    // values that a client cannot know have no mean
    expect(lost.down).toEqual({n: 0, mean: null, median: null, ci95: null});
  }
  const {runs: pairs, differenceMs, rankTest} = summary[1].againstFirst;
  expect([pairs, differenceMs.n]).toEqual([5, 5]);
  const differences = (times[1] ?? []).map((time, i) => time - (times[0]?.[i] ?? 0));
  expect(differenceMs.mean).toBeCloseTo(mean(differences), 9);
  expect(rankTest.p).toBeGreaterThan(0);
  const {printed: table} = await interleave('run', '--set', live(), '--repeat', '2');
  expect(table).toMatch(/^2 live loads; times in ms: mean ± half of the 95 % confidence interval/);
  expect(table).toContain('one pane after the other, beginning with another pane in each repetition');
  expect(table).not.toContain('NaN');
});

test('--repeat begins with another pane in each repetition, and one incomplete load gives exit code 1', async () => {
  const order: string[] = [];
  const listening = ['a', 'b'].map(name =>
    createServer(socket => {
      order.push(name);
      socket.destroy();
    }).listen(0, '127.0.0.1'),
  );
  await Promise.all(listening.map(each => once(each, 'listening')));
  const panes = listening.map(each => {
    return {pipeline: 'tcp', path: {live: `127.0.0.1:${(each.address() as AddressInfo).port}`}};
  });
  const choice = ['--set', live(), '--set', `panes=${JSON.stringify(panes)}`];
  const {code, error} = await interleave('run', ...choice, '--repeat', '3');
  for (const each of listening) each.close();
  // The last six connections are loads. On earlier connections the client asks each pane's server which page it has.
  expect(order.slice(-6).join('')).toBe('abbaab');
  expect(code).toBe(1);
  expect(error).toContain('load 3, pane 2 is not complete: aborted');
});

/** Saves the trace of a load over SCTP and TCP. Calls `end()` as soon as the server has an SCTP association. */
async function endedTrace(end: () => unknown) {
  const out = join(folder, 'ended.trace');
  const pane = 'panes=[{"pipeline":"sctp"},{"pipeline":"tcp"}]';
  const tracing = interleave('trace', '--set', live(), '--set', pane, '--out', out);
  while (server.peers().sctp === 0) await new Promise(resolve => setImmediate(resolve));
  await end();
  const {code, error} = await tracing;
  expect(readdirSync(folder).filter(name => name.endsWith('.part'))).toEqual([]);
  const decoded = decodeRun(readFileSync(out));
  if (!decoded.ok) throw new Error(decoded.message);
  return {code, error, panes: decoded.run.panes};
}

test('if the server ends, the trace has what had arrived by then, and the exit code is 1', async () => {
  const {code, error, panes} = await endedTrace(() => server.close());
  expect(code).toBe(1);
  expect(panes.map(({outcome}) => outcome)).toEqual(['aborted', 'aborted']);
  expect(panes[0]?.packets.sentNs.length).toBeGreaterThanOrEqual(3);
  for (const [number, {reason}] of panes.entries())
    expect(error).toContain(`pane ${number + 1} is not complete: aborted, ${reason}\n`);
  server = await startServer({page, host: '127.0.0.1', port: 0, token: undefined});
});

test('an interrupted trace has what had arrived by then', async () => {
  const {code, error, panes} = await endedTrace(() => process.emit('SIGINT', 'SIGINT'));
  expect(code).toBe(130);
  expect(error).toContain('pane 1 is not complete: aborted, interrupted\n');
  expect(panes[0]?.packets.sentNs.length).toBeGreaterThanOrEqual(3);
});

test('an interrupted trace waits only for a while for a reader of the output', async () => {
  const pipe = join(folder, 'unread');
  spawnSync('mkfifo', [pipe]);
  const never = (_: unknown, signal?: AbortSignal) =>
    new Promise<void>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
  for (const out of [pipe, '-']) {
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
      const abort = new AbortController();
      setTimeout(() => abort.abort(new DOMException('too late', 'TimeoutError')), 50);
      return abort.signal;
    });
    const panes = 'panes=[{"pipeline":"sctp"},{"pipeline":"tcp"}]';
    const tracing = interleaveTo(never, 'trace', '--set', live(), '--set', panes, '--out', out);
    while (server.peers().sctp === 0) await new Promise(resolve => setImmediate(resolve));
    process.emit('SIGINT', 'SIGINT');
    expect(await tracing).toMatchObject({code: 130, error: expect.stringContaining('cancelled')});
    expect(timeout).toHaveBeenCalledWith(5000);
    timeout.mockRestore();
    while (server.peers().sctp > 0) await new Promise(resolve => setImmediate(resolve));
  }
});

test('commands and options that do not support live loads, and wrong values of --repeat, are refused', async () => {
  for (const [args, why] of [
    [['typical'], 'only interleave run, trace and experiment can load live'],
    [['pcap', '--out', '-'], 'only interleave run, trace and experiment can load live'],
    [['run', '--seeds', '1-2'], '--seeds: a live load has no seeds; use --repeat 30 to load 30 times'],
    [['run', '--repeat', '0'], '--repeat is 0: must be a whole number from 1 to 10000'],
    [['run', '--repeat', '2.5'], '--repeat is 2.5: must be'],
    [['run', '--visual'], '--visual: live loads have no visual metrics yet'],
  ] as const) {
    const {code, error} = await interleave(args[0], '--set', live(), ...args.slice(1));
    expect(error).toContain(why);
    expect(code).toBe(2);
  }
});

test('--repeat is for live loads', async () => {
  const {code, error} = await interleave('run', '--repeat', '3');
  expect([code, error]).toEqual([2, expect.stringContaining('--repeat is for live loads: use --seeds 1-30')]);
});

test('a server that cannot be found gives exit code 1', async () => {
  const {code, error} = await interleave('run', '--set', 'path.live="nowhere.invalid:80"');
  expect([code, error]).toEqual([1, expect.stringContaining('nowhere.invalid:80 cannot be found')]);
});
