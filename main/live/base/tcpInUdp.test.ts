import {createSocket, type RemoteInfo, type Socket} from 'node:dgram';
import {once} from 'node:events';
import {afterEach, describe, expect, test} from 'vitest';
import {measure} from '../../../app/run/metrics/metrics.ts';
import {liveMetrics} from '../../../app/run/metrics/paneMetrics.ts';
import {parseScenario, type Scenario} from '../../../app/run/scenario/scenario.ts';
import {decodeRun, encodeRun} from '../../../app/run/trace/runFile.ts';
import {Trace} from '../../../app/run/trace/trace.ts';
import type {TraceData} from '../../../app/run/trace/traceData.ts';
import {openPage} from '../../pages/openPage.ts';
import {LiveLoad} from '../client/liveLoad.ts';
import {type LiveServer, startServer} from '../server/liveServer.ts';
import {PORT_OFFSETS} from './liveAddress.ts';

const page = await openPage({kind: 'named', name: 'gallery'}, 'fixtures/pages');
const {signal} = new AbortController();
/** Functions that close what a test has opened. */
const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function serve(): Promise<LiveServer> {
  const server = await startServer({page, host: '127.0.0.1', port: 0, token: undefined});
  ends.push(() => server.close());
  return server;
}

/** Returns the datagrams that a relay sends instead of the n-th datagram of a direction. */
type Fate = (datagram: Buffer, number: number, isUp: boolean) => readonly Buffer[];

/**
 * Starts a relay for a server's TCP in UDP. Returns the port that the client must name as the live server's first port.
 */
async function relayed({tcpInUdpPort}: LiveServer, fate: Fate): Promise<number> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  const counts = {up: 0, down: 0};
  const behind = new Map<number, Socket>();
  const open = ({port}: RemoteInfo): Socket => {
    const ahead = createSocket('udp4');
    ahead.on('message', datagram => {
      for (const each of fate(datagram, counts.down++, false)) socket.send(each, port, '127.0.0.1');
    });
    behind.set(port, ahead);
    return ahead;
  };
  socket.on('message', (datagram, from) => {
    const ahead = behind.get(from.port) ?? open(from);
    for (const each of fate(datagram, counts.up++, true)) ahead.send(each, tcpInUdpPort, '127.0.0.1');
  });
  await once(socket, 'listening');
  ends.push(() => {
    for (const each of [socket, ...behind.values()]) each.close();
  });
  return socket.address().port - PORT_OFFSETS.tcpInUdp;
}

function scenarioOf(port: number, panes: readonly object[], more: object = {}): Scenario {
  const parsed = parseScenario({path: {live: `127.0.0.1:${port}`, tcp: 'udp'}, panes, ...more});
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.scenario;
}

async function loaded(port: number, ...panes: readonly object[]): Promise<readonly TraceData[]> {
  const run = await new LiveLoad(page, scenarioOf(port, panes), {signal}).run();
  for (const data of run.panes) {
    expect(data).toMatchObject({outcome: 'complete', reason: null});
    expect(measure(data).objects.map(({bytes}) => bytes)).toEqual(page.objects.map(({body}) => body?.length));
  }
  expect(decodeRun(encodeRun(run))).toMatchObject({ok: true});
  return run.panes;
}

/** Returns for each object how many of its bytes arrived in segments, without retransmissions. */
function bytesByObject({packets, chunks, chunkPieces}: TraceData): readonly number[] {
  const bytes = page.objects.map(() => 0);
  for (const [piece, chunk] of chunkPieces.row.entries()) {
    const isDown = packets.direction[chunks.packet[chunk] ?? 0] === 0;
    const object = chunkPieces.object[piece] ?? 0;
    if (isDown && chunks.retransmission[chunk] === 0)
      bytes[object] = (bytes[object] ?? 0) + (chunkPieces.bytes[piece] ?? 0);
  }
  return bytes;
}

const RESPONSES = page.objects.map(({body}) => page.headerBytes + (body?.length ?? 0));
const tcp = {pipeline: 'tcp'};
const six = {pipeline: 'tcp', profile: 'reno', connections: 6, pipelining: false};

