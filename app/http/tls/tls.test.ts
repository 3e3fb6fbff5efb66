import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {joinedBytes} from '../buffers.ts';
import type {Piece, TransportEvent, Transports} from '../transports.ts';
import {CLIENT_FINISHED, CLIENT_HELLO, HandshakeReader, SERVER_FLIGHT} from './tlsHandshake.ts';
import {CONTENT, RecordReader, recordContentBytes, sealedRecord, TlsError} from './tlsRecord.ts';
import {TlsTransports} from './tlsTransports.ts';

const bytes = fc.uint8Array({maxLength: 400});

describe('records', () => {
  test('are read when they are complete, in pieces of any size', () => {
    const content = Uint8Array.from({length: 100}, (_, i) => i);
    const sent = sealedRecord(CONTENT.applicationData, content);
    expect(sent).toHaveLength(100 + 22);
    const reader = new RecordReader();
    for (const [at, byte] of sent.entries()) {
      const isLast = at === sent.length - 1;
      expect(reader.push(Uint8Array.of(byte))).toEqual(isLast ? [{type: CONTENT.applicationData, content}] : []);
    }
    const both = Uint8Array.of(...sent, ...sent, 23, 3);
    expect(reader.push(both)).toHaveLength(2);
    expect(reader.push(sent.subarray(2))).toHaveLength(1);
  });

  test('have a content that fits in one packet at first, grow by a packet each, and never exceed 16 KB', () => {
    expect([0, 1, 12, 13, 1e6].map(recordContentBytes)).toEqual([1186, 2372, 15_418, 16_384, 16_384]);
  });

  test('that are invalid are reported at once', () => {
    for (const broken of [
      [21, 3, 3, 0, 1],
      [23, 2, 3, 0, 1],
      [23, 3, 1, 0, 1],
      [23, 3, 3, 0x41, 1], // 2^14 + 257
      [23, 3, 3, 0, 0],
      [23, 3, 3, 0, 17, ...Array.from({length: 17}, () => 9)],
    ]) {
      expect(() => new RecordReader().push(Uint8Array.from(broken))).toThrow(TlsError);
    }
    fc.assert(
      fc.property(fc.array(bytes, {maxLength: 5}), pieces => {
        const reader = new RecordReader();
        try {
          for (const piece of pieces) reader.push(piece);
        } catch (error) {
          expect(error).toBeInstanceOf(TlsError);
        }
      }),
    );
  });
});

describe('the handshake', () => {
  test('has the sizes of QUIC: 300, 2996 and 36 bytes of messages', () => {
    const sizes = [CLIENT_HELLO, SERVER_FLIGHT, CLIENT_FINISHED].map(records => records.map(({length}) => length));
    expect(sizes).toEqual([[305], [95, 6, 2906 + 22], [6, 36 + 22]]);
  });

  test('rejects messages that are out of order or too large', () => {
    const reader = new HandshakeReader('client');
    const [hello = new Uint8Array(0)] = CLIENT_HELLO;
    expect(reader.push(hello.subarray(5, 200))).toBe(0);
    expect(reader.push(hello.subarray(200))).toBe(1);
    expect(() => reader.push(hello.subarray(5))).toThrow(/message of type 1/);
    expect(() => new HandshakeReader('client').push(Uint8Array.of(1, 255, 255, 255))).toThrow(TlsError);
    expect(() => new HandshakeReader('server').push(Uint8Array.of(1, 0, 0, 0))).toThrow(TlsError);
  });
});

