import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {base64} from '../../base/bytes.ts';
import type {Json} from '../../base/json.ts';
import type {CapturedLoad} from '../capturedLoad.ts';
import {loadsOf, messageOf, onlyLoad} from '../testing/capturedLoads.ts';
import {readPcap} from '../testing/readPcap.ts';
import {readNetlog} from './readNetlog.ts';

// The files are real logs, from which events that are not read were removed. See fixtures/captures/README.md.

const folder = new URL('../../../fixtures/captures/', import.meta.url);

function file(name: string): string {
  return readFileSync(new URL(name, folder), 'utf8');
}

function read(text: string): CapturedLoad {
  return onlyLoad(readNetlog(text));
}

test('requests over HTTP/2 have their times, streams, priorities and bodies', () => {
  const load = read(file('chromium-h2.netlog'));
  expect([load.kind, load.pipeline, load.seenAt]).toEqual(['netlog', 'h2', 'client']);
  expect(load.notes).toEqual(['A network log has no packets of TCP.']);
  expect(
    load.exchanges.map(({stream, method, url, priority, status, bodyBytes, body}) => [
      stream,
      method,
      url.replace('https://localhost:18443', ''),
      priority,
      status,
      bodyBytes,
      body?.length,
    ]),
  ).toEqual([
    // The sizes on the network are those of the compressed bodies.
    [1, 'GET', '/', 'VeryHigh', 200, 120, 1480],
    [3, 'GET', '/a.css', 'VeryHigh', 200, 46, 1400],
    [5, 'GET', '/b.jpg', 'Medium', 200, 9000, 9000],
    [7, 'GET', '/c.jpg', 'Medium', 200, 6000, 6000],
    [9, 'GET', '/favicon.ico', 'High', 404, 4, 4],
  ]);
  const [first] = load.exchanges;
  expect(first).toMatchObject({connection: 0, requestNs: 51e6, firstByteNs: 96e6, completeNs: 127e6, initiator: null});
  expect(first?.deliveries).toEqual([{atNs: 127e6, bytes: 120}]);
  expect(first?.requestFields).toContainEqual(['accept-encoding', 'gzip, deflate, br, zstd']);
  expect(first?.responseFields[0]).toEqual(['content-type', 'text/html']);
  expect(new TextDecoder().decode(first?.body ?? undefined)).toMatch(/^<!doctype html>/);
});

test('a load has only the connections of its page, with the times of TCP and TLS', () => {
  expect(read(file('chromium-h2.netlog')).connections).toEqual([
    {origin: 'https://localhost:18443', hasTls: true, openNs: 0, connectedNs: 0, tlsNs: 47e6, streams: 1},
  ]);
  const {connections, exchanges, pipeline} = read(file('chromium-h1.netlog'));
  expect(pipeline).toBe('tcp');
  expect(connections.map(({openNs, connectedNs, tlsNs}) => [openNs, connectedNs, tlsNs])).toEqual([
    [0, 0, 17e6],
    [8e6, 10e6, 24e6],
    [197e6, 231e6, 240e6],
  ]);
  expect(exchanges.map(({connection, stream}) => [connection, stream])).toEqual([
    [0, 0],
    [0, 0],
    [1, 0],
    [2, 0],
  ]);
});

test('a body that was not read to its end is incomplete', () => {
  const {exchanges} = read(file('chromium-h1.netlog'));
  expect(exchanges.map(({bodyBytes, completeNs}) => [bodyBytes, completeNs !== null])).toEqual([
    [120, true],
    [46, true],
    [9000, true],
    [3945, false],
  ]);
  // The log does not have the bodies, because it was not recorded with them.
  expect(exchanges.every(({body}) => body === null)).toBe(true);
});

