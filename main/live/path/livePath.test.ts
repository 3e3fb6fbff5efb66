import {createSocket, type Socket} from 'node:dgram';
import {once} from 'node:events';
import {request} from 'node:http';
import {setTimeout as wait} from 'node:timers/promises';
import {afterEach, describe, expect, test} from 'vitest';
import {liveMetrics} from '../../../app/run/metrics/paneMetrics.ts';
import {DEFAULT_PATH, type PathSettings} from '../../../app/run/scenario/path.ts';
import {parseScenario, type Scenario} from '../../../app/run/scenario/scenario.ts';
import {NO_COUNTS} from '../../../app/run/scenario/testing/noCounts.ts';
import {type Placed, Places} from '../../net/clientPlaces.ts';
import {startClock} from '../../net/clock.ts';
import {openPage} from '../../pages/openPage.ts';
import {LiveLoad} from '../client/liveLoad.ts';
import {type LiveServer, startServer} from '../server/liveServer.ts';
import {EmulatedPath} from './emulatedPath.ts';
import {type LivePath, type LivePathOptions, startPath} from './livePath.ts';
import {Relay} from './relay.ts';
import {RELAYED} from './relayedPacket.ts';

const page = await openPage({kind: 'named', name: 'gallery'}, 'fixtures/pages');
const never = new AbortController().signal;
/** Functions that close what a test has opened. */
const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A path with 20 Mbit/s and an RTT of 4 ms. */
const QUICK: PathSettings = {
  ...DEFAULT_PATH,
  rateBps: {down: 20e6, up: 20e6},
  rttMs: {down: 4, up: 4},
};

function losing(rate: number, at?: 'exit'): PathSettings {
  const place = at === undefined ? {} : {at};
  const loss = {model: 'bernoulli', rate, applies: 'all', ...place} as const;
  return {...QUICK, loss: {down: loss, up: loss}};
}

async function relayed(to: number, options: Partial<LivePathOptions> = {}): Promise<LivePath> {
  const at = {host: '127.0.0.1', port: 0, to: {host: '127.0.0.1', port: to}, token: undefined};
  const path = await startPath({settings: QUICK, seed: 1, ...at, ...options});
  ends.push(() => path.close());
  return path;
}

async function serve(): Promise<LiveServer> {
  const server = await startServer({page, host: '127.0.0.1', port: 0, token: undefined});
  ends.push(() => server.close());
  return server;
}

function scenarioOf(port: number, pipelines = ['sctp']): Scenario {
  const path = {live: `127.0.0.1:${port}`, tcp: 'udp'};
  const panes = pipelines.map(pipeline => ({pipeline}));
  const parsed = parseScenario({path, panes, timeLimitMs: 20_000});
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.scenario;
}

/** Opens a socket that returns each datagram to its sender. Returns its port. */
async function echo(): Promise<number> {
  const socket = createSocket('udp4');
  socket.on('message', (datagram, from) => socket.send(datagram, from.port, from.address));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  ends.push(() => socket.close());
  return socket.address().port;
}

async function client(port: number): Promise<Socket> {
  const socket = createSocket('udp4');
  socket.connect(port, '127.0.0.1');
  await once(socket, 'connect');
  ends.push(() => socket.close());
  return socket;
}

/** Sends a request to the path's control. Returns the status and the body of the answer. */
function ask(
  {port}: LivePath,
  {body, headers = {}, ...options}: {method?: string; path?: string; headers?: object; body?: string} = {},
): Promise<readonly [status: number | undefined, told: string]> {
  return new Promise((resolve, reject) => {
    const type = body === undefined ? {} : {'content-type': 'application/json'};
    const method = body === undefined ? 'GET' : 'PATCH';
    const asked = request(
      {host: '127.0.0.1', port: port + 3, path: '/path', method, ...options, headers: {...type, ...headers}},
      async response => {
        const pieces: Uint8Array[] = [];
        for await (const piece of response) pieces.push(piece);
        resolve([response.statusCode, Buffer.concat(pieces).toString()]);
      },
    );
    asked.on('error', reject);
    asked.end(body);
  });
}

test('datagrams to an address that the system forbids are counted as refused', async () => {
  // The system forbids the broadcast address for sockets without SO_BROADCAST (EACCES).
  const path = await relayed(9899, {to: {host: '255.255.255.255', port: 9899}});
  const asking = await client(path.port);
  for (const refused of [1, 2]) {
    asking.send('x');
    await expect.poll(() => path.state()).toMatchObject({clients: 0, refused});
  }
});

