import {randomBytes} from 'node:crypto';
import {describe, expect, test} from 'vitest';
import {type AppEvent, TcpConnection, type TcpConnectionOptions} from './index.js';

const tcp = {profile: 'modern'} as const;
const record = {packets: true, samples: true};
const asking = {role: 'client', tcp, mtuBytes: 1492, port: 40_000, peerPort: 80, seed: 7, record} as const;
const answering: TcpConnectionOptions = {...asking, role: 'server', port: 80, peerPort: 40_000, seed: 8};

function codeOf(call: () => unknown): unknown {
  try {
    call();
    return undefined;
  } catch (error) {
    return (error as {code?: unknown}).code;
  }
}

/** Carries segments in both directions until there are none. Returns the events of both ends. */
function exchange(client: TcpConnection, server: TcpConnection, nowNs: number): AppEvent[] {
  const events: AppEvent[] = [];
  for (let left = true; left; ) {
    const [down, up] = [server.pollTransmit(nowNs), client.pollTransmit(nowNs)];
    for (const segment of down) client.handlePacket(segment, nowNs);
    for (const segment of up) server.handlePacket(segment, nowNs);
    events.push(...client.pollEvents(), ...server.pollEvents());
    left = down.length + up.length > 0;
  }
  return events;
}

function connected() {
  const [client, server] = [new TcpConnection(asking), new TcpConnection(JSON.stringify(answering))];
  client.connect();
  return {client, server, events: exchange(client, server, 1e6)};
}

describe('a TCP connection whose peer is on a real network', () => {
  test('carries bytes in both directions, and ends', () => {
    const {client, server, events} = connected();
    expect(events.map(({endpoint, type}) => [endpoint, type])).toEqual([
      [0, 'connected'],
      [1, 'connected'],
    ]);
    const sent = randomBytes(3000);
    expect(server.write(sent)).toBe(3000);
    expect(exchange(client, server, 2e6)).toContainEqual({endpoint: 0, type: 'readable', stream: 0});
    expect(Buffer.from(client.read()).equals(sent)).toBe(true);
    client.close();
    exchange(client, server, 3e6);
    server.close();
    const last = exchange(client, server, 4e6);
    expect(last).toContainEqual({endpoint: 1, type: 'closed', reason: 'finished'});
    expect(server.nextTimeoutNs).toBe(Number.POSITIVE_INFINITY);
  });

  test('retransmits lost data when its timer expires, and records the retransmission', () => {
    const {client, server} = connected();
    server.write(new Uint8Array(500));
    expect(server.pollTransmit(2e6)).toHaveLength(1);
    expect(server.nextTimeoutNs).toBeLessThan(10e9);
    server.handleTimeout(server.nextTimeoutNs - 1);
    expect(server.pollTransmit(server.nextTimeoutNs - 1)).toEqual([]);
    const atNs = server.nextTimeoutNs;
    server.handleTimeout(atNs);
    exchange(client, server, atNs);
    expect(client.read()).toHaveLength(500);
    const {packet, first, bytes, retransmission} = server.chunks();
    expect([[...first], [...bytes], [...retransmission]]).toEqual([
      [0, 0],
      [500, 500],
      [0, 1],
    ]);
    expect(server.packets().endpoint[packet[1] ?? 0]).toBe(1);
    expect(client.samples().endpoint.length).toBeGreaterThan(0);
    expect(client.blocked().endpoint.length).toBe(0);
  });

  test('survives segments of random bytes', () => {
    const {client, server} = connected();
    const [before] = [client.packets().kind.length];
    for (let i = 0; i < 2000; i++) {
      const bytes = randomBytes(i % 100);
      // the ports are those of a segment to the client
      if (bytes.length > 4) bytes.writeUInt32BE((80 << 16) | 40_000, 0);
      client.handlePacket(bytes, 4e6);
      server.handlePacket(bytes, 4e6);
    }
    expect(client.packets().kind.length - before).toBeLessThan(5); // these have a correct checksum by chance
    server.write(new Uint8Array([9]));
    exchange(client, server, 5e6);
    expect(client.read()).toEqual(new Uint8Array([9]));
  });

  test('refuses options outside their limits, and calls after its end', () => {
    for (const change of [{mtuBytes: 575}, {port: 0}, {peerPort: 65_536}, {seed: -1}, {role: 'peer'}, {extra: 1}])
      expect(codeOf(() => new TcpConnection(JSON.stringify({...asking, ...change})))).toBe('INVALID_ARGUMENT');
    const small = {...asking, tcp: {...tcp, receiveBufferBytes: 1023}};
    expect(() => new TcpConnection(small)).toThrow(/receiveBufferBytes: 1023/);
    const {client, server} = connected();
    expect(codeOf(() => server.connect())).toBe('INVALID_STATE');
    client.abort();
    expect(codeOf(() => client.write(new Uint8Array(1)))).toBe('INVALID_STATE');
    expect(codeOf(() => client.handlePacket(new Uint8Array(1), -1))).toBe('INVALID_ARGUMENT');
    client.free();
    expect(codeOf(() => client.pollEvents())).toBe('FREED');
    expect(() => client.pollEvents()).toThrow('the connection was freed');
  });
});
