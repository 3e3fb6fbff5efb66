import {expect, test} from 'vitest';
import {openSimulation, RUN_LIMITS} from '../../app/engine/openSimulation.ts';
import {SimulatedNetwork} from '../../app/engine/simulatedNetwork.ts';
import type {TransportEvent} from '../../app/http/transports.ts';
import {parseScenario} from '../../app/run/scenario/scenario.ts';
import * as addon from '../../native/addon/index.js';

function open(): SimulatedNetwork {
  const parsed = parseScenario({path: {rttMs: 20, loss: 0}});
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return new SimulatedNetwork(
    openSimulation(addon, parsed.scenario, [{}], 1, {samples: false, bytes: false, limits: RUN_LIMITS}),
    RUN_LIMITS,
  );
}

test('bytes that are not read at once can all be read later', () => {
  const network = open();
  const {client, server} = network.openTcp({client: {profile: 'classic'}, server: {profile: 'classic'}});
  network.connect(client);
  const sent = Uint8Array.from({length: 300_000}, (_, i) => i % 251);
  let events = network.advance(1e12);
  while (!events.some(({type, endpoint}) => type === 'connected' && endpoint === server))
    events = network.advance(1e12);
  expect(network.write(server, 0, sent)).toBe(sent.length);
  let readable = 0;
  for (; events.length > 0; events = network.advance(1e12)) {
    readable += events.filter(({type, endpoint}) => type === 'readable' && endpoint === client).length;
  }
  expect(readable).toBeGreaterThan(10);
  expect(Buffer.compare(network.read(client, 0), sent)).toBe(0);
  expect(network.read(client, 0)).toEqual(new Uint8Array(0));
});

/** Sends a message from server to client. Returns the received message. */
function message(network: SimulatedNetwork, sent: Uint8Array): Uint8Array | undefined {
  const end = {profile: 'classic', streams: 1} as const;
  const {client, server} = network.openSctp({client: end, server: end});
  network.connect(client);
  for (let events = network.advance(1e12); events.length > 0; events = network.advance(1e12)) {
    for (const event of events) {
      if (event.type === 'connected' && event.endpoint === server) network.send(server, 0, sent);
      if (event.type === 'message') return event.bytes;
    }
  }
  return undefined;
}

test('a message larger than the memory for events arrives completely', () => {
  const sent = Uint8Array.from({length: 1_000_000}, (_, i) => i % 251);
  expect(Buffer.compare(message(open(), sent) ?? new Uint8Array(0), sent)).toBe(0);
});

test('networks that exist at the same time do not share memory', () => {
  open().free();
  const [network, other] = [open(), open()];
  const [ones, twos] = [new Uint8Array(900).fill(1), new Uint8Array(900).fill(2)];
  const came = message(network, ones);
  expect(message(other, twos)).toEqual(twos);
  expect(came).toEqual(ones);
});

/** Advances until nothing more happens within a minute. Calls `answer` with each event, and returns all events. */
function drive(network: SimulatedNetwork, answer: (event: TransportEvent) => void): TransportEvent[] {
  const told: TransportEvent[] = [];
  for (;;) {
    const events = network.advance(6e10);
    if (events.length === 0) return told;
    for (const event of events) {
      told.push(event);
      answer(event);
    }
  }
}

