import {once} from 'node:events';
import {type AddressInfo, createServer} from 'node:net';
import {setTimeout as wait} from 'node:timers/promises';
import {afterEach, describe, expect, test, vi} from 'vitest';
import {measure} from '../../../app/run/metrics/metrics.ts';
import {parseScenario, type Scenario} from '../../../app/run/scenario/scenario.ts';
import {decodeRun, encodeRun} from '../../../app/run/trace/runFile.ts';
import {Trace} from '../../../app/run/trace/trace.ts';
import {load} from '../../engine/load.ts';
import {openPage} from '../../pages/openPage.ts';
import {type LiveServer, startServer} from '../server/liveServer.ts';
import {LiveLoad} from './liveLoad.ts';

const page = await openPage({kind: 'named', name: 'gallery'}, 'fixtures/pages');
const never = new AbortController().signal;
let server: LiveServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function serve(token?: string): Promise<LiveServer> {
  server = await startServer({page, host: '127.0.0.1', port: 0, token});
  return server;
}

function scenarioOf(live: string, panes: readonly object[], more: object = {}): Scenario {
  const parsed = parseScenario({path: {live}, panes, ...more});
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.scenario;
}

const tcp = {pipeline: 'tcp'};
const sctp = {pipeline: 'sctp', streams: 4};