test('QUIC packets have the sizes that a capture of the same load has, and fates, kinds and data', () => {
  const load = read(file('chromium-h3.netlog'));
  expect([load.pipeline, load.notes]).toEqual(['h3', []]);
  expect(load.connections).toEqual([
    {origin: 'https://localhost:14433', hasTls: true, openNs: 0, connectedNs: 19e6, tlsNs: null, streams: 128},
  ]);
  const captured = readPcap(readFileSync(new URL('chromium-h3.pcap', folder)), 14433);
  for (const direction of ['up', 'down']) {
    const own = load.packets.filter(packet => packet.direction === direction);
    expect(own.map(({bytes}) => bytes)).toEqual(
      captured.filter(datagram => datagram.direction === direction).map(({packet}) => packet.bytes),
    );
  }
  expect(load.exchanges.map(({stream, bodyBytes}) => [stream, bodyBytes])).toEqual([
    [0, 1480],
    [4, 1400],
    [8, 9000],
    [12, 6000],
    [16, 0],
  ]);
  const sum = (exchange: number, direction: string) =>
    load.packets
      .filter(packet => packet.direction === direction)
      .flatMap(({chunks}) => chunks.flatMap(({pieces}) => pieces))
      .reduce((total, piece) => total + (piece.exchange === exchange ? piece.bytes : 0), 0);
  expect([sum(0, 'up'), sum(0, 'down')]).toEqual([429, 18 + 3 + 1480]);
  const counts = (fate: string | null) => load.packets.filter(packet => packet.fate === fate).length;
  expect([counts('delivered'), counts('lost'), counts(null)]).toEqual([47, 0, 3]);
  expect(load.packets.at(-1)?.kind).toBe('close');
  expect(
    load.packets.filter(({direction, cumulativeAck}) => direction === 'down' && cumulativeAck > 0).length,
  ).toBeGreaterThan(4);
});

test('a log without an end is read up to its last whole event', () => {
  const text = file('chromium-h2.netlog');
  for (const share of [0.6, 0.8, 0.95]) {
    const load = read(text.slice(0, text.length * share));
    expect(load.notes).toContain('The network log has no end, so it was read up to its last whole event.');
    expect(load.exchanges[0]?.url).toBe('https://localhost:18443/');
  }
});

// In the logs that the tests write, the number of a name is its index in these lists.
const TYPES = [
  'REQUEST_ALIVE',
  'URL_REQUEST_START_JOB',
  'HTTP_TRANSACTION_SEND_REQUEST',
  'HTTP_TRANSACTION_READ_RESPONSE_HEADERS',
  'HTTP_TRANSACTION_READ_BODY',
  'URL_REQUEST_JOB_FILTERED_BYTES_READ',
  'URL_REQUEST_REDIRECTED',
  'URL_REQUEST_SET_PRIORITY',
  'HTTP_STREAM_REQUEST_BOUND_TO_QUIC_SESSION',
  'QUIC_SESSION',
  'QUIC_SESSION_PACKET_SENT',
  'QUIC_SESSION_STREAM_FRAME_SENT',
  'QUIC_SESSION_STREAM_FRAME_COALESCED',
  'QUIC_SESSION_PACKET_RECEIVED',
  'QUIC_SESSION_UNAUTHENTICATED_PACKET_HEADER_RECEIVED',
  'QUIC_SESSION_ACK_FRAME_RECEIVED',
  'QUIC_CHROMIUM_CLIENT_STREAM_SEND_REQUEST_HEADERS',
  'HTTP_STREAM_REQUEST_BOUND_TO_JOB',
  'HTTP_STREAM_JOB_EVENT',
  'QUIC_SESSION_PACKET_LOST',
  'HTTP2_SESSION_EVENT',
  'SOCKET_EVENT',
];
const SOURCES = ['URL_REQUEST', 'QUIC_SESSION', 'HTTP_STREAM_JOB', 'HTTP2_SESSION', 'SOCKET'];

/** The number of the type of an event's source, by the name of the event. */
function sourceOf(name: string): number {
  if (name.startsWith('QUIC_')) return 1;
  return name.endsWith('_EVENT') ? SOURCES.indexOf(name.replace('_EVENT', '')) : 0;
}
const PHASES = {PHASE_NONE: 0, PHASE_BEGIN: 1, PHASE_END: 2};
const CONSTANTS = {
  logEventTypes: Object.fromEntries(TYPES.map((name, i) => [name, i])),
  logSourceType: Object.fromEntries(SOURCES.map((name, i) => [name, i])),
  logEventPhase: PHASES,
};

type Written = readonly [time: number, source: number, name: string, phase: 'B' | 'E' | '', params?: Json];

