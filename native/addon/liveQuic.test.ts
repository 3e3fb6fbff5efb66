import {randomBytes} from 'node:crypto';
import {afterEach, describe, expect, test} from 'vitest';
import {type AppEvent, QuicConnection, type QuicConnectionOptions, QuicListener} from './index.js';

const KEY_BYTES = 64;
const quic = {profile: 'modern'} as const;
const freed: {free(): void}[] = [];

afterEach(() => {
  for (const end of freed.splice(0)) end.free();
});

function newListener(): QuicListener {
  const options = {quic, mtuBytes: 1500, receiveBytes: 65_536, names: ['localhost', '127.0.0.1']};
  return new QuicListener(options, randomBytes(KEY_BYTES));
}

function newClient(fingerprint: string, more: Partial<QuicConnectionOptions> = {}): QuicConnection {
  const options = {quic, mtuBytes: 1500, fingerprint, record: {packets: true, samples: true}, ...more};
  const client = new QuicConnection(options, randomBytes(KEY_BYTES));
  freed.push(client);
  client.connect();
  return client;
}

/**
 * Both ends and their events. Every datagram arrives, and is answered a millisecond later, except the server's datagrams
 * for which `isLost` returns true.
 */
class Pair {
  readonly client: QuicConnection;
  server: QuicConnection | undefined;
  number: number | undefined;
  readonly events: {readonly client: AppEvent[]; readonly server: AppEvent[]} = {client: [], server: []};
  readonly #listener: QuicListener;
  readonly #isLost: (down: number) => boolean;
  #down = 0;
  nowNs = 0;

  constructor(listener: QuicListener, client: QuicConnection, isLost = (_down: number) => false) {
    this.#listener = listener;
    this.client = client;
    this.#isLost = isLost;
  }

  /** Runs until nothing happens any more, but for at most `rounds` rounds. */
  run(validates = false, rounds = 2000): void {
    for (let round = 0; round < rounds; round++) {
      this.nowNs += 1e6;
      // both ends send before either receives, so that an answer takes at least a millisecond
      const up = this.client.pollTransmit(this.nowNs);
      const down = this.server?.pollTransmit(this.nowNs) ?? [];
      for (const datagram of up) this.#handUp(datagram, validates);
      for (const datagram of down) if (!this.#isLost(this.#down++)) this.client.handlePacket(datagram, this.nowNs);
      this.events.client.push(...this.client.pollEvents());
      this.events.server.push(...(this.server?.pollEvents() ?? []));
      for (const end of [this.client, this.server])
        if ((end?.nextTimeoutNs ?? Number.POSITIVE_INFINITY) <= this.nowNs) end?.handleTimeout(this.nowNs);
      if (up.length + down.length === 0 && round > QUIET_ROUNDS && this.#isQuiet()) return;
    }
  }

  #isQuiet(): boolean {
    const next = Math.min(this.client.nextTimeoutNs, this.server?.nextTimeoutNs ?? Number.POSITIVE_INFINITY);
    return next > this.nowNs + 1e9;
  }

  #handUp(datagram: Uint8Array, validates: boolean): void {
    this.server?.handlePacket(datagram, this.nowNs);
    if (this.server !== undefined) return;
    const answer = this.#listener.handlePacket('192.0.2.1 5000', datagram, this.nowNs, validates);
    if (answer.send !== undefined) this.client.handlePacket(answer.send, this.nowNs);
    if (answer.connection === undefined) return;
    this.server = answer.connection;
    this.number = answer.number;
    freed.push(answer.connection);
  }
}

const QUIET_ROUNDS = 3;

function types(events: readonly AppEvent[]): string[] {
  return events.map(({type}) => type);
}

function write(end: QuicConnection | undefined, stream: number, bytes: Uint8Array): number {
  return end?.writeParts(Uint32Array.of(stream, bytes.length, 1), bytes) ?? 0;
}

function bytesOf(count: number): Uint8Array {
  return Uint8Array.from({length: count}, (_, at) => at % 251);
}

