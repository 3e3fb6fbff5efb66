import {randomBytes} from 'node:crypto';
import {describe, expect, test} from 'vitest';
import {type AppEvent, Association, type AssociationOptions, Listener, type ListenerOptions} from './index.js';

const sctp = {profile: 'modern', streams: 4} as const;
const record = {packets: true, samples: true};
const listening: ListenerOptions = {sctp, mtuBytes: 1492, port: 80, record};
const asking: AssociationOptions = {...listening, port: 40_000, peerPort: 80, seed: 7};
const PEER = '127.0.0.1:40000';
const KEY = new Uint8Array(64).fill(3);

function codeOf(call: () => unknown): unknown {
  try {
    call();
    return undefined;
  } catch (error) {
    return (error as {code?: unknown}).code;
  }
}

/** Returns a client, the association that a listener made for it, and the time. */
function connected() {
  const listener = new Listener(listening, KEY);
  const client = new Association(asking);
  client.connect();
  const [init = new Uint8Array()] = client.pollTransmit(0);
  const {send = new Uint8Array(), association: none} = listener.handlePacket(PEER, init, 1e6);
  expect(none).toBeUndefined();
  client.handlePacket(send, 2e6);
  const [echo = new Uint8Array()] = client.pollTransmit(2e6);
  const {association: server} = listener.handlePacket(PEER, echo, 3e6);
  if (server === undefined) throw new Error('not accepted');
  return {listener, client, server, echo};
}

/** Carries packets in both directions until there are none. Returns the client's events. */
function exchange(client: Association, server: Association, nowNs: number): AppEvent[] {
  const events: AppEvent[] = [];
  for (let left = true; left; ) {
    const [down, up] = [server.pollTransmit(nowNs), client.pollTransmit(nowNs)];
    for (const packet of down) client.handlePacket(packet, nowNs);
    for (const packet of up) server.handlePacket(packet, nowNs);
    events.push(...client.pollEvents());
    left = down.length + up.length > 0;
  }
  return events;
}

describe('an association whose peer is on a real network', () => {
  test('carries messages in both directions, and ends', () => {
    const {client, server} = connected();
    expect(server.pollEvents()).toEqual([{endpoint: 1, type: 'connected', streams: 4}]);
    expect(server.send(2, new Uint8Array([1, 2, 3]))).toBe(true);
    const [cookieAck = new Uint8Array(), lost] = server.pollTransmit(4e6);
    expect(lost).toBeDefined(); // the packet with the message
    client.handlePacket(cookieAck, 4e6);
    server.handleTimeout(server.nextTimeoutNs);
    const events = exchange(client, server, 4e9);
    expect(events).toEqual([
      {endpoint: 0, type: 'connected', streams: 4},
      {endpoint: 0, type: 'message', stream: 2, bytes: new Uint8Array([1, 2, 3])},
    ]);
    client.close();
    exchange(client, server, 5e9);
    expect(server.pollEvents()).toContainEqual({endpoint: 1, type: 'closed', reason: 'finished'});
    expect([client.nextTimeoutNs, server.nextTimeoutNs]).toEqual([Infinity, Infinity]);
  });

  test('records the packets that it sent and received', () => {
    const {client, server} = connected();
    server.send(2, new Uint8Array(500));
    exchange(client, server, 4e6);
    const {endpoint, direction, sentNs, fateNs, kind} = client.packets();
    expect([...endpoint.slice(0, 4)]).toEqual([0, 1, 0, 1]);
    expect([...direction.slice(0, 4)]).toEqual([1, 0, 1, 0]);
    expect([...kind.slice(0, 4)]).toEqual([0, 0, 0, 0]);
    expect([sentNs[1], fateNs[1], fateNs[0]]).toEqual([2e6, 2e6, Number.NaN]);
    expect(client.chunks()).toMatchObject({bytes: new Uint32Array([500]), stream: new Uint32Array([2])});
    expect(client.samples().endpoint.length).toBeGreaterThan(0);
    expect(client.blocked().endpoint.length).toBe(0);
  });

  test('survives packets of random bytes', () => {
    const {client, server, listener} = connected();
    for (let i = 0; i < 2000; i++) {
      const bytes = randomBytes(i % 100);
      client.handlePacket(bytes, 4e6);
      server.handlePacket(bytes, 4e6);
      expect(listener.handlePacket(PEER, bytes, 4e6)).toEqual({});
    }
    server.send(0, new Uint8Array([9]));
    expect(exchange(client, server, 5e6)).toHaveLength(2);
  });

  test('answers a repeated cookie that its listener has unsealed', () => {
    const {listener, server, echo} = connected();
    expect(server.pollTransmit(3e6)).toHaveLength(1);
    const unsealed = listener.unsealed(PEER, echo);
    server.handlePacket(unsealed ?? new Uint8Array(), 4e6);
    expect(server.pollTransmit(4e6)).toHaveLength(1);
    expect(listener.unsealed('127.0.0.1:40001', echo)).toBeNull();
  });

  test('refuses options outside their limits, and calls after its end', () => {
    for (const change of [{mtuBytes: 575}, {port: 0}, {peerPort: 65_536}, {seed: -1}, {extra: 1}])
      expect(codeOf(() => new Association(JSON.stringify({...asking, ...change})))).toBe('INVALID_ARGUMENT');
    expect(codeOf(() => new Listener(listening, new Uint8Array(63)))).toBe('INVALID_ARGUMENT');
    const dtls = {sctp: {...sctp, dtls: true}};
    expect(() => new Association({...asking, ...dtls})).toThrow('invalid sctp.dtls: true');
    expect(() => new Listener({...listening, ...dtls}, KEY)).toThrow('invalid sctp.dtls: true');
    const {client} = connected();
    expect(codeOf(() => client.send(0, new Uint8Array(1)))).toBe('INVALID_STATE');
    expect(codeOf(() => client.handlePacket(new Uint8Array(1), -1))).toBe('INVALID_ARGUMENT');
    client.free();
    expect(codeOf(() => client.pollEvents())).toBe('FREED');
  });
});