function log(events: readonly Written[]): string {
  const lines = events.map(([time, id, name, phase, params = {}]) => ({
    time: String(time),
    type: TYPES.indexOf(name),
    phase: phase === 'B' ? 1 : phase === 'E' ? 2 : 0,
    source: {id, type: sourceOf(name)},
    params,
  }));
  return `{"constants":${JSON.stringify(CONSTANTS)},\n"events": [\n${lines.map(line => JSON.stringify(line)).join(',\n')}]}`;
}

function request(id: number, startMs: number, params: {readonly [key: string]: Json} = {}): readonly Written[] {
  return [
    [startMs, id, 'REQUEST_ALIVE', 'B', {priority: 'LOWEST'}],
    [
      startMs,
      id,
      'URL_REQUEST_START_JOB',
      'B',
      {url: `https://a.test/${id}`, method: 'GET', network_isolation_key: 'a', ...params},
    ],
    [startMs + 1, id, 'HTTP_TRANSACTION_SEND_REQUEST', 'B'],
    [startMs + 5, id, 'HTTP_TRANSACTION_READ_RESPONSE_HEADERS', '', {headers: ['HTTP/1.1 200 OK', 'A: b']}],
    [
      startMs + 6,
      id,
      'URL_REQUEST_JOB_FILTERED_BYTES_READ',
      '',
      {byte_count: 3, bytes: base64(Uint8Array.of(1, 2, 3))},
    ],
    [startMs + 7, id, 'HTTP_TRANSACTION_READ_BODY', 'E'],
    [startMs + 8, id, 'REQUEST_ALIVE', 'E'],
  ];
}

const PAGE = {request_type: 'main frame'};

test('each page of a log is a load, and requests of other sites belong to none', () => {
  const answer = readNetlog(
    log([
      ...request(1, 100, PAGE),
      ...request(2, 110),
      ...request(3, 120, {network_isolation_key: 'null'}),
      ...request(4, 200, PAGE),
      ...request(5, 210),
    ]),
  );
  expect(loadsOf(answer).map(({exchanges}) => exchanges.map(({url}) => url))).toEqual([
    ['https://a.test/1', 'https://a.test/2'],
    ['https://a.test/4', 'https://a.test/5'],
  ]);
});

test('without a page all requests are one load, whose times count from its first request', () => {
  const {exchanges} = read(log([...request(1, 100), ...request(2, 110, {network_isolation_key: 'null'})]));
  expect(exchanges).toMatchObject([
    {
      requestNs: 1e6,
      firstByteNs: 5e6,
      completeNs: 7e6,
      bodyBytes: 3,
      body: Uint8Array.of(1, 2, 3),
      priority: 'Low',
      connection: null,
    },
    {requestNs: 11e6},
  ]);
});

test('times count from the first event, even if a request has a send event before its begin event', () => {
  const early = request(1, 100, PAGE).map(
    (event): Written => (event[2] === 'HTTP_TRANSACTION_SEND_REQUEST' ? [90, 1, event[2], 'B'] : event),
  );
  expect(read(log(early)).exchanges).toMatchObject([{requestNs: 0, firstByteNs: 15e6}]);
});

test('a redirect is a request of its own', () => {
  const [alive, begin, send, header, ...rest] = request(1, 100, PAGE);
  const {exchanges} = read(
    log([
      ...[alive, begin, send, header].flatMap(event => (event === undefined ? [] : [event])),
      [106, 1, 'URL_REQUEST_REDIRECTED', '', {location: 'https://a.test/new'}],
      [
        107,
        1,
        'URL_REQUEST_START_JOB',
        'B',
        {url: 'https://a.test/new#part', method: 'GET', ...PAGE, request_type: 'other', network_isolation_key: 'a'},
      ],
      [108, 1, 'HTTP_TRANSACTION_SEND_REQUEST', 'B'],
      [109, 1, 'HTTP_TRANSACTION_READ_RESPONSE_HEADERS', '', {headers: ['HTTP/1.1 404 Not Found']}],
      ...rest,
    ]),
  );
  expect(exchanges.map(({url, status, bodyBytes, completeNs}) => [url, status, bodyBytes, completeNs])).toEqual([
    ['https://a.test/1', 200, 0, 6e6],
    ['https://a.test/new', 404, 3, 7e6],
  ]);
});

