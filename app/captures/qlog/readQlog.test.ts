import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import type {Json} from '../../base/json.ts';
import type {CapturedLoad} from '../capturedLoad.ts';
import {loadsOf, messageOf, onlyLoad} from '../testing/capturedLoads.ts';
import {readQlog} from './readQlog.ts';

// The files are real ones. fixtures/captures/README.md says how they were recorded.

function file(name: string): string {
  return readFileSync(new URL(`../../../fixtures/captures/${name}`, import.meta.url), 'utf8');
}

function read(text: string): CapturedLoad {
  return onlyLoad(readQlog(text));
}

function kinds({packets}: CapturedLoad): {readonly [kind: string]: number} {
  const count: Record<string, number> = {};
  for (const {direction, kind, fate, chunks} of packets) {
    const again = chunks.some(({retransmission}) => retransmission) ? ', again' : '';
    const name = `${direction} ${kind} ${fate}${again}`;
    count[name] = (count[name] ?? 0) + 1;
  }
  return count;
}

test('a client’s log of aioquic has its packets, requests and lost packets', () => {
  const load = read(file('aioquic-loss-client.qlog'));
  expect([load.kind, load.pipeline, load.seenAt, load.notes]).toEqual(['qlog', 'h3', 'client', []]);
  expect(load.connections).toEqual([
    {origin: 'https://localhost', hasTls: true, openNs: 0, connectedNs: 56_148_926, tlsNs: null, streams: 128},
  ]);
  expect(kinds(load)).toEqual({
    'up setUp delivered': 1,
    'down setUp delivered': 1,
    'up data delivered': 4,
    'down data delivered': 16,
    'up data lost': 2,
    'up acknowledgement delivered': 8,
    'down acknowledgement delivered': 2,
    'up data delivered, again': 3,
    'down data delivered, again': 4,
    'up close null': 1,
  });
  const loaded = load.exchanges.map(({url, status, headerBytes, bodyBytes, deliveries}) => [
    url,
    status,
    headerBytes,
    bodyBytes,
    deliveries.at(-1)?.bytes,
  ]);
  expect(loaded).toEqual([
    ['https://localhost/index.html', 200, 18, 1480, 1480],
    ['https://localhost/a.css', 200, 11, 1400, 1400],
    ['https://localhost/b.jpg', 200, 11, 9000, 9000],
    ['https://localhost/c.jpg', 200, 11, 6000, 6000],
  ]);
});

test('sizes are those of the datagrams with the headers of IPv4 and UDP', () => {
  const {packets} = read(file('aioquic-loss-client.qlog'));
  expect(packets.slice(0, 3).map(({direction, bytes}) => [direction, bytes])).toEqual([
    ['up', 1228],
    ['down', 1228],
    ['up', 1228],
  ]);
});

test('a server’s log has the packets that it sent and lost, and shows by acknowledgements when responses arrived', () => {
  const [client, load] = ['client', 'server'].map(end => read(file(`aioquic-loss-${end}.qlog`)));
  if (client === undefined || load === undefined) throw new Error('two');
  expect(load.seenAt).toBe('server');
  expect(load.packets.filter(({direction, fate}) => direction === 'down' && fate === 'lost').length).toBe(5);
  expect(load.packets.every(({direction, fate}) => direction === 'down' || fate === 'delivered')).toBe(true);
  expect(load.connections[0]).toMatchObject({openNs: 0, streams: 128});
  const setUps = [client, load].map(({connections: [only]}) => (only?.connectedNs ?? 0) / 1e6);
  expect(setUps.map(Math.round)).toEqual([56, 58]);
  expect(load.exchanges.map(({status, deliveries}) => [status, deliveries.at(-1)?.bytes])).toEqual([
    [200, 1480],
    [200, 9000],
    [200, 6000],
    [200, 1400],
  ]);
  const ackNs = new Set(load.packets.filter(({direction}) => direction === 'up').map(({atNs}) => atNs));
  for (const {url, firstByteNs, completeNs} of load.exchanges) {
    expect(ackNs.has(completeNs ?? 0) && ackNs.has(firstByteNs ?? 0)).toBe(true);
    // at the server, times count from the arrival of the client's first packet; this packet and an acknowledgement take
    // equally long, and aioquic delays an acknowledgement by 25 ms at most
    const seenNs = client.exchanges.find(each => each.url === url)?.completeNs ?? 0;
    expect(Math.abs((completeNs ?? 0) - seenNs)).toBeLessThan(30e6);
  }
});

