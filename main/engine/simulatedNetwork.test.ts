import {expect, test} from 'vitest';
import {parseScenario} from '../../app/scenario/scenario.ts';
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
  expect(Buffer.compare(network.read(client), sent)).toBe(0);
  expect(network.read(client)).toEqual(new Uint8Array(0));
});

test('a message larger than its memory comes whole, and two networks do not share it', () => {
  const [network, other] = [open(), open()];
  const end = {profile: 'classic', streams: 1} as const;
  const {client, server} = network.openSctp({client: end, server: end});
  network.connect(client);
  const sent = Uint8Array.from({length: 1_000_000}, (_, i) => i % 251);
  const received: Uint8Array[] = [];
  for (let events = network.advance(1e12); events.length > 0; events = network.advance(1e12)) {
    for (const event of events) {
      if (event.type === 'connected' && event.endpoint === server) network.send(server, 0, sent);
      if (event.type !== 'message') continue;
      other.advance(1e9);
      received.push(event.bytes.slice());
    }
  }
  expect(received.map(bytes => Buffer.compare(bytes, sent))).toEqual([0]);
  for (const each of [network, other]) each.free();
});