test('a load begins with its HTML, even if a redirect to the HTML was earlier', () => {
  const answered = (event: Written, ...headers: readonly string[]): Written =>
    event[2] === 'HTTP_TRANSACTION_READ_RESPONSE_HEADERS' ? [event[0], event[1], event[2], '', {headers}] : event;
  const redirect = request(1, 100, {...PAGE, url: 'http://a.test/'}).map(event =>
    answered(event, 'HTTP/1.1 301 Moved', 'Content-Type: text/html'),
  );
  const html = request(2, 110).map(event => answered(event, 'HTTP/1.1 200 OK', 'Content-Type: text/html'));
  const {exchanges} = read(log([...redirect, ...html, ...request(3, 120)]));
  expect(exchanges.map(({url, requestNs}) => [url, requestNs])).toEqual([
    ['https://a.test/2', 11e6],
    ['http://a.test/', 1e6],
    ['https://a.test/3', 21e6],
  ]);
});

test('requests that were not sent are left out with a note', () => {
  const unsent = (id: number) => request(id, 110).filter(([, , name]) => name !== 'HTTP_TRANSACTION_SEND_REQUEST');
  const {exchanges, notes} = read(log([...request(1, 100, PAGE), ...unsent(2), ...unsent(3).slice(0, 2)]));
  expect(exchanges.length).toBe(1);
  expect(notes).toEqual([
    "Requests that the browser's cache answered were left out: 1.",
    'Requests that were never sent were left out: 1.',
    'A network log has no packets of TCP.',
  ]);
});

test('a request that failed is incomplete, and a later priority does not count', () => {
  const failed = request(1, 100, PAGE).map(
    (event): Written =>
      event[3] === 'E' && event[2] === 'REQUEST_ALIVE' ? [108, 1, 'REQUEST_ALIVE', 'E', {net_error: -3}] : event,
  );
  const {exchanges} = read(
    log([...failed.slice(0, 4), [106, 1, 'URL_REQUEST_SET_PRIORITY', '', {priority: 'HIGHEST'}], ...failed.slice(4)]),
  );
  expect(exchanges).toMatchObject([{completeNs: null, body: null, priority: 'Low', status: 200}]);
});

test('a STREAM frame that grows is one frame, and a packet that is deemed lost is lost unless acknowledged', () => {
  const session = (time: number, name: string, params: Json): Written => [time, 9, `QUIC_SESSION${name}`, '', params];
  const sent = (packet_number: number) =>
    session(100 + packet_number, '_PACKET_SENT', {
      packet_number,
      size: 100,
      encryption_level: 'ENCRYPTION_FORWARD_SECURE',
      sent_time_us: 100_000 + packet_number,
    });
  const {packets} = read(
    log([
      ...request(1, 100, PAGE),
      [100, 1, 'HTTP_STREAM_REQUEST_BOUND_TO_QUIC_SESSION', '', {source_dependency: {id: 9}}],
      [100, 9, 'QUIC_SESSION', 'B'],
      session(100, '_STREAM_FRAME_SENT', {stream_id: 4, offset: 0, length: 1}),
      session(100, '_STREAM_FRAME_COALESCED', {stream_id: 4, offset: 0, length: 30}),
      ...[1, 2, 3, 4, 5, 6].map(sent),
      session(109, '_PACKET_LOST', {packet_number: 6}),
      session(109, '_PACKET_LOST', {packet_number: 5}),
      session(110, '_PACKET_RECEIVED', {size: 50, peer_address: '[::1]:443'}),
      session(110, '_UNAUTHENTICATED_PACKET_HEADER_RECEIVED', {
        packet_number: 0,
        header_format: 'IETF_QUIC_SHORT_HEADER_PACKET',
      }),
      session(110, '_ACK_FRAME_RECEIVED', {smallest_observed: 1, largest_observed: 5, missing_packets: [2, 4]}),
    ]),
  );
  // The headers are those of IPv6.
  expect(packets.map(({atNs, bytes, fate, chunks}) => [atNs, bytes, fate, chunks.length])).toEqual([
    [1000, 148, 'delivered', 1],
    [2000, 148, 'lost', 0],
    [3000, 148, 'delivered', 0],
    // It was not acknowledged, but its sender did not deem it lost.
    [4000, 148, null, 0],
    [5000, 148, 'delivered', 0],
    [6000, 148, 'lost', 0],
    [10_000_000, 98, 'delivered', 0],
  ]);
  expect(packets[0]?.chunks[0]?.bytes).toBe(30);
  expect(packets.at(-1)?.cumulativeAck).toBe(6);
});