test('a server’s response arrives when its packets are first acknowledged, and is not complete before all are', () => {
  const h3 = (time: number, name: string, frame: Json) => ({time, name: `http:${name}`, data: {stream_id: 0, frame}});
  const headers = (name: string, value: string) => {
    return {frame_type: 'headers', raw: {length: 10, payload_length: 8}, headers: [{name, value}]};
  };
  const sent = (time: number, packet_number: number, offset: number, length: number, fin = false) => {
    const frames = [{frame_type: 'stream', stream_id: 0, offset, length, fin}];
    const header = {packet_type: '1RTT', packet_number};
    return {time, name: 'transport:packet_sent', data: {header, raw: {length: 100}, frames}};
  };
  const ack = (time: number, number: number, ...acked_ranges: readonly (readonly [number, number])[]) => {
    const frames = [{frame_type: 'ack', acked_ranges}];
    const header = {packet_type: '1RTT', packet_number: number};
    return {time, name: 'transport:packet_received', data: {header, raw: {length: 40}, frames}};
  };
  const times = (...acks: readonly Json[]) => {
    const events = [
      ack(0, 0),
      h3(1, 'frame_parsed', headers(':path', '/')),
      h3(2, 'frame_created', headers(':status', '200')),
      h3(2, 'frame_created', {frame_type: 'data', raw: {length: 102, payload_length: 100}}),
      sent(3, 7, 0, 62),
      sent(4, 9, 62, 50, true),
      ...acks,
    ];
    const trace = {...HEADER.trace, vantage_point: {type: 'server'}};
    const [exchange] = read(sequence({...HEADER, trace}, events)).exchanges;
    const {firstByteNs = 0, completeNs = 0, deliveries = []} = exchange ?? {};
    return [firstByteNs, completeNs, deliveries.map(({atNs, bytes}) => [atNs / 1e6, bytes])];
  };
  expect(times(ack(20, 1, [5, 7]), ack(25, 2, [0, 7]), ack(31, 3, [9, 9], [0, 7]))).toEqual([
    20e6,
    31e6,
    [
      [20, 50],
      [31, 100],
    ],
  ]);
  // packet 8 was never sent
  expect(times(ack(20, 1, [7, 8]))).toEqual([20e6, null, [[20, 50]]]);
  expect(times(ack(20, 1, [9, 9]))).toEqual([null, null, []]);
  expect(times(ack(20, 1, [9, 9]), ack(30, 2, [0, 2 ** 52]))).toEqual([30e6, 30e6, [[30, 100]]]);
});

test('a log of ngtcp2 has packets and samples, and a note that it has no requests', () => {
  const load = read(file('ngtcp2-client.sqlog'));
  expect(load.packets.length).toBe(29);
  expect(load.exchanges).toEqual([]);
  expect(load.notes).toEqual(['The qlog file has no events of HTTP, so the requests are not known.']);
  expect(load.samples[0]).toEqual({
    connection: 0,
    side: 'client',
    atNs: 0,
    cwndBytes: 14_520,
    ssthreshBytes: Number.POSITIVE_INFINITY,
    flightBytes: 1200,
    // Before the first measurement, the log has the initial RTT of 333 ms, which does not count.
    srttNs: 0,
  });
  expect(load.samples.at(-1)).toMatchObject({srttNs: 12_000_000, cwndBytes: 16_162});
});

test('a log of quic-go, in a JSON text sequence of the current draft, has its connection, requests and packets', () => {
  const load = read(file('quic-go-client.sqlog'));
  expect(load.notes).toEqual([]);
  expect(load.connections[0]).toMatchObject({origin: 'https://127.0.0.1:14435', streams: 100});
  expect(load.exchanges.map(({url, status, bodyBytes}) => [new URL(url).pathname, status, bodyBytes])).toEqual([
    ['/a.css', 200, 1400],
    ['/b.jpg', 200, 9000],
    ['/none', 404, 19],
  ]);
  expect(load.exchanges[0]?.requestFields).toEqual([
    ['accept-encoding', 'gzip'],
    ['user-agent', 'quic-go HTTP/3'],
  ]);
  // Packets with the same checksum of their datagram are one packet.
  expect(load.packets.length).toBe(32);
  expect(load.packets.filter(({ecn}) => ecn === 2).length).toBeGreaterThan(10);
});