describe('a page through a path', () => {
  test('arrives completely over SCTP and our TCP despite losses, which the path counts', {tags: ['long']}, async () => {
    const {port} = await serve();
    for (const [rate, at] of [[0], [0.1], [0.1, 'exit']] as const) {
      const path = await relayed(port, {settings: losing(rate, at), seed: 2});
      const {panes} = await new LiveLoad(page, scenarioOf(path.port, ['sctp', 'tcp']), {signal: never}).run();
      expect(panes.length).toBe(2);
      for (const pane of panes) {
        expect(pane).toMatchObject({outcome: 'complete'});
        const {objects, pageTimeMs} = liveMetrics(pane, true);
        expect(objects.map(({bytes}) => bytes)).toEqual(page.objects.map(({body}) => body?.length));
        // The requests and their answers need at least one round trip of 4 ms.
        expect(pageTimeMs).toBeGreaterThan(4);
      }
      const {counts, clients, refused} = path.state();
      expect([counts.down.lost > 0, counts.up.lost > 0]).toEqual([rate > 0, rate > 0]);
      expect(counts.down).toMatchObject({queueFull: 0, tooLarge: 0, handedOver: 0});
      expect(counts.down.passed).toBeGreaterThan(100);
      expect([clients, refused]).toEqual([2, 0]);
    }
  });

  test('ends with a reason when the path ends, and keeps the data received before', async () => {
    const {port} = await serve();
    const slow = {...QUICK, rateBps: {down: 1e6, up: 1e6}};
    const path = await relayed(port, {settings: slow});
    const loading = new LiveLoad(page, scenarioOf(path.port), {signal: never}).run();
    while (path.state().counts.down.passed < 10) await wait(5);
    await path.close();
    const {panes} = await loading;
    expect(panes[0]).toMatchObject({outcome: 'aborted', reason: `nobody listens at 127.0.0.1:${path.port}`});
    expect(panes[0]?.deliveries.atNs.length).toBeGreaterThan(0);
    expect(path.state().clients).toBe(0);
  });
});

describe('a datagram through a path', () => {
  test('reaches the server, and the answer reaches the client', async () => {
    const told: string[] = [];
    const path = await relayed(await echo(), {onClient: (at, carries) => void told.push(`${carries} ${at}`)});
    const [one, other] = [await client(path.port), await client(path.port)];
    const answers = [once(one, 'message'), once(other, 'message')];
    one.send('one');
    other.send('other');
    const got = (await Promise.all(answers)).map(([datagram]) => String(datagram));
    expect(got).toEqual(['one', 'other']);
    expect(told.sort()).toEqual([one, other].map(each => `sctp 127.0.0.1:${each.address().port}`).sort());
    // The path has passed both datagrams in each direction.
    expect(path.state().counts).toMatchObject({down: {passed: 2}, up: {passed: 2}});
  });

  test('to the second port reaches the server’s second port', async () => {
    const path = await relayed((await echo()) - 1);
    const socket = await client(path.port + 1);
    socket.send('quic');
    expect(String((await once(socket, 'message'))[0])).toBe('quic');
  });

  test('keeps a socket open for its client until two minutes of silence', async () => {
    let nowNs = 0;
    const path = new EmulatedPath(QUICK, 1, startClock());
    ends.push(() => path.close());
    const [relayed] = RELAYED;
    if (relayed === undefined) throw new Error('nothing is relayed');
    const clients = new Places<Placed>(9);
    const to = {host: '127.0.0.1', port: await echo()};
    const options = {relayed, path, to, clock: () => nowNs, clients, onRefused: () => undefined};
    const relay = new Relay(options, '127.0.0.1');
    const socket = await client(await relay.listen(0));
    ends.push(() => relay.close());
    socket.send('one');
    await once(socket, 'message');
    nowNs = 120e9;
    relay.sweep();
    expect(clients.size).toBe(1);
    nowNs += 1;
    relay.sweep();
    expect(clients.size).toBe(0);
    // The client's next datagram opens another socket.
    socket.send('two');
    expect(String((await once(socket, 'message'))[0])).toBe('two');
  });

  test('is counted as refused if nobody receives it or if there are too many clients', async () => {
    const path = await relayed(await echo(), {mostClients: 1});
    const one = await client(path.port);
    one.send('one');
    await once(one, 'message');
    const other = await client(path.port);
    other.send('other');
    // Nobody listens at this port of the server.
    const quic = await client(path.port + 1);
    quic.send('quic');
    while (path.state().refused < 2) await wait(1);
    expect(path.state()).toMatchObject({clients: 1, counts: {up: {passed: 1}}});
  });

  test('that exceeds the MTU is dropped, and the UDP header counts only for QUIC', async () => {
    const path = await relayed(await echo(), {settings: {...QUICK, mtuBytes: 576}});
    for (const [offset, header] of [28, 20].entries()) {
      const socket = await client(path.port + 1 + offset);
      const before = path.state().counts.up.tooLarge;
      socket.send(Buffer.alloc(576 - header));
      socket.send(Buffer.alloc(577 - header));
      while (path.state().counts.up.tooLarge === before) await wait(1);
      expect(path.state().counts.up.tooLarge).toBe(before + 1);
    }
  });
});