test('streams of QUIC deliver their bytes, their end, and the code with which they are reset', () => {
  const network = open();
  const {client, server} = network.openQuic({client: {profile: 'modern'}, server: {profile: 'modern'}});
  network.connect(client);
  const told = drive(network, event => {
    if (event.type === 'connected' && event.endpoint === client) {
      for (const stream of [0, 4]) network.write(client, stream, Uint8Array.of(1, 2, 3));
      network.finish(client, 0);
      network.reset(client, 4, 0xffffffff);
    }
    if (event.type === 'finished' && event.endpoint === server) {
      network.setPriority(server, 0, 511);
      expect(network.write(server, 0, new Uint8Array(300_000).fill(7))).toBe(300_000);
      network.finish(server, 0);
    }
  });
  expect(told).toContainEqual({type: 'connected', endpoint: client, streams: 100});
  expect(told).toContainEqual({type: 'finished', endpoint: server, stream: 0});
  expect(told).toContainEqual({type: 'finished', endpoint: client, stream: 0});
  expect(told).toContainEqual({type: 'reset', endpoint: server, stream: 4, code: 0xffffffff});
  expect(network.read(server, 0)).toEqual(Uint8Array.of(1, 2, 3));
  expect(Buffer.compare(network.read(client, 0), new Uint8Array(300_000).fill(7))).toBe(0);
});

test('a client can write before it is connected only with 0-RTT', () => {
  for (const earlyData of [true, false]) {
    const network = open();
    const {client, server} = network.openQuic({
      client: {profile: 'modern', resumes: true, earlyData},
      server: {profile: 'modern', scheduler: 'first-come', sendBufferBytes: 100_000},
    });
    network.connect(client);
    expect(network.write(client, 0, Uint8Array.of(1))).toBe(earlyData ? 1 : 0);
    const told = drive(network, () => {}).map(({endpoint, type}) => `${endpoint} ${type}`);
    expect(told.includes(`${server} readable`)).toBe(earlyData);
  }
});

test('an end with aheadBytes receives events for room, and an end without it does not', () => {
  for (const aheadBytes of [undefined, 6000]) {
    const network = open();
    const server = {profile: 'classic', ...(aheadBytes !== undefined && {aheadBytes})} as const;
    const {client, server: end} = network.openTcp({client: {profile: 'classic'}, server});
    network.connect(client);
    const told = drive(network, event => {
      if (event.type === 'connected' && event.endpoint === end) network.write(end, 0, new Uint8Array(4000));
    });
    const rooms = told.flatMap(event => (event.type === 'room' ? [[event.endpoint, event.bytes]] : []));
    // cwnd is 4380 at first (RFC 3390). The first acknowledgement is for two segments of 1448 bytes, and increases cwnd
    // by 1448. The second is for the other 1104 bytes, and increases cwnd by 1104.
    const windows = [4380, 4380 + 1448 - 1104, 4380 + 1448 + 1104];
    expect(rooms).toEqual(aheadBytes === undefined ? [] : windows.map(bytes => [end, aheadBytes + bytes]));
  }
});

test('each stream of an endpoint has its own bytes', () => {
  const [now, events, readable, endpoint] = [5, 2, 1, 7];
  const bytesAt = 8 * 13;
  const simulation = {
    advanceInto: (_untilNs: number, memory: Uint8Array) => {
      const rows = [readable, endpoint, 1, bytesAt, 2, readable, endpoint, 2, bytesAt + 2, 1];
      new Float64Array(memory.buffer).set([now, events, 0, ...rows]);
      memory.set([11, 12, 21], bytesAt);
      return bytesAt + 3;
    },
  };
  const network = new SimulatedNetwork(simulation as unknown as addon.Simulation, RUN_LIMITS);
  expect(network.advance(9)).toEqual([1, 2].map(stream => ({endpoint, type: 'readable', stream})));
  expect([network.read(endpoint, 2), network.read(endpoint, 1)]).toEqual([Uint8Array.of(21), Uint8Array.of(11, 12)]);
});

test('an endpoint whose streams could be taken for those of another one is refused', () => {
  const opens = (client: number) => {
    const simulation = {openUdp: () => ({client, server: client + 1})};
    return () => new SimulatedNetwork(simulation as unknown as addon.Simulation, RUN_LIMITS).openUdp();
  };
  expect(opens(2 ** 21 - 2)()).toEqual({client: 2 ** 21 - 2, server: 2 ** 21 - 1});
  expect(opens(2 ** 21)).toThrow('invalid endpoints: 2097152 and 2097153 (must be below 2097152)');
});