test('logs of quiche have requests, packets and samples, and as many lost packets as quiche counted', () => {
  const [client, server] = ['client', 'server'].map(end => read(file(`quiche-${end}.sqlog`)));
  expect([client?.seenAt, client?.notes, server?.seenAt, server?.notes]).toEqual(['client', [], 'server', []]);
  expect(client?.connections).toEqual([
    {origin: 'https://localhost', hasTls: true, openNs: 0, connectedNs: 46_159_000, tlsNs: null, streams: 100},
  ]);
  const objects = [
    ['/index.html', 200, 28, 1480],
    ['/a.css', 200, 19, 1400],
    ['/b.jpg', 200, 19, 9000],
    ['/c.jpg', 200, 20, 15_000],
  ];
  for (const load of [client, server])
    expect(
      load?.exchanges.map(({url, status, headerBytes, bodyBytes}) => [
        new URL(url).pathname,
        status,
        headerBytes,
        bodyBytes,
      ]),
    ).toEqual(objects);
  expect(client?.exchanges.map(({deliveries}) => deliveries.at(-1)?.bytes)).toEqual([1480, 1400, 9000, 15_000]);
  // the client closed the connection without an acknowledgement of the end of the last response
  expect(server?.exchanges.map(({completeNs}) => completeNs !== null)).toEqual([true, true, true, false]);
  expect(client?.exchanges[0]?.requestFields).toEqual([['user-agent', 'quiche']]);
  // quiche's statistics are 1 lost packet of the client, and 4 of the server. Its logs have no event for a loss.
  const lost = (load: CapturedLoad | undefined) =>
    load?.packets.filter(({fate}) => fate === 'lost').map(({direction}) => direction);
  expect([lost(client), lost(server)]).toEqual([['up'], ['down', 'down', 'down', 'down']]);
  expect(client?.packets.slice(0, 3).map(({bytes}) => bytes)).toEqual([1228, 422, 1228]);
  expect([client?.samples.length, server?.samples.length]).toEqual([17, 46]);
  expect(client?.samples.at(-1)).toMatchObject({cwndBytes: 9450, ssthreshBytes: 9450, srttNs: 43_861_725});
});

const SENT = {
  header: {packet_type: '1RTT', packet_number: 3},
  raw: {length: 100},
  frames: [{frame_type: 'stream', stream_id: 0, offset: 10, length: 60, fin: true}],
};
const RECEIVED = {
  header: {packet_type: '1RTT', packet_number: 0},
  raw: {length: 40},
  frames: [{frame_type: 'ack', acked_ranges: [[3, 3]]}],
};

function sequence(header: Json, events: readonly Json[], separator = ''): string {
  return [header, ...events].map(record => `${separator}${JSON.stringify(record)}\n`).join('');
}

const HEADER = {
  qlog_version: '0.3',
  qlog_format: 'JSON-SEQ',
  trace: {vantage_point: {type: 'client'}, common_fields: {time_format: 'relative'}},
};
const EVENTS: readonly {readonly [key: string]: Json}[] = [
  {time: 2, name: 'transport:packet_sent', data: SENT},
  {time: 5.5, name: 'transport:packet_received', data: RECEIVED},
];

test.each([
  ['a JSON text sequence', sequence(HEADER, EVENTS, '\u001e')],
  ['a JSON text on each line', sequence(HEADER, EVENTS)],
  [
    'the names of the current drafts',
    sequence(
      HEADER,
      EVENTS.map(event => ({...event, name: String(event['name']).replace('transport', 'quic')})),
    ),
  ],
  ['one JSON text', JSON.stringify({qlog_version: '0.4', traces: [{...HEADER.trace, events: EVENTS}]}, null, 1)],
  ['a byte order mark', `\ufeff${sequence(HEADER, EVENTS)}`],
  [
    'times since the event before',
    sequence({...HEADER, trace: {common_fields: {time_format: 'delta'}}}, [EVENTS[0] ?? {}, {...EVENTS[1], time: 3.5}]),
  ],
  [
    'absolute times',
    sequence(
      {...HEADER, trace: {}},
      EVENTS.map(event => ({...event, time: 1_795_889_297_188.5 + Number(event['time'])})),
    ),
  ],
  [
    'draft 00, with lists and microseconds as texts',
    JSON.stringify({
      qlog_version: 'draft-00',
      traces: [
        {
          vantage_point: {type: 'CLIENT'},
          configuration: {time_units: 'us'},
          common_fields: {time_format: 'relative'},
          event_fields: ['relative_time', 'category', 'event', 'data'],
          events: [
            [
              '2000',
              'TRANSPORT',
              'PACKET_SENT',
              {...SENT, packet_type: '1RTT', header: {packet_number: '3', packet_size: 100}, raw: null},
            ],
            ['5500', 'TRANSPORT', 'PACKET_RECEIVED', RECEIVED],
          ],
        },
      ],
    }),
  ],
])('the forms of the format are read: %s', (_, text) => {
  expect(read(text).packets).toEqual([
    {
      connection: 0,
      direction: 'up',
      bytes: 128,
      atNs: 0,
      fate: 'delivered',
      ecn: 0,
      kind: 'data',
      cumulativeAck: Number.NaN,
      chunks: [{first: 10, bytes: 60, stream: 0, message: 0, retransmission: false, pieces: []}],
    },
    {
      connection: 0,
      direction: 'down',
      bytes: 68,
      atNs: 3_500_000,
      fate: 'delivered',
      ecn: 0,
      kind: 'acknowledgement',
      cumulativeAck: 4,
      chunks: [],
    },
  ]);
});