describe('a hand-over', () => {
  /** Starts a server that answers each datagram. `ports` is the list of the ports that sent datagrams to it. */
  async function server() {
    const socket = createSocket('udp4');
    const ports: number[] = [];
    socket.on('message', (datagram, from) => {
      ports.push(from.port);
      socket.send(datagram, from.port, from.address);
    });
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    ends.push(() => socket.close());
    return {socket, ports};
  }

  test('gives each client another port, as seen by the server, and loses what is sent to the old port', async () => {
    const changes: number[] = [];
    const {socket, ports} = await server();
    const path = await relayed(socket.address().port, {onChange: ({handOvers}) => void changes.push(handOvers)});
    const asking = await client(path.port);
    const answered = async (text: string): Promise<void> => {
      asking.send(text);
      expect(String((await once(asking, 'message'))[0])).toBe(text);
    };
    await answered('before');
    const [status, told] = await ask(path, {body: '{"handover": true, "rttMs": 8}'});
    expect([status, JSON.parse(told)]).toEqual([200, expect.objectContaining({handOvers: 1})]);
    expect(JSON.parse(told).path.rttMs).toBe(8);
    await answered('after');
    const [old = 0, now = 0] = ports;
    expect([ports.length, old === now]).toEqual([2, false]);
    socket.send('to the old port', old, '127.0.0.1');
    await expect.poll(() => path.state().counts.down.handedOver).toBe(1);
    expect([path.state().clients, path.state().refused, changes]).toEqual([1, 0, [1]]);
  });

  test('can be one of the timed changes, whose times count from the first packet', async () => {
    const {socket, ports} = await server();
    const parsed = parseScenario({changes: [{atMs: 50, path: {handover: true, rttMs: 8}}]});
    if (!parsed.ok) throw new Error('the scenario is wrong');
    const path = await relayed(socket.address().port, {changes: parsed.scenario.changes});
    await wait(100);
    expect(path.state().handOvers).toBe(0);
    const asking = await client(path.port);
    asking.send('first');
    await expect.poll(() => path.state()).toMatchObject({handOvers: 1, path: {rttMs: {down: 8, up: 8}}});
    asking.send('second');
    await expect.poll(() => new Set(ports).size).toBe(2);
  });
});