test('pages that share a connection have their own packets, and only the first has the times of the connection', () => {
  const sent = (ms: number, packet_number: number): Written => [
    ms,
    9,
    'QUIC_SESSION_PACKET_SENT',
    '',
    {packet_number, size: 100, encryption_level: 'ENCRYPTION_FORWARD_SECURE'},
  ];
  const bound = (id: number): Written => [
    100 * id + 1,
    id,
    'HTTP_STREAM_REQUEST_BOUND_TO_QUIC_SESSION',
    '',
    {source_dependency: {id: 9}},
  ];
  const answer = readNetlog(
    log([
      ...request(1, 100, PAGE),
      bound(1),
      [99, 9, 'QUIC_SESSION', 'B'],
      sent(99, 1),
      sent(105, 2),
      ...request(2, 200, PAGE),
      bound(2),
      sent(203, 3),
      sent(204, 4),
    ]),
  );
  const loads = loadsOf(answer);
  expect(loads.map(({packets}) => packets.map(({atNs}) => atNs))).toEqual([
    [0, 6e6],
    [3e6, 4e6],
  ]);
  expect(loads.map(({connections}) => connections[0]?.openNs)).toEqual([0, null]);
  expect(loads.map(({exchanges}) => exchanges[0]?.requestNs)).toEqual([2e6, 1e6]);
});

test('a request is on the stream that was opened for its path after the request was sent', () => {
  const opened = (ms: number, quic_stream_id: number, path: string): Written => [
    ms,
    9,
    'QUIC_CHROMIUM_CLIENT_STREAM_SEND_REQUEST_HEADERS',
    '',
    {quic_stream_id, headers: [':method: GET', `:path: ${path}`]},
  ];
  const bound = (id: number): Written => [
    100 * id + 1,
    id,
    'HTTP_STREAM_REQUEST_BOUND_TO_QUIC_SESSION',
    '',
    {source_dependency: {id: 9}},
  ];
  const [one, two, three] = [
    request(1, 100, PAGE),
    request(2, 200, {url: 'https://a.test/1'}),
    request(3, 300, {url: 'https://a.test/never'}),
  ];
  const {exchanges, packets} = read(
    log([
      ...one,
      bound(1),
      opened(101, 4, '/1'),
      ...two,
      bound(2),
      opened(201, 8, '/1'),
      [202, 9, 'QUIC_SESSION_STREAM_FRAME_SENT', '', {stream_id: 0, offset: 0, length: 5}],
      [
        202,
        9,
        'QUIC_SESSION_PACKET_SENT',
        '',
        {packet_number: 1, size: 100, encryption_level: 'ENCRYPTION_FORWARD_SECURE'},
      ],
      ...three,
      bound(3),
    ]),
  );
  expect(exchanges.map(({stream}) => stream)).toEqual([4, 8, 0]);
  // The stream of the last request is not known, so data of stream 0 do not belong to it.
  expect(packets.map(({chunks}) => chunks[0]?.pieces)).toEqual([[]]);
});

test('a request on an HTTP/2 session is on the socket of the session, not on other sockets of its job', () => {
  const refers = (id: number, name: string, target: number): Written => [
    100,
    id,
    `${name}_EVENT`,
    '',
    {source_dependency: {id: target}},
  ];
  const socket = (id: number): Written => [100, id, 'SOCKET_EVENT', ''];
  const bound = (id: number, job: number): Written => [
    100,
    id,
    'HTTP_STREAM_REQUEST_BOUND_TO_JOB',
    '',
    {source_dependency: {id: job}},
  ];
  const jobs = [
    refers(10, 'HTTP_STREAM_JOB', 31),
    refers(10, 'HTTP_STREAM_JOB', 20),
    refers(11, 'HTTP_STREAM_JOB', 20),
  ];
  const load = read(
    log([
      ...jobs,
      refers(20, 'HTTP2_SESSION', 30),
      socket(30),
      socket(31),
      ...request(1, 100, PAGE),
      bound(1, 10),
      ...request(2, 100),
      bound(2, 11),
    ]),
  );
  expect(load.connections.length).toBe(1);
  expect(load.exchanges.map(({connection}) => connection)).toEqual([0, 0]);
});

