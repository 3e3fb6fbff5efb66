import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {joinedBytes} from '../buffers.ts';
import type {OpenTcp, Piece, TransportEvent, Transports} from '../transports.ts';
import {flightsOf, HandshakeReader, type TlsStart} from './tlsHandshake.ts';
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
  test.each([
    ['classic', CLASSIC, [[300], [90, 40 + 2750 + 80 + 36], [36]]],
    ['classic, never compressed', {...CLASSIC, compressesCertificate: true}, [[300], [90, 40 + 2750 + 80 + 36], [36]]],
    ['modern', MODERN, [[1915], [1178, 40 + 2101 + 80 + 36], [36]]],
    ['compressed', {...MODERN, compressesCertificate: true}, [[1915], [1178, 40 + 1730 + 80 + 36], [36]]],
    ['without a hybrid share', {...MODERN, lacksHybridShare: true}, [[1915], [90, 40 + 2101 + 80 + 36], [36]]],
    ['resumed', {...MODERN, resumes: true}, [[1915 + 316], [1184, 40 + 36], [36]]],
    ['early', {...MODERN, resumes: true, hasEarlyData: true}, [[1915 + 316], [1184, 44 + 36], [4, 36]]],
  ])('%s has the sizes of QUIC', (_, start, expected) => {
    const {clientHello, server, clientFinished} = flightsOf(start);
    const plain = (bytes = 0) => bytes + 5;
    const sealed = (bytes = 0) => bytes + 22;
    const [[hello] = [], [serverHello, rest] = [], last = []] = expected;
    const isEarly = last.length > 1;
    expect(lengths(clientHello)).toEqual([plain(hello), ...(isEarly ? [6] : [])]);
    expect(lengths(server)).toEqual([plain(serverHello), 6, sealed(rest)]);
    expect(lengths(clientFinished)).toEqual([...(isEarly ? [] : [6]), ...last.map(sealed)]);
  });

  test.each([CLASSIC, MODERN, {...MODERN, resumes: true}, {...MODERN, compressesCertificate: true}])(
    'is read as it is sent, with %o',
    start => {
      const {clientHello, server, clientFinished} = flightsOf(start);
      for (const [from, flights] of [
        ['client', [clientHello, clientFinished]],
        ['server', [server]],
      ] as const) {
        const [handshake, records] = [new HandshakeReader(from, start), new RecordReader()];
        for (const bytes of flights.flat()) {
          expect(handshake.isDone).toBe(false);
          for (const {type, content} of records.push(bytes)) if (type === CONTENT.handshake) handshake.push(content);
        }
        expect(handshake.isDone).toBe(true);
      }
    },
  );

  test('rejects messages that are out of order or too large', () => {
    const reader = new HandshakeReader('client', CLASSIC);
    const [hello = new Uint8Array(0)] = flightsOf(CLASSIC).clientHello;
    expect(reader.push(hello.subarray(5, 200))).toBe(0);
    expect(reader.push(hello.subarray(200))).toBe(1);
    expect(() => reader.push(hello.subarray(5))).toThrow(/message of type 1/);
    expect(() => new HandshakeReader('client', CLASSIC).push(Uint8Array.of(1, 255, 255, 255))).toThrow(TlsError);
    expect(() => new HandshakeReader('server', CLASSIC).push(Uint8Array.of(1, 0, 0, 0))).toThrow(TlsError);
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

  test('tells the client when the TCP connection is established, because TLS takes longer', () => {
    const pair = new Pair();
    expect(pair.tls.handle({type: 'connected', endpoint: 0, streams: 1})).toEqual([{type: 'established', endpoint: 0}]);
    expect(pair.tls.handle({type: 'connected', endpoint: 1, streams: 1})).toEqual([]);
  });

  test('with early data is connected at once, and its data arrive with the first messages', () => {
    const pair = new Pair({...MODERN, resumes: true, hasEarlyData: true});
    expect(pair.tls.handle({type: 'connected', endpoint: 1, streams: 1})).toEqual([]);
    const connected = {type: 'connected', endpoint: 0, streams: 1} as const;
    expect(pair.tls.handle(connected)).toEqual([connected]);
    pair.tls.write(0, 0, [{bytes: Uint8Array.of(1, 2, 3), object: 5}]);
    expect(pair.deliver()).toEqual([
      {type: 'connected', endpoint: 1, streams: 1},
      {type: 'readable', endpoint: 1, stream: 0},
    ]);
    expect(pair.tls.read(1)).toEqual(Uint8Array.of(1, 2, 3));
    expect(pair.log[0]).toBe('2236 null, 6 null, 5 null, 3 5, 17 null');
    // the server may answer before the client's last messages arrive
    pair.tls.write(1, 0, [{bytes: Uint8Array.of(4), object: 5}]);
    pair.deliver();
    expect(pair.tls.read(0)).toEqual(Uint8Array.of(4));
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

  test('of a real server begins with its tickets, and each record is a write of its own', () => {
    const pieces = [
      {bytes: new Uint8Array(20), object: null},
      {bytes: new Uint8Array(100), object: 5},
      {bytes: new Uint8Array(20_000), object: 6},
      {bytes: new Uint8Array(30), object: null},
    ];
    for (const [separatesFrames, growsRecords, expected] of [
      [false, false, ['20 null', '100 5, 16284 6', '3716 6', '30 null']],
      [true, false, ['20 null', '100 5', '16384 6', '3616 6', '30 null']],
      [true, true, ['20 null', '100 5', '3558 6', '4744 6', '5930 6', '5768 6', '30 null']],
    ] as const) {
      const server = {ticketBytes: [265, 249], growsRecords, separatesFrames};
      const pair = new Pair({...MODERN, server});
      expect(pair.connect().map(({type}) => type)).toEqual(['connected', 'connected']);
      expect(pair.log).toEqual([expect.any(String), expect.any(String), expect.any(String), '287 null', '271 null']);
      expect(pair.opened?.server).toMatchObject({writesApart: true});
      pair.log.length = 0;
      expect(pair.tls.write(1, 0, pieces)).toBe(20_150);
      pair.tls.flush();
      expect(pair.log).toEqual(expected.map(content => `5 null, ${content}, 17 null`));
      pair.deliver();
      expect(pair.tls.read(0)).toHaveLength(20_150);
    }
  });

  test('of a real server that resumes a session begins with one ticket', () => {
    const server = {ticketBytes: [265, 249], growsRecords: false, separatesFrames: false};
    expect(lengths(flightsOf({...MODERN, server}).tickets)).toEqual([287, 271]);
    expect(lengths(flightsOf({...MODERN, resumes: true, server}).tickets)).toEqual([287]);
  });

  test('resumes with a ticket of an earlier one, which it uses once, and brings one more', () => {
    const pair = new Pair({...MODERN, server: {ticketBytes: [265, 265], growsRecords: false, separatesFrames: false}});
    pair.connect();
    /** Connects new connections at the same time, and returns the sizes of their ClientHellos. */
    const helloBytes = (count: number): readonly number[] => {
      pair.log.length = 0;
      pair.connect(...Array.from({length: count}, () => pair.open()));
      return pair.log.flatMap(line => (/^(1920|2236) null$/.test(line) ? [Number.parseInt(line, 10)] : []));
    };
    const [full, resumed] = [1915 + 5, 1915 + 316 + 5];
    expect(helloBytes(1)).toEqual([resumed]);
    expect(helloBytes(4)).toEqual([resumed, resumed, full, full]);
    // two connections have brought one ticket each, and the other two have brought two, but the client keeps only two
    expect(helloBytes(3)).toEqual([resumed, resumed, full]);
    // a connection takes a ticket when it is established, so one that is established later leaves them to others
    const late = pair.open();
    expect(helloBytes(2)).toEqual([resumed, resumed]);
    pair.log.length = 0;
    pair.connect(late);
    expect(pair.log[0]).toBe(`${resumed} null`);
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

const CLASSIC: TlsStart = {
  isModern: false,
  resumes: false,
  hasEarlyData: false,
  compressesCertificate: false,
  lacksHybridShare: false,
};
const MODERN: TlsStart = {...CLASSIC, isModern: true};

const lengths = (records: readonly Uint8Array[]) => records.map(({length}) => length);

/**
 * A TLS connection between endpoints 0 and 1. {@link Pair.open} opens further ones: from 2 to 3, and so on. Written bytes
 * arrive when `deliver` is called.
 */
class Pair {
  readonly log: string[] = [];
  readonly inFlight: {to: number; bytes: Uint8Array}[] = [];
  room = 1e9;
  opened: OpenTcp | undefined;
  #reading = new Uint8Array(0);
  #ends = 0;
  readonly tls: TlsTransports;

  constructor(start = CLASSIC) {
    this.tls = new TlsTransports(
      {
        openTcp: options => {
          this.opened = options;
          this.#ends += 2;
          return {client: this.#ends - 2, server: this.#ends - 1};
        },
        connect: () => {},
        write: (endpoint: number, _stream: number, pieces: readonly Piece[]) => {
          const taken = joinedBytes(pieces.map(piece => piece.bytes)).slice(0, this.room);
          this.room -= taken.length;
          this.log.push(pieces.map(({bytes: {length}, object}) => `${length} ${object}`).join(', '));
          this.inFlight.push({to: endpoint ^ 1, bytes: taken});
          return taken.length;
        },
        read: () => this.#reading,
      } as Partial<Transports> as Transports,
      start,
    );
    this.open();
  }

  /** Opens a connection, and returns its client end. */
  open(): number {
    const {client} = this.tls.openTcp({client: {profile: 'classic'}, server: {profile: 'classic'}});
    this.tls.connect(client);
    return client;
  }

  connect(...clients: readonly number[]): readonly TransportEvent[] {
    for (const client of clients.length === 0 ? [0] : clients)
      for (const endpoint of [client + 1, client]) this.tls.handle({type: 'connected', endpoint, streams: 1});
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