describe('a live load over our own TCP', () => {
  test('loads every object completely, and knows the object of every byte of every segment', async () => {
    const {port} = await serve();
    const [one, several] = await loaded(port, {...tcp, profile: 'modern'}, six);
    if (one === undefined || several === undefined) throw new Error('no panes');
    expect(bytesByObject(one)).toEqual(RESPONSES);
    expect(bytesByObject(several)).toEqual(RESPONSES);
    for (const data of [one, several]) {
      expect(data.setupNs).toBeGreaterThan(0);
      expect([...data.packets.sentNs]).toEqual([...data.packets.sentNs].sort((a, b) => a - b));
      expect(() => new Trace(data)).not.toThrow();
      expect(liveMetrics(data, true)).toMatchObject({holBlockedBytes: expect.any(Number)});
    }
    const clients = [0, 2, 4, 6, 8, 10];
    expect(several.connections).toEqual(clients.map(client => ({client, server: client + 1, streams: 1})));
    const senders = new Set(several.packets.endpoint);
    expect([...senders].sort((a, b) => a - b)).toEqual(clients.flatMap(client => [client, client + 1]));
    expect(new Set(several.samples.endpoint)).toEqual(new Set(clients));
  });

  test('shows when lost data is retransmitted, and which data waited for it', async () => {
    const port = await relayed(await serve(), (datagram, number) => (number % 10 === 9 ? [] : [datagram]));
    const [data] = await loaded(port, {...tcp, profile: 'modern'});
    if (data === undefined) throw new Error('no pane');
    const {packets, chunks, blocked} = data;
    const again = [...chunks.retransmission.keys()].filter(
      row => chunks.retransmission[row] === 1 && packets.endpoint[chunks.packet[row] ?? 0] === 1,
    );
    expect(again.length).toBeGreaterThan(3);
    expect(blocked.endpoint.length).toBeGreaterThan(0);
    expect(new Set(blocked.endpoint)).toEqual(new Set([0]));
    expect(measure(data).holBlockedBytes).toBeGreaterThan(0);
  });

  test('completes if datagrams are repeated, reordered, damaged or for somebody else', async () => {
    let held: Buffer | undefined;
    const seen = {twice: false, late: false};
    const port = await relayed(await serve(), (datagram, number) => {
      const damaged = Buffer.from(datagram);
      damaged.writeUInt8(damaged.readUInt8(number % damaged.length) ^ 1, number % damaged.length);
      const elsewhere = Buffer.from(datagram);
      elsewhere.writeUInt16BE(7, 2);
      const noise = Buffer.alloc(number % 60, 0xa5);
      const others = [damaged, elsewhere, noise];
      if (number % 7 === 3) {
        held = datagram;
        return others;
      }
      seen[held === undefined ? 'twice' : 'late'] = true;
      const both = held === undefined ? [datagram, datagram] : [datagram, held];
      held = undefined;
      return [...others, ...both];
    });
    await loaded(port, six);
    expect(seen).toEqual({twice: true, late: true});
  });

  test('ends with a reason if the server dies or does not exist, and keeps the data received before', async () => {
    const server = await serve();
    const [close] = ends.splice(0);
    let up = 0;
    const port = await relayed(server, (datagram, _, isUp) => {
      if (isUp && ++up === 5) void close?.();
      return [datagram];
    });
    const {panes} = await new LiveLoad(page, scenarioOf(port, [tcp]), {signal}).run();
    expect(panes[0]).toMatchObject({outcome: 'aborted', reason: 'peer-abort'});
    expect(panes[0]?.packets.sentNs.length).toBeGreaterThan(4);
    const twice = scenarioOf(server.port, [{...tcp, connections: 2}], {timeLimitMs: 5000});
    const nobody = await new LiveLoad(page, twice, {signal}).run();
    const reason = `nobody listens at 127.0.0.1:${server.port + PORT_OFFSETS.tcpInUdp}`;
    expect(nobody.panes[0]).toMatchObject({outcome: 'aborted', reason});
  });

  test('ends at the time limit if nobody answers', async () => {
    const port = await relayed(await serve(), () => []);
    const scenario = scenarioOf(port, [tcp], {timeLimitMs: 50});
    const [pane] = (await new LiveLoad(page, scenario, {signal}).run()).panes;
    expect(pane).toMatchObject({outcome: 'time-limit', connections: [{streams: 0}]});
    expect(pane?.packets.kind.length).toBe(1);
  });
});
