import {describe, expect, test} from 'vitest';
import {bytesOf, latin1} from '../base/bytes.ts';
import {encodeDatagramRequest} from '../http/datagrams/datagramRequest.ts';
import type {CapturedLoad, ReadCapture} from './capturedLoad.ts';
import {readPacketCapture} from './packetCapture.ts';
import type {RecordedPacket} from './recordedPacket.ts';
import {loadsOf, messageOf, onlyLoad} from './testing/capturedLoads.ts';
import {HANDSHAKE, NO_CRYPTO, type TestSegment, tcpPackets} from './testing/wire.ts';

const GET = 'GET /a HTTP/1.1\r\nhost: h.test\r\n\r\n';
const HEAD = 'HTTP/1.1 200 OK\r\ncontent-length: 30\r\n\r\n';
const BODY = 'abcdefghijklmnopqrstuvwxyz0123';
const END = HEAD.length + BODY.length;
const IP_HEADER_BYTES = 20;
const OWN_INTERFACES = {up: 'up (client to server)', down: 'down (server to client)'} as const;
const REQUEST: TestSegment = {atMs: 110, from: 'client', data: GET};

function read(packets: readonly RecordedPacket[]): CapturedLoad {
  return onlyLoad(answerTo(packets));
}

function answerTo(packets: readonly RecordedPacket[]): ReadCapture {
  return readPacketCapture(packets, new Map(), NO_CRYPTO);
}

function bodyOf({exchanges}: CapturedLoad, number = 0): string | undefined {
  const body = exchanges[number]?.body ?? undefined;
  return body && latin1(body);
}

describe('the data of a response', () => {
  /** The response in segments of these ranges at these times. */
  const response = (...segments: readonly (readonly [atMs: number, from: number, to: number])[]) =>
    segments.map(([atMs, from, to], i): TestSegment => {
      const data = (HEAD + BODY).slice(from, to);
      return {atMs, from: 'server', at: from, ack: GET.length, data, identification: i + 1};
    });
  const load = (...segments: readonly (readonly [atMs: number, from: number, to: number])[]) =>
    read(tcpPackets([...HANDSHAKE, REQUEST, ...response(...segments)]));

  test('are put in order, and can be read when all data before them have arrived', () => {
    const loaded = load([210, 0, 50], [211, 60, END], [330, 50, 60]);
    expect(bodyOf(loaded)).toBe(BODY);
    const [exchange] = loaded.exchanges;
    const before = 50 - HEAD.length;
    expect(exchange).toMatchObject({requestNs: 110e6, firstByteNs: 210e6, completeNs: 330e6, bodyBytes: BODY.length});
    expect(exchange?.deliveries).toEqual([
      {atNs: 210e6, bytes: before},
      {atNs: 330e6, bytes: BODY.length},
    ]);
  });

  test('are taken from the copy that came first, also if segments overlap', () => {
    const loaded = load([210, 0, 50], [215, 20, 55], [220, 45, END]);
    expect(bodyOf(loaded)).toBe(BODY);
    expect(loaded.exchanges[0]?.deliveries.map(({bytes}) => bytes + HEAD.length)).toEqual([50, 55, END]);
  });

  test('can be read up to the first data that the capture lacks, and a note says so', () => {
    const loaded = load([210, 0, 50], [211, 60, END]);
    expect(loaded.exchanges[0]).toMatchObject({status: 200, completeNs: null, body: null, bodyBytes: 50 - HEAD.length});
    expect(loaded.notes).toEqual(['The capture lacks packets of one connection, so what follows them was not read.']);
  });

  test('without a length are complete when the end of the connection could be read', () => {
    const answer = `HTTP/1.0 200 OK\r\n\r\n${BODY}`;
    const ends = (segments: readonly TestSegment[], handshake = HANDSHAKE) => {
      const data: TestSegment = {atMs: 210, from: 'server', ack: GET.length, data: answer};
      const loaded = read(tcpPackets([...handshake, REQUEST, data, ...segments]));
      return [bodyOf(loaded), loaded.exchanges[0]?.completeNs];
    };
    const fin: TestSegment = {atMs: 250, from: 'server', flags: ['FIN', 'ACK'], at: answer.length, ack: GET.length};
    expect(ends([fin])).toEqual([BODY, 250e6]);
    expect(ends([])).toEqual([undefined, null]);
    expect(ends([{...fin, flags: ['RST', 'ACK']}])).toEqual([undefined, null]);
    // data before the FIN are missing
    expect(ends([{...fin, at: answer.length + 1}])).toEqual([undefined, null]);
    // at the server, only the acknowledgement shows that the end has arrived
    const atServer = HANDSHAKE.map((segment, i) => ({...segment, atMs: [0, 0.1, 100][i] ?? 0}));
    expect(ends([fin], atServer)).toEqual([BODY, null]);
    const acked = {atMs: 350, from: 'client', at: GET.length, ack: answer.length + 1} as const;
    expect(ends([fin, acked], atServer)).toEqual([BODY, 350e6]);
    expect(ends([fin, {...acked, ack: answer.length}], atServer)).toEqual([BODY, null]);
  });

  test('belong to their exchange, and each chunk has the range of its data', () => {
    const {packets} = load([210, 0, 50], [211, 50, END]);
    const down = packets.filter(({direction, kind}) => direction === 'down' && kind === 'data');
    expect(down.map(({chunks}) => chunks)).toEqual(
      [
        [0, 50],
        [50, END],
      ].map(([from = 0, to = 0]) => [
        {
          first: from,
          bytes: to - from,
          stream: 0,
          message: 0,
          retransmission: false,
          pieces: [{exchange: 0, bytes: to - from}],
        },
      ]),
    );
  });

  test('that fill a gap were sent again if their IPv4 identification is later, else they were only overtaken', () => {
    const filled = (identification: number) => {
      const [first, later, gap] = response([210, 0, 50], [211, 60, END], [212, 50, 60]);
      if (first === undefined || later === undefined || gap === undefined) throw new Error('three');
      const segments = [
        {...first, identification: 10},
        {...later, identification: 12},
        {...gap, identification},
      ];
      return read(tcpPackets([...HANDSHAKE, REQUEST, ...segments])).packets.at(-1)?.chunks[0]?.retransmission;
    };
    expect([filled(13), filled(11)]).toEqual([true, false]);
  });

  test('in packets without an identification were sent again if they fill a gap older than a quarter of an RTT', () => {
    const filled = (atMs: number) => {
      const segments = response([210, 0, 50], [211, 60, END], [atMs, 50, 60]).map(each => ({
        ...each,
        identification: 0,
      }));
      return read(tcpPackets([...HANDSHAKE, REQUEST, ...segments])).packets.at(-1)?.chunks[0]?.retransmission;
    };
    expect([filled(237), filled(235)]).toEqual([true, false]);
  });

  test('were sent before if an earlier ACK of their sender has a higher sequence number', () => {
    const ack: TestSegment = {atMs: 212, from: 'server', at: END, ack: GET.length, identification: 5};
    const [first, second] = response([210, 0, 50], [340, 50, END]);
    if (first === undefined || second === undefined) throw new Error('two');
    const {packets} = read(tcpPackets([...HANDSHAKE, REQUEST, first, ack, {...second, identification: 6}]));
    expect(packets.at(-1)?.chunks[0]?.retransmission).toBe(true);
  });
});