test('connections with different group ids are told apart', () => {
  const grouped = EVENTS.flatMap(event => ['a', 'b'].map(group_id => ({...event, group_id})));
  const load = read(sequence(HEADER, grouped));
  expect(load.connections.length).toBe(2);
  expect(load.packets.map(({connection, direction}) => [connection, direction])).toEqual([
    [0, 'up'],
    [1, 'up'],
    [0, 'down'],
    [1, 'down'],
  ]);
});

test('each trace of a file is a load', () => {
  const trace = (type: string) => ({...HEADER.trace, vantage_point: {type}, events: EVENTS});
  const answer = readQlog(
    JSON.stringify({qlog_version: '0.3', traces: [trace('client'), trace('server'), {error_description: 'x'}]}),
  );
  expect(loadsOf(answer).map(({seenAt}) => seenAt)).toEqual(['client', 'server']);
});

test('packets of increasing levels at one time are one datagram, and others are not', () => {
  const packet = (packet_type: string, packet_number: number, time: number) => ({
    time,
    name: 'quic:packet_sent',
    data: {header: {packet_type, packet_number}, raw: {length: 300}, frames: [{frame_type: 'crypto'}]},
  });
  const sizes = (...events: readonly Json[]) => read(sequence(HEADER, events)).packets.map(({bytes}) => bytes);
  expect(sizes(packet('initial', 0, 1), packet('handshake', 0, 1), packet('1RTT', 0, 1))).toEqual([928]);
  expect(sizes(packet('initial', 0, 1), packet('initial', 1, 1))).toEqual([328, 328]);
  expect(sizes(packet('1RTT', 0, 1), packet('1RTT', 1, 1))).toEqual([328, 328]);
  expect(sizes(packet('initial', 0, 1), packet('handshake', 0, 3))).toEqual([328, 328]);
});

test('a datagram has no more packets than fit into it', () => {
  const packet = (packet_type: string, length: number) => ({
    time: 1,
    name: 'quic:packet_sent',
    data: {header: {packet_type, packet_number: 0}, raw: {length}, frames: [{frame_type: 'crypto'}]},
  });
  const sizes = (...events: readonly Json[]) => read(sequence(HEADER, events)).packets.map(({bytes}) => bytes);
  expect(sizes(packet('initial', 900), packet('handshake', 600))).toEqual([1528]);
  expect(sizes(packet('initial', 900), packet('handshake', 601))).toEqual([928, 629]);
});

test('the sizes of datagrams are used if they fit all packets of the direction', () => {
  const sizes = (...raw: readonly Json[]) =>
    read(sequence(HEADER, [...EVENTS, {time: 2, name: 'transport:datagrams_sent', data: {count: 1, raw}}])).packets.map(
      ({bytes}) => bytes,
    );
  expect(sizes({length: 130, payload_length: 120})).toEqual([148, 68]);
  expect(sizes({length: 120})).toEqual([148, 68]);
  expect(sizes({length: 90})).toEqual([128, 68]);
  expect(sizes({length: 120}, {length: 120})).toEqual([128, 68]);
});

test('events that are not in order of time are sorted', () => {
  const {packets} = read(sequence(HEADER, EVENTS.toReversed()));
  expect(packets.map(({direction, atNs}) => [direction, atNs])).toEqual([
    ['up', 0],
    ['down', 3_500_000],
  ]);
});