describe('a live load', () => {
  test('loads every object completely, over TCP and over SCTP, and can be saved as a trace file', async () => {
    const one = await serve();
    const {port} = one;
    const several = {pipeline: 'tcp', connections: 4, pipelining: false};
    const scenario = scenarioOf(`127.0.0.1:${port}`, [tcp, sctp, several]);
    const run = await new LiveLoad(page, scenario, {signal: never}).run();
    for (const data of run.panes) {
      expect(data).toMatchObject({outcome: 'complete', reason: null});
      const {objects, pageTimeMs} = measure(data, new Trace(data));
      expect(objects.map(({bytes, failure}) => [bytes, failure])).toEqual(
        page.objects.map(({body}) => [body?.length, null]),
      );
      expect(pageTimeMs).toBeGreaterThan(0);
    }
    // Wait until the server has no connections.
    for (let left = 1; left > 0; left = one.peers().tcp + one.peers().sctp) await wait(1);
    const decoded = decodeRun(encodeRun(run));
    expect(decoded).toMatchObject({ok: true});
    expect(run.scenario).toMatchObject({path: {live: `127.0.0.1:${port}`}});
  });

  test('knows the object of every SCTP chunk, and has no packets of the kernel’s TCP', async () => {
    const {port} = await serve();
    const {panes} = await new LiveLoad(page, scenarioOf(`127.0.0.1:${port}`, [tcp, sctp]), {signal: never}).run();
    const [onTcp, onSctp] = panes;
    expect([onTcp?.packets.sentNs.length, onTcp?.chunks.first.length]).toEqual([0, 0]);
    const bytesOf = page.objects.map(() => 0);
    const {object = new Uint32Array(), bytes = new Float64Array()} = onSctp?.chunkPieces ?? {};
    const {packet, retransmission} = onSctp?.chunks ?? {};
    for (const [row, chunk] of (onSctp?.chunkPieces.row ?? new Uint32Array()).entries()) {
      const isDown = onSctp?.packets.endpoint[packet?.[chunk] ?? 0] === 1;
      if (isDown && retransmission?.[chunk] === 0)
        bytesOf[object[row] ?? 0] = (bytesOf[object[row] ?? 0] ?? 0) + (bytes[row] ?? 0);
    }
    expect(bytesOf).toEqual(page.objects.map(({body}) => page.headerBytes + (body?.length ?? 0)));
  });

  test('sends the token that the server requires, or reports that it is wrong or missing', async () => {
    const {port} = await serve('T');
    const scenario = scenarioOf(`127.0.0.1:${port}`, [tcp, sctp]);
    for (const [token, why] of [
      ['T', null],
      ['t', 'rejects this token'],
      [undefined, 'requires a token'],
    ] as const) {
      const {panes} = await new LiveLoad(page, scenario, {
        signal: never,
        tokenFor: live => (live.endsWith(`:${port}`) ? token : undefined),
      }).run();
      for (const {outcome, reason} of panes) {
        expect(outcome).toBe(why === null ? 'complete' : 'partial');
        expect(reason).toBe(why && `1 of ${page.objects.length} objects failed: status 403, the server ${why}`);
      }
    }
  });

  test.runIf(process.platform === 'linux')('has the samples of the client’s kernel', async () => {
    const {port} = await serve();
    const two = {pipeline: 'tcp', connections: 2, pipelining: false};
    const {panes} = await new LiveLoad(page, scenarioOf(`127.0.0.1:${port}`, [two]), {signal: never}).run();
    const [data] = panes;
    if (data === undefined) throw new Error('no pane');
    const trace = new Trace(data);
    const {srttNs, cwndBytes, state, atNs} = data.samples;
    // The first sample is taken as soon as the connection is established.
    expect(atNs[state.indexOf(1)]).toBeLessThanOrEqual(data.setupNs ?? 0);
    for (const connection of [0, 1]) {
      const rows = trace.samplesOf('client', connection);
      expect(rows.length).toBeGreaterThan(1);
      const last = rows.at(-1) ?? 0;
      expect(srttNs[last]).toBeGreaterThan(0);
      expect(srttNs[last]).toBeLessThan(data.endNs);
      expect(cwndBytes[last]).toBeGreaterThan(10 * 500);
      expect(state[last]).toBe(1);
      expect(atNs[last]).toBeLessThanOrEqual(data.endNs);
      // The kernel of the client knows nothing about the server's window.
      expect(trace.samplesOf('server', connection)).toEqual([]);
    }
  });

  test('ends with the reason if nobody listens', async () => {
    const one = await serve();
    const live = `127.0.0.1:${one.port}`;
    await one.close();
    server = undefined;
    const {panes} = await new LiveLoad(page, scenarioOf(live, [tcp, sctp]), {signal: never}).run();
    for (const pane of panes) expect(pane).toMatchObject({outcome: 'aborted', reason: `nobody listens at ${live}`});
  });

  test('keeps the data that arrived before the server ended', async () => {
    const one = await serve();
    const scenario = scenarioOf(`127.0.0.1:${one.port}`, [sctp], {timeLimitMs: 20_000});
    const loading = new LiveLoad(page, scenario, {signal: never}).run();
    while (one.peers().sctp === 0) await new Promise(resolve => setImmediate(resolve));
    await one.close();
    server = undefined;
    const [pane] = (await loading).panes;
    // The reason is the server's ABORT. If a packet of the client crossed the ABORT, it is the system's report that
    // nobody listens.
    expect(pane?.outcome).toBe('aborted');
    expect(['peer-abort', `nobody listens at 127.0.0.1:${one.port}`]).toContain(pane?.reason);
    expect(pane?.packets.sentNs.length).toBeGreaterThan(3);
  });

  test('rejects with the reason of the abort', async () => {
    const abort = new AbortController();
    const {port} = await serve();
    const loading = new LiveLoad(page, scenarioOf(`127.0.0.1:${port}`, [tcp]), {signal: abort.signal}).run();
    abort.abort(new Error('enough'));
    await expect(loading).rejects.toThrow('enough');
  });

  test('keeps the data that arrived before an abort if atAbort is keep, and starts no further pane', async () => {
    const one = await serve();
    // No connection must arrive at the other pane's server.
    const other = createServer();
    const asked = vi.fn();
    other.on('connection', asked).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const elsewhere = {live: `127.0.0.1:${(other.address() as AddressInfo).port}`};
    const scenario = scenarioOf(`127.0.0.1:${one.port}`, [sctp, {...tcp, path: elsewhere}, sctp]);
    const abort = new AbortController();
    const loading = new LiveLoad(page, scenario, {signal: abort.signal, atAbort: 'keep'}).run();
    while (one.peers().sctp === 0) await new Promise(resolve => setImmediate(resolve));
    abort.abort();
    const run = await loading;
    for (const pane of run.panes) expect(pane).toMatchObject({outcome: 'aborted', reason: 'interrupted'});
    expect(run.panes.map(({packets}) => packets.sentNs.length > 0)).toEqual([true, false, false]);
    const closed = once(other, 'close');
    other.close();
    await closed;
    expect(asked).not.toHaveBeenCalled();
    expect(decodeRun(encodeRun(run))).toMatchObject({ok: true});
    for (let left = 1; left > 0; left = one.peers().tcp + one.peers().sctp) await wait(1);
  });

  test('cannot be simulated', () => {
    expect(() => load(page, scenarioOf('127.0.0.1:9', [tcp]), 1)).toThrow('a live load cannot be simulated');
  });
});