test('only requests over HTTP count, and older browsers mark pages by a flag', () => {
  const page = (id: number, url: string) => request(id, 100 * id, {url, load_flags: 256});
  const answer = readNetlog(
    log([
      ...page(1, 'https://a.test/'),
      ...page(2, 'chrome://newtab/'),
      ...page(3, 'data:,x'),
      ...page(4, 'http://a.test/'),
    ]),
  );
  expect(loadsOf(answer).map(({exchanges}) => exchanges.map(({url}) => url))).toEqual([
    ['https://a.test/'],
    ['http://a.test/'],
  ]);
});

test('a body whose size is not the stated one is left out', () => {
  const wrong = request(1, 100, PAGE).map(
    (event): Written =>
      event[2] === 'URL_REQUEST_JOB_FILTERED_BYTES_READ'
        ? [106, 1, event[2], '', {byte_count: 2 ** 40, bytes: 'AQID'}]
        : event,
  );
  expect(read(log(wrong)).exchanges).toMatchObject([{body: null, bodyBytes: 2 ** 40}]);
  const short = wrong.map(
    (event): Written =>
      event[2] === 'URL_REQUEST_JOB_FILTERED_BYTES_READ'
        ? [106, 1, event[2], '', {byte_count: 4, bytes: 'AQID'}]
        : event,
  );
  expect(read(log(short)).exchanges).toMatchObject([{body: null, bodyBytes: 4}]);
});

test('events after a damaged line are not read, because they may belong to another log', () => {
  const lines = log([...request(1, 100, PAGE), ...request(2, 110)]).split('\n');
  const at = lines.findIndex(line => line.includes('https://a.test/2'));
  const damaged = [...lines.slice(0, at - 1), '{"time":', ...lines.slice(at - 1)].join('\n');
  expect(read(damaged).exchanges.map(({url}) => url)).toEqual(['https://a.test/1']);
});

test('very many requests on one connection are read in a short time', () => {
  const many = Array.from({length: 3000}, (_, i) => [
    ...request(i + 10, 100 + i, i === 0 ? PAGE : {}),
    [101 + i, i + 10, 'HTTP_STREAM_REQUEST_BOUND_TO_QUIC_SESSION', '', {source_dependency: {id: 9}}] as Written,
  ]);
  expect(read(log([[99, 9, 'QUIC_SESSION', 'B'], ...many.flat()])).exchanges.length).toBe(3000);
});

test.each([
  ['nothing', '', /^The file is not a network log: it must have constants and then events\.$/],
  ['another JSON text', '{"log": {}}', /^The file is not a network log/],
  ['no names', '{"constants":{},\n"events": []}', /^The file is not a network log/],
  ['constants that are cut', file('chromium-h2.netlog').slice(0, 500), /^The file is not a network log/],
  ['no events', log([]), /^The network log has no request that was sent\.$/],
  [
    'deep nesting',
    log([]).replace('[\n]', `[\n${'['.repeat(100_000)}`),
    /^The network log has no request that was sent\.$/,
  ],
  [
    'too many events',
    log([]).replace('[\n]', `[\n${'0,\n'.repeat(2_000_001)}0]`),
    /^The network log has more than 2000000 events, which is the limit\.$/,
  ],
])('a file that cannot be read gives one sentence: %s', (_, text, expected) => {
  expect(messageOf(readNetlog(text))).toMatch(expected);
});

test('values of wrong types are ignored', () => {
  const wrong: readonly Json[] = [
    null,
    'x',
    -1,
    [],
    {url: 3},
    {headers: [3, 'x']},
    {byte_count: 'x', bytes: '*'},
    {source_dependency: 3},
    {missing_packets: ['x'], smallest_observed: 9, largest_observed: 3},
  ];
  const events = TYPES.flatMap(name => wrong.map((params): Written => [101, 1, name, '', params]));
  const {exchanges} = read(log([...request(1, 100, PAGE).slice(0, 3), ...events]));
  expect(exchanges.length).toBe(1);
});