test('a log between both ends has the view of the end that it names', () => {
  const from = (vantage_point: Json) =>
    read(JSON.stringify({qlog_version: '0.3', traces: [{vantage_point, events: EVENTS}]})).seenAt;
  expect(from({type: 'network', flow: 'server'})).toBe('server');
  expect(from({type: 'network', flow: 'client'})).toBe('client');
});

test('the number of streams is the one that the server grants', () => {
  const set = (initiator: string, initial_max_streams_bidi: number) => ({
    time: 1,
    name: 'quic:parameters_set',
    data: {initiator, initial_max_streams_bidi},
  });
  const streams = (type: string) =>
    read(
      JSON.stringify({
        qlog_version: '0.3',
        traces: [{vantage_point: {type}, events: [set('local', 7), set('remote', 9), ...EVENTS]}],
      }),
    ).connections[0]?.streams;
  expect([streams('client'), streams('server')]).toEqual([9, 7]);
});

test('trailers do not take the place of the response’s header', () => {
  const headers = (time: number, name: string, fields: readonly (readonly [string, string])[]) => ({
    time,
    name: `http3:${name}`,
    data: {
      stream_id: 0,
      frame: {frame_type: 'headers', headers: fields.map(([field, value]) => ({name: field, value}))},
    },
  });
  const {exchanges} = read(
    sequence(HEADER, [
      headers(1, 'frame_created', [[':path', '/']]),
      headers(2, 'frame_parsed', [[':status', '103']]),
      headers(3, 'frame_parsed', [
        [':status', '200'],
        ['A', 'b'],
      ]),
      headers(4, 'frame_parsed', [['checksum', 'c']]),
    ]),
  );
  expect(exchanges).toMatchObject([{status: 200, responseFields: [['a', 'b']]}]);
});

test('a sample keeps the earlier values of the fields that its event lacks', () => {
  const metrics = (time: number, data: Json) => ({time, name: 'recovery:metrics_updated', data});
  const {samples} = read(
    sequence(HEADER, [
      ...EVENTS,
      metrics(3, {cwnd: 12_000, bytes_in_flight: 100, ssthresh: 18_446_744_073_709_552_000}),
      metrics(4, {smoothed_rtt: 20.5, latest_rtt: 20}),
      metrics(5, {congestion_window: 6000, ssthresh: 6000}),
      metrics(6, {ssthresh: '18446744073709551615'}),
    ]),
  );
  expect(
    samples.map(({cwndBytes, ssthreshBytes, flightBytes, srttNs}) => [cwndBytes, ssthreshBytes, flightBytes, srttNs]),
  ).toEqual([
    [12_000, Number.POSITIVE_INFINITY, 100, 0],
    [12_000, Number.POSITIVE_INFINITY, 100, 20_500_000],
    [6000, 6000, 100, 20_500_000],
    [6000, Number.POSITIVE_INFINITY, 100, 20_500_000],
  ]);
});

test('samples are also read from events with the name of the current drafts', () => {
  const metrics = (name: string) => ({time: 3, name, data: {congestion_window: 5000}});
  const names = ['quic:recovery_metrics_updated', 'recovery:metrics_updated'].map(metrics);
  expect(names.map(event => read(sequence(HEADER, [...EVENTS, event])).samples.length)).toEqual([1, 1]);
  expect(read(sequence(HEADER, [...EVENTS, ...names])).samples.length).toBe(1);
});

test('a packet that its sender deems lost is lost, unless it was acknowledged', () => {
  const lost = (packet_number: number) => ({
    time: 6,
    name: 'recovery:packet_lost',
    data: {header: {packet_type: '1RTT', packet_number}},
  });
  const second = {...EVENTS[0], time: 3, data: {...SENT, header: {packet_type: '1RTT', packet_number: 4}}};
  const {packets} = read(sequence(HEADER, [...EVENTS, second, lost(3), lost(4)]));
  expect(packets.map(({fate}) => fate)).toEqual(['delivered', 'lost', 'delivered']);
});

test('a log without STREAM frames has the times of HTTP frames', () => {
  const frame = (time: number, name: string, data: Json) => ({time, name: `http3:${name}`, data});
  const {exchanges} = read(
    sequence(HEADER, [
      frame(1, 'frame_created', {
        stream_id: 4,
        frame: {
          frame_type: 'headers',
          headers: [
            {name: ':path', value: '/a'},
            {name: ':authority', value: 'h'},
          ],
        },
      }),
      frame(2, 'frame_parsed', {
        stream_id: 4,
        frame: {frame_type: 'headers', headers: [{name: ':status', value: '200'}]},
      }),
      frame(3, 'frame_parsed', {stream_id: 4, frame: {frame_type: 'data', raw: {payload_length: 10}}}),
      frame(4, 'frame_parsed', {stream_id: 4, frame: {frame_type: 'data', raw: {payload_length: 5}}}),
    ]),
  );
  expect(exchanges).toMatchObject([
    {
      url: 'https://h/a',
      requestNs: 0,
      firstByteNs: 1e6,
      completeNs: null,
      bodyBytes: 15,
      deliveries: [
        {atNs: 2e6, bytes: 10},
        {atNs: 3e6, bytes: 15},
      ],
    },
  ]);
});

