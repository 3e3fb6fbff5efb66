import {expect, test} from 'vitest';
import {parseScenario} from '../../app/scenario/scenario.ts';
import type {Simulation} from '../../native/addon/index.js';
import {openNetwork} from './network.ts';
import {SimulatedNetwork} from './simulatedNetwork.ts';

function open(): SimulatedNetwork {
  const parsed = parseScenario({path: {rttMs: 20, loss: 0}});
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return new SimulatedNetwork(openNetwork(parsed.scenario, 1, {bytes: false}));
}

test('what is not read at once can be read later, all of it', () => {
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

/** Sends a message over a network of its own; gives it as it came. */
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

test('a message larger than its memory comes whole', () => {
  const sent = Uint8Array.from({length: 1_000_000}, (_, i) => i % 251);
  expect(Buffer.compare(message(open(), sent) ?? new Uint8Array(0), sent)).toBe(0);
});

test('networks that are there at once do not share their memory', () => {
  open().free();
  const [network, other] = [open(), open()];
  const [ones, twos] = [new Uint8Array(900).fill(1), new Uint8Array(900).fill(2)];
  const came = message(network, ones);
  expect(message(other, twos)).toEqual(twos);
  expect(came).toEqual(ones);
});

test('each stream of an endpoint has bytes of its own', () => {
  const [now, events, readable, endpoint] = [5, 2, 1, 7];
  const bytesAt = 8 * 12;
  const simulation = {
    advanceInto: (_untilNs: number, memory: Uint8Array) => {
      const rows = [readable, endpoint, 1, bytesAt, 2, readable, endpoint, 2, bytesAt + 2, 1];
      new Float64Array(memory.buffer).set([now, events, ...rows]);
      memory.set([11, 12, 21], bytesAt);
      return bytesAt + 3;
    },
  };
  const network = new SimulatedNetwork(simulation as unknown as Simulation);
  expect(network.advance(9)).toEqual([1, 2].map(stream => ({endpoint, type: 'readable', stream})));
  expect([network.read(endpoint, 2), network.read(endpoint, 1)]).toEqual([
    Uint8Array.of(21),
    Uint8Array.of(11, 12),
  ]);
});