describe('a QUIC connection with TLS', () => {
  test('carries whole streams in both directions although datagrams are lost', () => {
    const listener = newListener();
    const pair = new Pair(listener, newClient(listener.fingerprint), down => down > 8 && down % 7 === 0);
    pair.run();
    expect(types(pair.events.client)).toContain('connected');
    const body = bytesOf(200_000);
    write(pair.client, 0, bytesOf(300));
    pair.run();
    expect(pair.server?.read(0)).toEqual(bytesOf(300));
    write(pair.server, 0, body);
    pair.run();
    expect(Buffer.compare(pair.client.read(0), body)).toBe(0);
    expect(pair.events.client).toContainEqual({endpoint: 0, type: 'finished', stream: 0});
  });

  test('is observed without its encryption: arrivals, retransmissions and blocked data', () => {
    const listener = newListener();
    const pair = new Pair(listener, newClient(listener.fingerprint), down => down > 8 && down % 7 === 0);
    pair.run();
    write(pair.client, 0, bytesOf(10));
    pair.run();
    const body = bytesOf(200_000);
    write(pair.server, 0, body);
    pair.run();
    const {client} = pair;
    const [packets, chunks, samples, blocked] = [client.packets(), client.chunks(), client.samples(), client.blocked()];
    // every byte of the body is in a chunk of its stream
    const seen = new Uint8Array(body.length);
    let again = 0;
    for (const [row, first] of chunks.first.entries()) {
      if (packets.direction[chunks.packet[row] ?? 0] !== 0) continue;
      expect(chunks.stream[row]).toBe(0);
      seen.fill(1, first, first + (chunks.bytes[row] ?? 0));
      again += chunks.retransmission[row] ?? 0;
    }
    expect(seen.every(Boolean)).toBe(true);
    expect(again).toBeGreaterThan(0);
    expect(blocked.stream.length).toBeGreaterThan(0);
    expect([...blocked.endNs].every(Number.isFinite)).toBe(true);
    // the largest datagram that path MTU discovery tries, with UDP and IP headers
    expect(Math.max(...packets.bytes)).toBe(1480);
    expect(samples.srttNs.at(-1)).toBeGreaterThan(0);
    const ups = [...packets.direction].filter(direction => direction === 1);
    expect(ups.length).toBeGreaterThan(20);
    // the columns also contain the acknowledgements
    expect(Math.max(...packets.cumulativeAck.filter(Number.isFinite))).toBeGreaterThan(100);
  });

  test('records no retransmission for streams that alternate without loss', () => {
    const listener = newListener();
    const pair = new Pair(listener, newClient(listener.fingerprint));
    pair.run();
    for (const stream of [0, 4]) write(pair.client, stream, bytesOf(10));
    pair.run();
    for (const stream of [0, 4]) write(pair.server, stream, bytesOf(20_000));
    pair.run();
    const {stream, retransmission} = pair.client.chunks();
    expect(new Set(stream)).toEqual(new Set([0, 4]));
    expect(Math.max(...retransmission)).toBe(0);
  });

  test('limits the bytes that its peer may send before they are read', () => {
    const listener = newListener();
    const pair = new Pair(listener, newClient(listener.fingerprint));
    pair.run();
    // the limit applies to all streams together, and to bytes that arrive out of order and cannot be read
    const streams = Array.from({length: 8}, (_, at) => 4 * at);
    const taken = streams.map(stream => write(pair.client, stream, bytesOf(60_000)));
    const datagrams: number[] = [];
    for (let round = 0; round < 50; round++)
      datagrams.push(...pair.client.pollTransmit(pair.nowNs + round * 1e6).map(({length}) => length));
    expect(taken.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(65_536);
    expect(datagrams.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(80_000);
  });

  test('accepts only the certificate with the given fingerprint, and reports the fingerprint that it was shown', () => {
    const listener = newListener();
    const pair = new Pair(listener, newClient('ab'.repeat(32)));
    expect(pair.client.shownFingerprint).toBeNull();
    pair.run();
    expect(types(pair.events.client)).not.toContain('connected');
    expect(pair.events.client).toContainEqual({endpoint: 0, type: 'closed', reason: 'protocol-violation'});
    expect(pair.client.shownFingerprint).toBe(listener.fingerprint);
    expect(types(pair.events.server)).not.toContain('connected');
  });

  test('has a different certificate with each listener', () => {
    expect(newListener().fingerprint).not.toBe(newListener().fingerprint);
  });

  test('begins with a Retry if the listener validates addresses', () => {
    const listener = newListener();
    const client = newClient(listener.fingerprint);
    const [first] = client.pollTransmit(0);
    const {send, connection} = listener.handlePacket('192.0.2.1 5000', first ?? new Uint8Array(), 0, true);
    expect([connection, (send?.[0] ?? 0) & 0xf0]).toEqual([undefined, 0xf0]);
    // the Retry is much smaller than the received datagram, so the listener amplifies nothing (RFC 9000 §8.1)
    expect(send?.length).toBeLessThan(200);
    client.handlePacket(send ?? new Uint8Array(), 1e6);
    const [second] = client.pollTransmit(2e6);
    const datagram = second ?? new Uint8Array();
    // the token is valid only from the same sender
    expect(listener.handlePacket('192.0.2.2 5000', datagram, 3e6, true).connection).toBeUndefined();
    const accepted = listener.handlePacket('192.0.2.1 5000', datagram, 3e6, true).connection;
    expect(accepted).toBeDefined();
    accepted?.free();
    const pair = new Pair(listener, newClient(listener.fingerprint));
    pair.run(true);
    expect(types(pair.events.client)).toContain('connected');
  });

  test('has connection ids that begin with its number', () => {
    const listener = newListener();
    const pair = new Pair(listener, newClient(listener.fingerprint));
    pair.run();
    write(pair.client, 0, bytesOf(10));
    const [datagram] = pair.client.pollTransmit(pair.nowNs + 1);
    // the datagram has a short header, which is followed by the connection id (RFC 9000 §17.3)
    expect((datagram?.[0] ?? 0x80) & 0x80).toBe(0);
    expect(Buffer.from(datagram ?? []).readUInt32BE(1)).toBe(pair.number);
  });

  test('ends for both ends after three minutes without a datagram', () => {
    const listener = newListener();
    const pair = new Pair(listener, newClient(listener.fingerprint));
    pair.run();
    for (const end of [pair.client, pair.server]) {
      end?.handleTimeout(pair.nowNs + 179e9);
      expect(types(end?.pollEvents() ?? [])).not.toContain('closed');
      end?.handleTimeout(pair.nowNs + 181e9);
      expect(end?.pollEvents()).toMatchObject([{type: 'closed', reason: 'data-timeout'}]);
    }
  });

  test('reports a close to its peer', () => {
    const listener = newListener();
    const pair = new Pair(listener, newClient(listener.fingerprint));
    pair.run();
    pair.client.close();
    pair.run();
    expect(types(pair.events.client)).toContain('closed');
    expect(pair.events.server).toContainEqual({endpoint: 1, type: 'closed', reason: 'finished'});
  });

  test('ignores datagrams that are not authentic', () => {
    const listener = newListener();
    const pair = new Pair(listener, newClient(listener.fingerprint));
    pair.run();
    write(pair.client, 0, bytesOf(100));
    const [datagram = new Uint8Array()] = pair.client.pollTransmit(pair.nowNs);
    const forged = datagram.slice();
    forged[forged.length - 1] = (forged.at(-1) ?? 0) ^ 1;
    const rows = pair.server?.packets().sentNs.length;
    pair.server?.handlePacket(forged, pair.nowNs);
    for (let bytes = 0; bytes < 60; bytes++) pair.server?.handlePacket(bytesOf(bytes), pair.nowNs);
    pair.server?.handlePacket(new Uint8Array(70_000), pair.nowNs);
    expect(pair.server?.packets().sentNs.length).toBe(rows);
    expect(pair.server?.pollEvents()).toEqual([]);
    pair.server?.handlePacket(datagram, pair.nowNs);
    expect(types(pair.server?.pollEvents() ?? [])).toContain('readable');
  });

  test('a listener accepts no connection for a datagram without an Initial packet', () => {
    const listener = newListener();
    for (let bytes = 0; bytes < 1400; bytes += 7) {
      for (const first of [0x00, 0x40, 0xc0, 0xd0, 0xf0]) {
        const datagram = bytesOf(bytes);
        datagram.set([first, 0, 0, 0, 1, 8].slice(0, bytes));
        const {connection} = listener.handlePacket('192.0.2.1 1', datagram, 0, false);
        expect(connection).toBeUndefined();
      }
    }
  });

  test('a listener accepts no connection for an Initial packet that is not authentic', () => {
    const listener = newListener();
    const [datagram = new Uint8Array()] = newClient(listener.fingerprint).pollTransmit(0);
    for (let at = 0; at < datagram.length; at += 20) {
      const forged = datagram.slice();
      forged[at] = (forged[at] ?? 0) ^ 0x55;
      expect(listener.handlePacket('192.0.2.1 1', forged, 0, false).connection).toBeUndefined();
    }
    const {connection} = listener.handlePacket('192.0.2.1 1', datagram, 0, false);
    expect(connection).toBeDefined();
    connection?.free();
  });

  test('options outside their limits are refused with their names', () => {
    const {fingerprint} = newListener();
    const refused = (more: object) => () => newClient(fingerprint, more);
    expect(refused({fingerprint: 'ab'})).toThrow('invalid fingerprint: ab (must be 64 hexadecimal digits)');
    expect(refused({fingerprint: 'xy'.repeat(32)})).toThrow('(must be 64 hexadecimal digits)');
    expect(refused({mtuBytes: 1227})).toThrow('invalid mtuBytes: 1227');
    expect(refused({quic: {...quic, resumes: true}})).toThrow('invalid quic.resumes: true');
    expect(refused({quic: {...quic, firstDatagramBytes: 5}})).toThrow('invalid firstDatagramBytes: 5');
    expect(refused({quic: {...quic, firstTimeoutMs: 1}})).toThrow('invalid firstTimeoutMs: 1');
    expect(refused({quic: {...quic, firstWindowPackets: 0}})).toThrow('invalid firstWindowPackets: 0');
    expect(() => new QuicConnection({quic, mtuBytes: 1500, fingerprint}, new Uint8Array(63))).toThrow(
      'invalid key (must be 64 bytes)',
    );
  });

  test('an invalid code of a reset is refused as a code, and not as a stream', () => {
    const client = newClient(newListener().fingerprint);
    for (const code of [-1, 0.5, 2 ** 32]) {
      const message = `invalid code: ${code} (must be a whole number, 0–4294967295)`;
      expect(() => client.reset(0, code), `code ${code}`).toThrow(message);
    }
    expect(() => client.reset(-1, 0)).toThrow('invalid stream: -1');
  });
});