describe('the control of a path', () => {
  test('reports the path and its counts, and changes the path at once', async () => {
    const changes: unknown[] = [];
    const path = await relayed(await echo(), {onChange: ({seed}) => void changes.push(seed)});
    const [status, told] = await ask(path);
    expect(status).toBe(200);
    expect(JSON.parse(told)).toEqual({
      path: {rateBps: 20e6, rttMs: 4, loss: 0, queuePackets: 1000, mtuBytes: 1500},
      seed: 1,
      counts: {down: NO_COUNTS, up: NO_COUNTS},
      traffic: [],
      handOvers: 0,
      clients: 0,
      refused: 0,
    });
    const [changed, now] = await ask(path, {body: '{"loss": {"up": 1}, "rttMs": 6, "seed": 9}'});
    expect(changed).toBe(200);
    expect(JSON.parse(now)).toMatchObject({path: {loss: {down: 0, up: 1}, rttMs: 6}, seed: 9});
    expect(changes).toEqual([9]);
    const socket = await client(path.port);
    socket.send('lost');
    while (path.state().counts.up.lost === 0) await wait(1);
  });

  test('restarts the draws with a given seed', async () => {
    const path = await relayed(await echo(), {settings: losing(0.5)});
    const socket = await client(path.port);
    const lostOf = async (): Promise<number> => {
      const before = path.state().counts.up;
      for (let i = 0; i < 40; i++) socket.send(`${i}`);
      for (;;) {
        const {lost, passed} = path.state().counts.up;
        if (lost + passed === before.lost + before.passed + 40) return lost - before.lost;
        await wait(1);
      }
    };
    const first = await lostOf();
    await ask(path, {body: '{"seed": 1}'});
    expect(await lostOf()).toBe(first);
  });

  test('restarts the draws for a new client after a second of silence if isSameLosses is true', async () => {
    const path = await relayed(await echo(), {settings: losing(0.5), isSameLosses: true});
    const lostOf = async (): Promise<number> => {
      const socket = await client(path.port);
      const before = path.state().counts.up;
      for (let i = 0; i < 40; i++) socket.send(`${i}`);
      for (;;) {
        const {lost, passed} = path.state().counts.up;
        if (lost + passed === before.lost + before.passed + 40) return lost - before.lost;
        await wait(1);
      }
    };
    const first = await lostOf();
    await wait(1100);
    expect(await lostOf()).toBe(first);
  });

  test('refuses every wrong request, and answers with the reason', async () => {
    const path = await relayed(1);
    const before = path.state();
    for (const [status, why, asked] of [
      [400, 'loss is 2', {body: '{"loss": 2}'}],
      [400, 'mtuBytes', {body: '{"mtuBytes": 1000}'}],
      [400, 'seed is -1', {body: '{"seed": -1, "loss": 0.5}'}],
      [400, 'not JSON', {body: '{'}],
      [400, 'nested', {body: '['.repeat(200)}],
      [400, 'must be an object', {body: 'null'}],
      [404, 'the only path is /path', {path: '/'}],
      [405, 'GET and PATCH', {method: 'POST', body: '{"loss": 1}'}],
      [405, 'GET and PATCH', {method: 'DELETE'}],
      [413, 'at most', {body: `{"loss": ${' '.repeat(1024 * 1024)}1}`}],
      [415, 'application/json', {body: '{"loss": 1}', headers: {'content-type': 'text/plain'}}],
    ] as const) {
      const [given, told] = await ask(path, asked);
      expect([given, told]).toEqual([status, expect.stringContaining(why)]);
    }
    expect(path.state()).toEqual(before);
  });

  test('refuses pages in a browser, and every host name but localhost', async () => {
    const path = await relayed(1);
    const before = path.state();
    for (const headers of [
      {origin: `http://127.0.0.1:${path.port + 3}`},
      {origin: 'null'},
      {'sec-fetch-site': 'cross-site'},
      {'sec-fetch-site': 'same-origin'},
      {host: 'attacker.example'},
      {host: `attacker.example:${path.port + 3}`},
      {host: '127.0.0.1.attacker.example'},
    ]) {
      expect((await ask(path, {headers}))[0]).toBe(403);
      expect((await ask(path, {headers, body: '{"loss": 1}'}))[0]).toBe(403);
    }
    expect(path.state()).toEqual(before);
    for (const headers of [{host: 'localhost:1'}, {host: '[::1]:1'}, {'sec-fetch-site': 'none'}])
      expect((await ask(path, {headers}))[0]).toBe(200);
  });

  test('with a token serves clients that send it, whatever host name they use', async () => {
    const path = await relayed(1, {token: 'T'});
    const host = 'path.example';
    for (const headers of [{}, {authorization: 'Bearer t'}, {authorization: 'T'}])
      expect((await ask(path, {headers: {...headers, host}, body: '{"loss": 1}'}))[0]).toBe(401);
    expect((await ask(path, {headers: {host, authorization: 'Bearer T'}}))[0]).toBe(200);
    expect(path.state().path).toEqual(QUICK);
  });
});

test('a path listens on all of its ports or on none', async () => {
  const path = await relayed(1);
  const again = {host: '127.0.0.1', port: path.port - 1, to: {host: '127.0.0.1', port: 1}, token: undefined};
  await expect(startPath({settings: QUICK, seed: 1, ...again})).rejects.toThrow('EADDRINUSE');
  const socket = createSocket('udp4');
  socket.bind(path.port - 1, '127.0.0.1');
  await once(socket, 'listening');
  ends.push(() => socket.close());
});