test('a load begins with its HTML, even if another request was earlier', () => {
  const headers = (time: number, stream_id: number, name: string, fields: readonly (readonly [string, string])[]) => ({
    time,
    name: `http3:${name}`,
    data: {stream_id, frame: {frame_type: 'headers', headers: fields.map(([name, value]) => ({name, value}))}},
  });
  const answered = (time: number, stream: number, path: string, status: string) => [
    headers(time, stream, 'frame_created', [
      [':path', path],
      [':authority', 'h'],
    ]),
    headers(time + 1, stream, 'frame_parsed', [
      [':status', status],
      ['content-type', 'text/html'],
    ]),
  ];
  const {exchanges} = read(sequence(HEADER, [...answered(1, 0, '/old', '301'), ...answered(3, 4, '/', '200')]));
  expect(exchanges.map(({url, requestNs}) => [url, requestNs])).toEqual([
    ['https://h/', 2e6],
    ['https://h/old', 0],
  ]);
});

test('a sequence is read up to a cut and without damaged events, with a note', () => {
  const text = file('quic-go-client.sqlog');
  const load = read(text.slice(0, 12_000));
  expect(load.notes).toContain('The qlog file ends in the middle of an event.');
  expect(load.packets.length).toBeGreaterThan(5);
  const damaged = sequence(HEADER, EVENTS).replace('{"time":2', '{"time"2');
  expect(read(damaged).notes).toContain('Events of the qlog file that are not valid JSON were left out: 1.');
});

test.each([
  ['nothing', '', /^The qlog file cannot be read: it is not JSON: /],
  ['another JSON text', '{"log": {}}', /^The file is not a qlog file: it has no qlog_version and no traces\.$/],
  ['a number', '7', /^The file is not a qlog file/],
  ['an object on each line', '{"trace": 1}\n{}', /^The file is not a qlog file/],
  [
    'a JSON text that is cut',
    file('aioquic-loss-client.qlog').slice(0, 9000),
    /^The qlog file cannot be read: it is not JSON: /,
  ],
  [
    'deep nesting',
    `{"qlog_version":"0.3","traces":${'['.repeat(100_000)}`,
    /^The qlog file cannot be read: it is nested more than 100 deep\.$/,
  ],
  [
    'no packets',
    JSON.stringify({qlog_version: '0.3', traces: [{events: [{time: 1, name: 'x', data: 3}]}]}),
    /^The qlog file has no packets and no requests\.$/,
  ],
  [
    'too many events in a sequence',
    `${JSON.stringify(HEADER)}\n${'0\n'.repeat(2_000_001)}`,
    /^The qlog file has more than 2000000 events, which is the limit\.$/,
  ],
  [
    'too many events',
    JSON.stringify({qlog_version: '0.3', traces: [{events: new Array(2_000_001).fill(0)}]}),
    /^The qlog file has more than 2000000 events, which is the limit\.$/,
  ],
])('a file that cannot be read gives one sentence: %s', (_, text, expected) => {
  expect(messageOf(readQlog(text))).toMatch(expected);
});

test('values of wrong types are ignored', () => {
  const wrong: readonly Json[] = [
    null,
    'x',
    -1,
    1e300,
    [],
    {},
    [[]],
    {header: 3},
    {frames: [3, {frame_type: 'ack', acked_ranges: [[1e300], 'x', [3]]}]},
  ];
  const names = [
    'packet_sent',
    'packet_received',
    'packet_lost',
    'metrics_updated',
    'frame_created',
    'frame_parsed',
    'parameters_set',
    'datagrams_sent',
    'marker',
  ];
  const events = names.flatMap(name => wrong.map(data => ({time: 1, name: `quic:${name}`, data})));
  expect(read(sequence(HEADER, [...EVENTS, ...events, {time: 'x'}, {time: null}, 3, null])).packets.length).toBe(
    2 + 2 * wrong.length,
  );
});