test('data that come after an ACK with a later IPv4 identification were overtaken by it', () => {
  const response = HEAD + BODY;
  const segment = (atMs: number, at: number, data: string, identification: number): TestSegment => ({
    atMs,
    from: 'server',
    at,
    ack: GET.length,
    data,
    identification,
  });
  const segments = [segment(210, 0, response.slice(0, 50), 4), segment(212, END, '', 6)];
  const {packets} = read(tcpPackets([...HANDSHAKE, REQUEST, ...segments, segment(213, 50, response.slice(50), 5)]));
  expect(packets.at(-1)?.chunks[0]?.retransmission).toBe(false);
});

test('fragments of packets are left out', () => {
  const answer: TestSegment = {atMs: 210, from: 'server', ack: GET.length, data: HEAD + BODY, isFragment: true};
  const {packets, exchanges} = read(tcpPackets([...HANDSHAKE, REQUEST, answer]));
  expect([packets.length, exchanges[0]?.status]).toEqual([4, null]);
});

describe('where a capture was made', () => {
  const answer: TestSegment = {atMs: 210, from: 'server', ack: GET.length, data: HEAD + BODY};

  test('at the client, the answer to a SYN takes a round trip', () => {
    const {seenAt, connections, packets, notes} = read(tcpPackets([...HANDSHAKE, REQUEST, answer]));
    expect([seenAt, notes]).toEqual(['client', []]);
    expect(connections[0]).toMatchObject({
      origin: 'http://h.test',
      openNs: 0,
      connectedNs: 100e6,
      tlsNs: null,
      hasTls: false,
    });
    expect(packets.map(({fate}) => fate)).toEqual(['delivered', 'delivered', null, 'delivered', 'delivered']);
  });

  test('at the server, the ACK of the SYN/ACK takes a round trip, and ACKs show when the client could read', () => {
    const handshake: readonly TestSegment[] = [
      {atMs: 0, from: 'client', flags: ['SYN'], at: -1},
      {atMs: 0.1, from: 'server', flags: ['SYN', 'ACK'], at: -1},
      {atMs: 100, from: 'client'},
    ];
    const acks: readonly TestSegment[] = [
      {atMs: 310, from: 'client', at: GET.length, ack: 45},
      {atMs: 320, from: 'client', at: GET.length, ack: END},
    ];
    const {seenAt, connections, exchanges, packets} = read(tcpPackets([...handshake, REQUEST, answer, ...acks]));
    expect(seenAt).toBe('server');
    expect(connections[0]?.connectedNs).toBe(100e6);
    expect(exchanges[0]).toMatchObject({firstByteNs: 310e6, completeNs: 320e6});
    expect(packets.filter(({direction}) => direction === 'up').every(({fate}) => fate === 'delivered')).toBe(true);
  });

  test('follows from the direction of the packets if the file gives it for all of them, whatever the times are', () => {
    const packets = tcpPackets([...HANDSHAKE, REQUEST, answer]);
    const isUp = ({data}: RecordedPacket) => data[IP_HEADER_BYTES - 5] === 1;
    const seenAt = (wayOf: (packet: RecordedPacket, row: number) => RecordedPacket['way']) =>
      read(packets.map((packet, row) => ({...packet, way: wayOf(packet, row)}))).seenAt;
    expect(seenAt(packet => (isUp(packet) ? 'received' : 'sent'))).toBe('server');
    expect(seenAt(packet => (isUp(packet) ? 'sent' : 'received'))).toBe('client');
    // a host that receives packets of both directions is neither end
    expect(seenAt(() => 'received')).toBe('client');
    expect(seenAt((packet, row) => (row === 3 ? undefined : isUp(packet) ? 'received' : 'sent'))).toBe('client');
  });

  test('between client and server, a note says so', () => {
    const [syn, synAck, ack] = HANDSHAKE;
    if (syn === undefined || synAck === undefined || ack === undefined) throw new Error('three');
    const {notes} = read(tcpPackets([syn, {...synAck, atMs: 60}, {...ack, atMs: 100}, REQUEST, answer]));
    expect(notes).toEqual([
      'The capture was made between client and server. It is read as if it had been made at the client.',
    ]);
  });

  test('in a capture that begins after the handshake, the end with the port of a server is the server', () => {
    for (const from of ['client', 'server'] as const) {
      const first: TestSegment = {atMs: 0, from, data: from === 'client' ? GET : ''};
      const {exchanges, connections} = read(tcpPackets([first, {...REQUEST, at: 0}, answer]));
      expect(connections[0]).toMatchObject({openNs: null, connectedNs: null});
      expect(exchanges[0]).toMatchObject({status: 200, url: 'http://h.test/a'});
    }
  });

  test('a note says that the beginning of a connection over HTTP/1.1 is missing', () => {
    const late = 'The capture lacks the beginning of one connection, so requests and responses may be missing.';
    expect(read(tcpPackets([REQUEST, answer])).notes).toEqual([late]);
    expect(read(tcpPackets([...HANDSHAKE.slice(1), REQUEST, answer])).notes).toEqual([]);
    // the preface shows that nothing is missing
    const settings = [0, 0, 0, 4, 0, 0, 0, 0, 0];
    const preface = Uint8Array.from([...bytesOf('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), ...settings]);
    const request = Uint8Array.of(0, 0, 8, 1, 5, 0, 0, 0, 1, 0x82, 0x84, 0x86, 0x41, 3, 97, 46, 98);
    const data = new Uint8Array([...preface, ...request]);
    const {exchanges, notes} = read(tcpPackets([{atMs: 110, from: 'client', data}]));
    expect([exchanges[0]?.url, notes]).toEqual(['http://a.b/', []]);
  });
});

describe('a packet of the client that was sent again', () => {
  const again = (ackedMs: number, sacks?: TestSegment['sacks']) => {
    const copies = [110, 400].map((atMs): TestSegment => ({...REQUEST, atMs}));
    const ack: TestSegment = {atMs: ackedMs, from: 'server', ack: GET.length, ...(sacks && {sacks}), data: HEAD + BODY};
    const {packets} = read(tcpPackets([...HANDSHAKE, ...copies, ack].sort((a, b) => a.atMs - b.atMs)));
    return packets.filter(({chunks, direction}) => direction === 'up' && chunks.length > 0).map(({fate}) => fate);
  };

  test('was lost if the acknowledgement is that of the copy', () => {
    expect(again(500)).toEqual(['lost', 'delivered']);
  });

  test('only in part has an unknown fate, and the part arrived', () => {
    const segments: readonly TestSegment[] = [
      REQUEST,
      {atMs: 400, from: 'client', at: 5, data: GET.slice(5)},
      {atMs: 500, from: 'server', ack: GET.length, data: HEAD + BODY},
    ];
    const {packets} = read(tcpPackets([...HANDSHAKE, ...segments]));
    const up = packets.filter(({chunks, direction}) => direction === 'up' && chunks.length > 0);
    expect(up.map(({fate}) => fate)).toEqual([null, 'delivered']);
  });

  test('had arrived if the acknowledgement came less than a round trip after the copy', () => {
    expect(again(450)).toEqual(['delivered', null]);
  });

  /**
   * Returns the fates of the packets in `sent`, which repeat the end of a request. The first 10 bytes of the request were
   * acknowledged before. `answers` are the later packets of the server.
   */
  const copies = (sent: readonly TestSegment[], answers: readonly TestSegment[]) => {
    const half: TestSegment = {...REQUEST, data: GET.slice(0, 10), stamps: [1000, 1]};
    const acked: TestSegment = {atMs: 210, from: 'server', ack: 10, stamps: [7, 1000]};
    const segments = [half, ...sent, acked, ...answers].sort((a, b) => a.atMs - b.atMs);
    const {packets} = read(tcpPackets([...HANDSHAKE, ...segments]));
    const up = packets.filter(({chunks, direction}) => direction === 'up' && chunks.length > 0);
    return up.slice(1).map(({fate}) => fate);
  };
  const copy = (atMs: number, own: number): TestSegment => {
    return {atMs, from: 'client', at: 10, data: GET.slice(10), stamps: [own, 1]};
  };
  const ackOf = (atMs: number, more: Partial<TestSegment> = {}): TestSegment => {
    return {atMs, from: 'server', ack: GET.length, ...more};
  };

  test('had arrived if the acknowledgement echoes an older timestamp than that of the copy', () => {
    const two = [copy(111, 1001), copy(400, 1290)];
    expect(copies(two, [ackOf(700, {stamps: [8, 1001]})])).toEqual(['delivered', null]);
    expect(copies(two, [ackOf(700, {stamps: [8, 1290]})])).toEqual(['lost', 'delivered']);
    // an echo of the copy's timestamp shows an answer to the copy, however early it comes
    expect(copies(two, [ackOf(480, {stamps: [8, 1290]})])).toEqual(['lost', 'delivered']);
    expect(copies([copy(111, 1001), copy(400, 1001)], [ackOf(480, {stamps: [8, 1001]})])).toEqual(['delivered', null]);
    const wrapped = [copy(111, 2 ** 32 - 3), copy(400, 286)];
    expect(copies(wrapped, [ackOf(700, {stamps: [8, 2 ** 32 - 3]})])).toEqual(['delivered', null]);
  });

  test('was lost if the echoed timestamp is that of earlier data that were not acknowledged before', () => {
    const before: TestSegment = {...REQUEST, data: GET.slice(0, 10), stamps: [1000, 1]};
    const segments = [before, copy(111, 1001), copy(400, 1290), ackOf(700, {stamps: [8, 1000], data: HEAD + BODY})];
    const {packets} = read(tcpPackets([...HANDSHAKE, ...segments]));
    expect(packets.slice(3, 6).map(({fate}) => fate)).toEqual(['delivered', 'lost', 'delivered']);
  });

  test('had arrived, and so had the copy, if the server reports that the copy brought nothing new', () => {
    const two = [copy(111, 1001), copy(400, 1290)];
    const twice: TestSegment['sacks'] = [[10, GET.length]];
    const plain = ackOf(600);
    expect(copies(two, [plain, ackOf(800)])).toEqual(['lost', 'delivered']);
    expect(copies(two, [plain, ackOf(800, {sacks: twice})])).toEqual(['delivered', 'delivered']);
    // the report is about the last of the copies that had arrived before the report was sent
    const three = [copy(111, 1001), copy(400, 1290), copy(760, 1650)];
    expect(copies(three, [ackOf(900), ackOf(950, {sacks: twice})])).toEqual(['lost', 'delivered', 'delivered']);
    expect(copies(three, [plain, ackOf(800, {sacks: twice})])).toEqual(['delivered', 'delivered', null]);
  });

  const later: TestSegment = {atMs: 111, from: 'client', at: GET.length, data: GET};
  /** The request, and data behind it that are sent again. */
  const sentTwice = [REQUEST, later, {...later, atMs: 400}];

  test('was lost if the first SACK block names it above the cumulative acknowledgement, which is no DSACK', () => {
    const segments: readonly TestSegment[] = [
      ...sentTwice,
      {atMs: 500, from: 'server', ack: 0, sacks: [[GET.length, 2 * GET.length]]},
      {...REQUEST, atMs: 501},
      {atMs: 601, from: 'server', ack: 2 * GET.length, data: HEAD + BODY},
    ];
    const {packets} = read(tcpPackets([...HANDSHAKE, ...segments]));
    const up = packets.filter(({chunks, direction}) => direction === 'up' && chunks.length > 0);
    expect(up.map(({fate}) => fate)).toEqual(['lost', 'lost', 'delivered', 'delivered']);
  });

  test('behind a gap had arrived if the first SACK block is within the second one', () => {
    const segments: readonly TestSegment[] = [
      ...sentTwice,
      {atMs: 900, from: 'server', ack: 0, sacks: [[GET.length, 2 * GET.length]]},
      {
        atMs: 901,
        from: 'server',
        ack: 0,
        sacks: [
          [GET.length + 2, 2 * GET.length],
          [GET.length, 2 * GET.length],
        ],
      },
      {...REQUEST, atMs: 902},
      {atMs: 1002, from: 'server', ack: 2 * GET.length, data: HEAD + BODY},
    ];
    const {packets} = read(tcpPackets([...HANDSHAKE, ...segments]));
    const up = packets.filter(({chunks, direction}) => direction === 'up' && chunks.length > 0);
    expect(up.map(({fate}) => fate)).toEqual(['lost', 'delivered', 'delivered', 'delivered']);
  });
});

test.each([
  ['without', undefined],
  ['with', true],
])('a selective acknowledgement shows what arrived behind a gap, %s timestamps', (_, isStamped) => {
  const stamped = (own: number, echo: number) => (isStamped ? {stamps: [own, echo] as const} : {});
  const segments: readonly TestSegment[] = [
    {atMs: 110, from: 'client', data: GET.slice(0, 10), ...stamped(1000, 5)},
    {atMs: 111, from: 'client', at: 10, data: GET.slice(10), ...stamped(1001, 5)},
    {atMs: 211, from: 'server', ack: 0, sacks: [[10, GET.length]], ...stamped(6, 900)},
    {atMs: 215, from: 'client', data: GET, ...stamped(1105, 6)},
    {atMs: 315, from: 'server', ack: GET.length, data: HEAD + BODY, ...stamped(7, 1105)},
  ];
  const {packets} = read(tcpPackets([...HANDSHAKE, ...segments]));
  const up = packets.filter(({chunks, direction}) => direction === 'up' && chunks.length > 0);
  expect(up.map(({fate, chunks}) => [fate, chunks[0]?.retransmission])).toEqual([
    ['lost', false],
    ['delivered', false],
    ['delivered', true],
  ]);
  const down = packets.filter(({direction}) => direction === 'down');
  expect(down.map(({sackedTo}) => sackedTo)).toEqual([undefined, GET.length, undefined]);
  // below the cumulative acknowledgement it reports data that arrived twice (RFC 2883)
  const twice = {atMs: 316, from: 'server', ack: GET.length, sacks: [[0, 10]]} as const;
  expect(read(tcpPackets([...HANDSHAKE, ...segments, twice])).packets.at(-1)?.sackedTo).toBeUndefined();
});

test('packets over IPv6 with an extension header are read, with their ECN codepoints', () => {
  const answer: TestSegment = {atMs: 210, from: 'server', ack: GET.length, data: HEAD + BODY, ecn: 3};
  for (const version of [4, 6] as const) {
    const load = read(tcpPackets([...HANDSHAKE, {...REQUEST, ecn: 2}, answer], {version}));
    expect(bodyOf(load)).toBe(BODY);
    expect(load.packets.map(({ecn}) => ecn)).toEqual([0, 0, 0, 2, 3]);
    expect(load.packets[3]?.bytes).toBe((version === 4 ? 20 : 48) + 20 + GET.length);
  }
});

test('the kinds of packets are those of traces', () => {
  const segments: readonly TestSegment[] = [
    ...HANDSHAKE,
    REQUEST,
    {atMs: 210, from: 'server', ack: GET.length, data: HEAD + BODY},
    {atMs: 211, from: 'server', at: END, ack: GET.length, flags: ['FIN', 'ACK']},
    {atMs: 212, from: 'client', at: GET.length, flags: ['RST']},
  ];
  const {packets} = read(tcpPackets(segments));
  expect(packets.map(({kind, cumulativeAck}) => [kind, cumulativeAck])).toEqual([
    ['setUp', Number.NaN],
    ['setUp', 0],
    ['acknowledgement', 0],
    ['data', 0],
    ['data', GET.length],
    ['close', GET.length],
    ['abort', Number.NaN],
  ]);
});

test('packets that are larger than the MSS of the handshake allows are noted', () => {
  const large: TestSegment = {
    atMs: 210,
    from: 'server',
    ack: GET.length,
    data: `HTTP/1.1 200 OK\r\ncontent-length: 4000\r\n\r\n${'x'.repeat(4000)}`,
  };
  const {notes, exchanges} = read(tcpPackets([...HANDSHAKE, REQUEST, large]));
  expect(exchanges[0]?.bodyBytes).toBe(4000);
  expect(notes).toEqual([
    'One packet is larger than the path allows, because the host had joined packets that it received, or had not yet ' +
      'divided packets that it sent (segmentation offload). So the capture has fewer packets than the wire had.',
  ]);
});

test('packets of which the file has only the beginning are counted, but not read', () => {
  const answer: TestSegment = {atMs: 210, from: 'server', ack: GET.length, data: HEAD + BODY, captured: 70};
  const {notes, exchanges, packets} = read(tcpPackets([...HANDSHAKE, REQUEST, answer]));
  expect(exchanges[0]).toMatchObject({status: null, completeNs: null});
  expect(packets.at(-1)).toMatchObject({bytes: 40 + END, chunks: [{first: 0, bytes: END}]});
  expect(notes).toEqual(['The file has only the beginning of some packets, so the rest of them was not read.']);
});

test('a packet that was recorded twice counts once', () => {
  const answer: TestSegment = {atMs: 210, from: 'server', ack: GET.length, data: HEAD + BODY, identification: 9};
  const {packets} = read(tcpPackets([...HANDSHAKE, REQUEST, answer, {...answer, atMs: 210.01}]));
  expect(packets.filter(({direction, kind}) => direction === 'down' && kind === 'data').length).toBe(1);
});

describe('page loads', () => {
  /** A request at `atMs` and its response 100 ms later. `number` is how many requests the connection had before. */
  const exchange = (atMs: number, number: number, head = HEAD): readonly TestSegment[] => [
    {atMs, from: 'client', at: number * GET.length, ack: number * END, data: GET},
    {atMs: atMs + 100, from: 'server', at: number * END, ack: (number + 1) * GET.length, data: head + BODY},
  ];

  test('are separate if nothing was under way for 3 s, also on the same connection', () => {
    const packets = tcpPackets([...HANDSHAKE, ...exchange(110, 0), ...exchange(3300, 1), ...exchange(6000, 2)]);
    const loads = loadsOf(answerTo(packets));
    expect(loads.map(({exchanges}) => exchanges.map(({requestNs}) => requestNs))).toEqual([[110e6], [0, 2700e6]]);
    expect(loads.map(({packets}) => packets.length)).toEqual([5, 4]);
    expect(loads[1]?.connections[0]).toMatchObject({openNs: null, connectedNs: null});
    expect(loads[1]?.packets[0]?.chunks[0]?.pieces).toEqual([{exchange: 0, bytes: GET.length}]);
  });

  test('are one in a capture of this program, however long nothing happens', () => {
    const ack: TestSegment = {atMs: 300, from: 'client', at: GET.length, ack: END};
    const packets = tcpPackets([...HANDSHAKE, ...exchange(110, 0), ack, ...exchange(6000, 1)]);
    const own = packets.map((packet, i) => ({...packet, interface: OWN_INTERFACES[i % 2 === 0 ? 'up' : 'down']}));
    expect(read(own).exchanges.length).toBe(2);
  });

  test('are one if a response is awaited for longer', () => {
    const [request, response] = exchange(110, 0);
    if (request === undefined || response === undefined) throw new Error('two');
    const packets = tcpPackets([...HANDSHAKE, request, {...response, atMs: 9000}, ...exchange(9500, 1)]);
    expect(loadsOf(answerTo(packets)).length).toBe(1);
  });

  test('begin with the HTML, even if another request was earlier', () => {
    const html = HEAD.replace('content-length', 'content-type: text/html\r\ncontent-length');
    const packets = tcpPackets([
      ...HANDSHAKE,
      ...exchange(110, 0),
      ...exchange(300, 1, html),
      {atMs: 500, from: 'client', at: 2 * GET.length, data: GET},
    ]);
    const {exchanges, packets: all} = read(packets);
    expect(exchanges.map(({requestNs}) => requestNs / 1e6)).toEqual([300, 110, 500]);
    const pieces = all
      .filter(({direction}) => direction === 'up')
      .flatMap(({chunks}) => chunks.flatMap(chunk => chunk.pieces));
    expect(pieces.map(piece => piece.exchange)).toEqual([1, 0, 2]);
  });

  test('have the connections of one client, and another client has loads of its own', () => {
    const first = tcpPackets([...HANDSHAKE, ...exchange(110, 0)]);
    const second = tcpPackets([...HANDSHAKE, ...exchange(110, 0)], {ports: [50_001, 80]});
    const third = tcpPackets([...HANDSHAKE, ...exchange(110, 0)], {version: 6});
    const packets = [...first, ...second, ...third].sort((a, b) => a.atNs - b.atNs);
    const loads = loadsOf(answerTo(packets));
    expect(loads.map(({connections, exchanges}) => [connections.length, exchanges.length])).toEqual([
      [2, 2],
      [1, 1],
    ]);
    expect(loads[0]?.exchanges.map(({connection}) => connection)).toEqual([0, 1]);
  });
});

test('a decoded body is left out, with a note, if the decoded bodies would exceed 256 MiB together', () => {
  const huge = new Uint8Array(64 * 2 ** 20);
  const head = HEAD.replace('content-length', 'content-encoding: huge\r\ncontent-length');
  const packets = [1, 2, 3, 4, 5, 6].flatMap(port => {
    const answer: TestSegment = {atMs: 210 + port, from: 'server', ack: GET.length, data: head + BODY};
    const plain: TestSegment = {...answer, data: HEAD + BODY};
    return tcpPackets([...HANDSHAKE, REQUEST, port === 6 ? plain : answer], {ports: [50_000 + port, 80]});
  });
  const answer = readPacketCapture(
    packets.toSorted((a, b) => a.atNs - b.atNs),
    new Map(),
    {
      ...NO_CRYPTO,
      decode: (_, __, mostBytes) => (huge.length <= mostBytes ? huge : undefined),
    },
  );
  const {exchanges, notes} = onlyLoad(answer);
  const left = [undefined, BODY.length];
  expect(exchanges.map(({body}) => body?.length)).toEqual([...new Array(4).fill(huge.length), ...left]);
  expect(notes).toEqual(['The decoded bodies of this file exceed 268435456 bytes together, so some were left out.']);
});

test('packets of one time keep the order of the file, also on several connections', () => {
  const flows = [1, 2].map(port => tcpPackets([...HANDSHAKE, REQUEST], {ports: [50_000 + port, 80]}));
  const [first = [], second = []] = flows;
  const packets = first.flatMap((packet, i) => {
    const both = [packet, second[i] ?? packet];
    return i === 0 ? both : both.toReversed();
  });
  const load = read(packets.map((packet, row) => ({...packet, row})));
  expect(load.packets.map(({connection}) => connection)).toEqual([0, 1, 1, 0, 1, 0, 1, 0]);
});

test('a capture can have more connections than a function call can have arguments', {tags: ['long']}, () => {
  const [syn] = HANDSHAKE;
  if (syn === undefined) throw new Error('one');
  const [template] = tcpPackets([syn], {ports: [0, 0]});
  if (template === undefined) throw new Error('one');
  const many = Array.from({length: 130_000}, (_, i): RecordedPacket => {
    const data = template.data.slice();
    data.set([i >> 8, i, 0, 80 + (i >> 16)], IP_HEADER_BYTES);
    return {...template, data};
  });
  const answer: TestSegment = {atMs: 210, from: 'server', ack: GET.length, data: HEAD + BODY};
  const {connections, exchanges} = read([...many, ...tcpPackets([...HANDSHAKE, REQUEST, answer], {ports: [9, 99]})]);
  expect([connections.length, exchanges.length]).toEqual([130_001, 1]);
});

describe('a capture that cannot be read', () => {
  const message = (packets: readonly RecordedPacket[]): string => messageOf(answerTo(packets));

  test('says what is missing', () => {
    expect(message([])).toBe('the capture has no connection over TCP, QUIC or SCTP');
    expect(message(tcpPackets(HANDSHAKE))).toBe('the capture has no request of HTTP that can be read.');
  });

  const udp = (payload: Uint8Array, ports: readonly [number, number]): RecordedPacket => {
    const data = new Uint8Array(28 + payload.length);
    data.set([0x45, 0, 0, 0, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
    data.set(
      ports.flatMap(port => [port >> 8, port & 255]),
      IP_HEADER_BYTES,
    );
    data.set(payload, IP_HEADER_BYTES + 8);
    return {row: 0, atNs: 0, bytes: data.length, data, comment: '', interface: 'eth0'};
  };

  test('says each reason once, and at most six', () => {
    const hello = Uint8Array.of(22, 0xfe, 0xfd, ...new Array(10).fill(0));
    const sealed = Uint8Array.of(0x2e, 0, 1, 0, 30, ...new Array(30).fill(7));
    // each client has one connection more than the one before
    const clients = Array.from({length: 9}, (_, client) =>
      Array.from({length: client + 1}, (_, port) =>
        [hello, sealed].map(payload => {
          const packet = udp(payload, [50_000 + port, 443]);
          packet.data[IP_HEADER_BYTES - 5] = client >> 1;
          packet.data[IP_HEADER_BYTES - 6] = client & 1;
          return packet;
        }),
      ),
    ).flat(2);
    const reasons = message(clients).match(/over DTLS are encrypted/g);
    expect(reasons?.length).toBe(6);
    expect(message(clients.slice(0, 8)).match(/over DTLS are encrypted/g)?.length).toBe(2);
  });

  test('because of DTLS with encryption says so', () => {
    const hello = Uint8Array.of(22, 0xfe, 0xfd, ...new Array(10).fill(0));
    const sealed = Uint8Array.of(0x2e, 0, 1, 0, 30, ...new Array(30).fill(7));
    const packets = [1, 2].flatMap(port => [hello, sealed].map(payload => udp(payload, [50_000 + port, 443])));
    expect(message(packets)).toBe(
      'the capture has no request of HTTP that can be read. The contents of two connections over DTLS are encrypted, and ' +
        'DTLS can be read only in captures of this program.',
    );
  });

  test('is not taken for bare datagrams, even if an answer of another protocol looks like a frame', () => {
    const answer = udp(new Uint8Array(20).fill(0).fill(1, 11, 12), [53, 50_000]);
    answer.data.set([10, 0, 0, 2, 10, 0, 0, 1], 12);
    expect(message([udp(Uint8Array.of(1, 2, 3), [50_000, 53]), answer])).toBe(
      'the capture has no connection over TCP, QUIC or SCTP',
    );
  });

  test('because bare datagrams have no names of interfaces says so', () => {
    const asked = {url: '/', request: 0, datagram: 0, ranges: null, rttUs: null};
    expect(message([udp(encodeDatagramRequest(asked, 200), [50_000, 80])])).toBe(
      'the capture has no request of HTTP that can be read. HTTP in bare datagrams can be read only in pcapng files with ' +
        'the interfaces and comments that this program writes.',
    );
  });

  test('because it begins in the middle of connections says so', () => {
    const sealed = Uint8Array.of(23, 3, 3, 0, 40, ...new Array(40).fill(5));
    const late = (port: number) => tcpPackets([{atMs: 0, from: 'client', data: sealed}], {ports: [port, 443]});
    expect(message([...late(50_001), ...late(50_002)])).toBe(
      'the capture has no request of HTTP that can be read. The contents of two connections cannot be read because the ' +
        'capture lacks the beginning.',
    );
    // the acknowledgement covers data that precede the first captured data
    const gap = tcpPackets([
      {atMs: 0, from: 'server', ack: 10},
      {atMs: 1, from: 'client', at: 20, data: sealed},
    ]);
    expect(message(gap)).toContain('one connection cannot be read because the capture lacks the beginning.');
    // without data nothing is missing
    expect(message(tcpPackets([{atMs: 0, from: 'client'}]))).toBe(
      'the capture has no request of HTTP that can be read.',
    );
    expect(message(tcpPackets([...HANDSHAKE, {atMs: 110, from: 'client', data: sealed}]))).not.toContain('beginning');
  });

  test('because it begins after the handshake of QUIC says so', () => {
    const short = (first: number) => udp(Uint8Array.of(first, 1, 2, 3), [50_000, 443]);
    const five = [0x40, 0x41, 0x5f, 0x7f, 0x60].map(short);
    const late =
      'The contents of one connection over UDP, probably QUIC, cannot be read because the capture lacks the beginning.';
    expect(message(five)).toBe(`the capture has no request of HTTP that can be read. ${late}`);
    expect(message([...five, ...tcpPackets(HANDSHAKE)])).toContain(late);
    // other protocols
    const none = 'the capture has no connection over TCP, QUIC or SCTP';
    expect(message(five.slice(1))).toBe(none);
    expect(message([...five, short(0xc0)])).toBe(none);
    expect(message([...five, short(0x3f)])).toBe(none);
  });

  test('because it lacks the ServerHello says so, unless the key log has no secrets of the session', () => {
    const hello = [22, 3, 1, 0, 45, 1, 0, 0, 41, 3, 3, ...new Array(32).fill(1), 0, 0, 2, 0, 1, 1, 0];
    const segments: readonly TestSegment[] = [
      {atMs: 110, from: 'client', data: Uint8Array.from(hello)},
      {atMs: 310, from: 'client', at: hello.length, data: Uint8Array.of(23, 3, 3, 0, 2, 5, 5)},
    ];
    const packets = tcpPackets([...HANDSHAKE, ...segments]);
    const keys = new Map([['01'.repeat(32), new Map([['CLIENT_TRAFFIC_SECRET_0', new Uint8Array(32)]])]]);
    expect(messageOf(readPacketCapture(packets, keys, NO_CRYPTO))).toContain(
      'The contents of one connection cannot be read because the capture lacks a part of the TLS handshake.',
    );
    expect(message(packets)).toContain('no key log (SSLKEYLOGFILE, --keys) has their secrets');
  });

  test('because of TLS 1.2 says that the version is before 1.3', () => {
    const hello = [22, 3, 1, 0, 45, 1, 0, 0, 41, 3, 3, ...new Array(32).fill(1), 0, 0, 2, 0, 1, 1, 0];
    const answer = [22, 3, 3, 0, 42, 2, 0, 0, 38, 3, 3, ...new Array(32).fill(2), 0, 0, 1, 0];
    const data = [23, 3, 3, 0, 2, 5, 5];
    const segments: readonly TestSegment[] = [
      {atMs: 110, from: 'client', data: Uint8Array.from(hello)},
      {atMs: 210, from: 'server', data: Uint8Array.from(answer)},
      {atMs: 310, from: 'client', at: hello.length, data: Uint8Array.from(data)},
    ];
    expect(message(tcpPackets([...HANDSHAKE, ...segments]))).toContain('use a TLS version before 1.3');
    // the handshake of TLS is the beginning of the data
    expect(message(tcpPackets(segments))).not.toContain('beginning');
  });
});