describe('a connection', () => {
  test('is connected when the handshake is complete, and then carries data', () => {
    const pair = new Pair();
    const events = pair.connect();
    expect(events).toEqual([
      {type: 'connected', endpoint: 0, streams: 1},
      {type: 'connected', endpoint: 1, streams: 1},
    ]);
    pair.log.length = 0;
    expect(pair.tls.write(1, 0, [{bytes: new Uint8Array(1400).fill(7), object: 5}])).toBe(1400);
    pair.tls.flush();
    expect(pair.log).toEqual(['5 null, 1186 5, 17 null, 5 null, 214 5, 17 null']);
    expect(pair.deliver()).toEqual([{type: 'readable', endpoint: 0, stream: 0}]);
    expect(pair.tls.read(0)).toEqual(new Uint8Array(1400).fill(7));
    expect(pair.tls.read(0)).toHaveLength(0);
  });

  test('has records with pieces of several objects from a server, and records of one piece from a client', () => {
    const pair = new Pair();
    pair.connect();
    const pieces = [1000, 100, 3000].map((bytes, object) => ({bytes: new Uint8Array(bytes).fill(object), object}));
    for (const endpoint of [1, 0]) {
      pair.log.length = 0;
      expect(pair.tls.write(endpoint, 0, pieces)).toBe(4100);
      pair.tls.flush();
      expect(pair.log.join()).toBe(
        endpoint === 1
          ? '5 null, 1000 0, 100 1, 86 2, 17 null, 5 null, 2372 2, 17 null, 5 null, 542 2, 17 null'
          : '5 null, 1000 0, 17 null, 5 null, 100 1, 17 null, 5 null, 3000 2, 17 null',
      );
      pair.deliver();
      expect(pair.tls.read(1 - endpoint)).toEqual(joinedBytes(pieces.map(({bytes}) => bytes)));
    }
  });

  test('continues to write when the transport accepts more', () => {
    const pair = new Pair();
    pair.connect();
    pair.room = 100;
    // Records are accepted while fewer than 16,384 bytes wait, so the last accepted record exceeds this limit.
    const pieces = [10_000, 20_000].map(bytes => ({bytes: new Uint8Array(bytes), object: 5}));
    expect(pair.tls.write(1, 0, pieces)).toBe(15 * 1186);
    expect(pair.tls.write(1, 0, [{bytes: new Uint8Array(3000), object: 5}])).toBe(0);
    expect(pair.tls.flush()).toBe(true);
    pair.room = 1e6;
    expect(pair.tls.flush()).toBe(false);
    pair.deliver();
    expect(pair.tls.read(0)).toHaveLength(15 * 1186);
  });

  test('ends once if the bytes are not TLS, or if data precede the end of the handshake', () => {
    for (const sent of [Uint8Array.of(1, 2, 3, 4, 5), sealedRecord(CONTENT.applicationData, Uint8Array.of(1))]) {
      const pair = new Pair();
      pair.inFlight.push({to: 1, bytes: sent});
      expect(pair.deliver()).toMatchObject([{type: 'closed', endpoint: 1, reason: /^TLS: /}]);
      pair.inFlight.push({to: 1, bytes: Uint8Array.of(1, 2, 3, 4, 5)});
      expect(pair.deliver()).toEqual([]);
    }
  });

  test('that is closed writes nothing more', () => {
    const pair = new Pair();
    pair.connect();
    pair.room = 100;
    const piece = {bytes: new Uint8Array(5000), object: 5};
    pair.tls.write(1, 0, [piece]);
    expect(pair.tls.flush()).toBe(true);
    const closed = {type: 'closed', endpoint: 1, reason: 'data-timeout'} as const;
    expect(pair.tls.handle(closed)).toEqual([closed]);
    pair.log.length = 0;
    pair.room = 1e6;
    expect(pair.tls.flush()).toBe(false);
    pair.tls.write(1, 0, [piece]);
    expect(pair.tls.flush()).toBe(false);
    expect(pair.log).toEqual([]);
    // The other end can still write.
    pair.tls.write(0, 0, [piece]);
    pair.tls.flush();
    expect(pair.log).toHaveLength(1);
  });

  test('does not throw for arbitrary bytes', () => {
    fc.assert(
      fc.property(fc.array(bytes, {maxLength: 4}), fc.boolean(), (pieces, isConnected) => {
        const pair = new Pair();
        if (isConnected) pair.connect();
        for (const piece of pieces) pair.inFlight.push({to: 0, bytes: piece});
        for (const event of pair.deliver()) expect(['closed', 'readable', 'connected']).toContain(event.type);
      }),
    );
  });
});

/** A TLS connection between endpoints 0 and 1. Written bytes arrive when `deliver` is called. */
class Pair {
  readonly log: string[] = [];
  readonly inFlight: {to: number; bytes: Uint8Array}[] = [];
  room = 1e9;
  #reading = new Uint8Array(0);
  readonly tls = new TlsTransports({
    openTcp: () => ({client: 0, server: 1}),
    connect: () => {},
    write: (endpoint: number, _stream: number, pieces: readonly Piece[]) => {
      const taken = joinedBytes(pieces.map(piece => piece.bytes)).slice(0, this.room);
      this.room -= taken.length;
      this.log.push(pieces.map(({bytes: {length}, object}) => `${length} ${object}`).join(', '));
      this.inFlight.push({to: 1 - endpoint, bytes: taken});
      return taken.length;
    },
    read: () => this.#reading,
  } as Partial<Transports> as Transports);

  constructor() {
    this.tls.openTcp({client: {profile: 'classic'}, server: {profile: 'classic'}});
  }

  connect(): readonly TransportEvent[] {
    for (const endpoint of [1, 0]) this.tls.handle({type: 'connected', endpoint, streams: 1});
    return this.deliver();
  }

  deliver(): readonly TransportEvent[] {
    const events: TransportEvent[] = [];
    this.tls.flush();
    for (let next = this.inFlight.shift(); next !== undefined; next = this.inFlight.shift()) {
      this.#reading = next.bytes.slice();
      events.push(...this.tls.handle({type: 'readable', endpoint: next.to, stream: 0}));
      this.tls.flush();
    }
    return events.filter(({type}, i) => type !== 'readable' || events[i - 1]?.type !== 'readable');
  }
}
