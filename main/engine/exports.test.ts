import {expect, test} from 'vitest';
import {bytesOf} from '../../app/base/bytes.ts';
import type {Json} from '../../app/base/json.ts';
import {har} from '../../app/export/har.ts';
import type {Vantage} from '../../app/export/qlog.ts';
import {qlog} from '../../app/export/qlog.ts';
import {archiveProblems, readArchive} from '../../app/export/testing/harShape.ts';
import type {LoggedEvent, LoggedFrame} from '../../app/export/testing/qlogShape.ts';
import {logProblems, readLog} from '../../app/export/testing/qlogShape.ts';
import {assemblePage} from '../../app/page/assemble.ts';
import type {PageSnapshot} from '../../app/page/page.ts';
import type {Pane} from '../../app/pipelines/index.ts';
import {pipelines} from '../../app/pipelines/index.ts';
import {parseScenario} from '../../app/run/scenario/scenario.ts';
import {DIRECTION, FATE} from '../../app/run/trace/columns.ts';
import {setUpsOf} from '../../app/run/trace/setUps.ts';
import {Trace} from '../../app/run/trace/trace.ts';
import {takeSnapshot} from '../pages/base/pageSnapshot.ts';
import {traces} from '../workers/testing/runs.ts';
import {load} from './load.ts';

// These tests export loads of every pipeline, which are complete, aborted, or end at the time limit.

const HTML = '<img src=a.jpg><img src=gone.jpg><img src=b.jpg>'.padEnd(4000, ' ');
const page = takeSnapshot(
  assemblePage('p', bytesOf(HTML), url => (url === '/gone.jpg' ? undefined : new Uint8Array(15_000).fill(7))),
  [],
);
/**
 * Two pipelines whose transport acknowledges and retransmits. With datagrams the application requests lost data again.
 */
const RELIABLE = [{pipeline: 'tcp'}, {pipeline: 'sctp'}];
const panes = pipelines().map(({name}) => ({pipeline: name}));

const LOADS: readonly (readonly [name: string, document: {readonly [key: string]: Json}])[] = [
  ['without loss', {}],
  ['with loss', {path: {loss: 0.08}, seed: 3}],
  ['with so much loss that it is aborted', {path: {loss: 0.6}, timeLimitMs: 600_000}],
  ['that ends at the time limit', {timeLimitMs: 1400}],
  [
    'over many connections, in tagged pieces, in fragments, and over streams that are reset',
    {
      path: {loss: 0.05},
      panes: [
        {pipeline: 'tcp', connections: 6, pipelining: false},
        {pipeline: 'sctp', server: 'interleaving'},
        {pipeline: 'sctp', idata: true, fragmentation: false},
        {pipeline: 'sctp', resetStreams: true, streams: 2},
      ],
    },
  ],
  ['in which every packet is lost', {path: {loss: 1}, timeLimitMs: 100_000}],
];

function tracesOf(document: {readonly [key: string]: Json}, snapshot: PageSnapshot = page): readonly Trace[] {
  const answer = parseScenario({panes, ...document});
  if (!answer.ok) throw new Error(answer.problems.map(({message}) => message).join('; '));
  const {scenario} = answer;
  return load(snapshot, scenario, scenario.seed).panes.map((data, i) => {
    const [trace, pane] = [new Trace(data), scenario.panes[i]];
    if (pane !== undefined) paneOf.set(trace, pane);
    return trace;
  });
}

const paneOf = new WeakMap<Trace, Pane>();

function logOf(trace: Trace, vantage: Vantage): string {
  return qlog(trace, {vantage, title: 'p', scenario: {}, program: 'p'});
}

function archiveOf(trace: Trace, of: PageSnapshot = page): string {
  const pane = paneOf.get(trace);
  if (pane === undefined) throw new Error('no pane of ours');
  return har(trace, {page: of, pane, isLive: false, title: 'p', version: '1', hasContent: true});
}

test.each(LOADS)('a load %s gives a valid log for both ends, and a valid archive', (_, document) => {
  for (const trace of tracesOf(document)) {
    const {name} = trace.pipeline;
    for (const vantage of ['client', 'server'] as const) {
      expect(logProblems(logOf(trace, vantage), name)).toEqual([]);
    }
    expect(archiveProblems(archiveOf(trace))).toEqual([]);
  }
});

test.each(LOADS)('a load %s has all of its packets in the logs, in order of time', (_, document) => {
  for (const trace of tracesOf(document)) {
    const {packets} = trace.data;
    const rows = Array.from(packets.direction.keys());
    const [client, server] = (['client', 'server'] as const).map(end => readLog(logOf(trace, end)).events);
    for (const [own, other, direction] of [
      [client, server, DIRECTION.up],
      [server, client, DIRECTION.down],
    ] as const) {
      const sent = rows.filter(row => packets.direction[row] === direction);
      const arrived = sent.filter(row => packets.fate[row] === FATE.delivered);
      expect(timesOf(own, 'packet_sent')).toEqual(sent.map(row => (packets.sentNs[row] ?? 0) / 1e6));
      expect(timesOf(other, 'packet_received')).toHaveLength(arrived.length);
      const markers = own?.filter(({name}) => name === 'simulation:marker');
      expect(markers).toHaveLength(sent.filter(row => (packets.fate[row] ?? 0) >= FATE.lost).length);
    }
    for (const events of [client, server]) {
      const times = events?.map(({time}) => time) ?? [];
      expect(times).toEqual([...times].sort((a, b) => a - b));
    }
  }
});

test('acknowledgements never name a packet twice, nor a packet that has not arrived', () => {
  for (const trace of tracesOf({panes: RELIABLE, path: {loss: 0.08}, seed: 3})) {
    const server = readLog(logOf(trace, 'server')).events;
    const client = readLog(logOf(trace, 'client')).events;
    const acked = namedIn(server, 'packet_received');
    expect(new Set(acked).size).toBe(acked.length);
    const data = server.filter(({name, data: {frames}}) => {
      return name.endsWith('packet_sent') && frames?.some(({frame_type}) => frame_type !== 'ack');
    });
    const came = new Set(numbersOf(client, 'packet_received'));
    const expected = numbersOf(data, 'packet_sent').filter(number => came.has(number));
    expect(new Set(expected)).toEqual(new Set([...expected, ...acked]));
    expect(namedIn(client, 'packet_sent')).toEqual(expect.arrayContaining([...acked]));
    expect(acked.length).toBeGreaterThan(0);
  }
});

test('without loss all packets with data are acknowledged, up to the last acknowledgement', () => {
  for (const trace of tracesOf({panes: RELIABLE})) {
    const {events} = readLog(logOf(trace, 'server'));
    const frames = ofType(events, 'packet_received').flatMap(({data}) => data.frames ?? []);
    const last = Math.max(...frames.map(({cumulative}) => cumulative ?? 0));
    const covered = ofType(events, 'packet_sent').filter(({data}) => {
      const ends = data.frames?.flatMap(endOf) ?? [];
      return ends.length > 0 && ends.every(end => end <= last);
    });
    expect(covered.length).toBeGreaterThan(20);
    expect(namedIn(events, 'packet_received')).toEqual(numbersOf(covered, 'packet_sent'));
  }
});

test('an acknowledgement of QUIC has the largest acknowledged packet number, and no ranges of packet numbers', () => {
  const [trace] = tracesOf({panes: [{pipeline: 'h3'}], path: {loss: 0.05}});
  if (trace === undefined) throw new Error('no pane');
  const {events} = readLog(logOf(trace, 'client'));
  const acks = ofType(events, 'packet_sent')
    .flatMap(({data}) => data.frames ?? [])
    .filter(({frame_type}) => frame_type === 'ack');
  expect(acks.length).toBeGreaterThan(5);
  for (const ack of acks) expect(Object.keys(ack)).toEqual(['frame_type', 'largest_acknowledged']);
});

test('the log has lost packets for all retransmissions, and none without loss', () => {
  for (const trace of tracesOf({panes: RELIABLE, path: {loss: 0.08}, seed: 3})) {
    const lost = numbersOf(readLog(logOf(trace, 'server')).events, 'packet_lost');
    const {direction} = trace.data.packets;
    const again = trace.retransmissions().filter(packet => direction[packet] === DIRECTION.down);
    expect(again.length).toBeGreaterThan(0);
    expect(lost.length).toBeGreaterThanOrEqual(again.length);
  }
  for (const trace of tracesOf({panes: RELIABLE})) {
    expect(numbersOf(readLog(logOf(trace, 'server')).events, 'packet_lost')).toEqual([]);
  }
});

test('heads have the sizes of the page’s settings, even if they were retransmitted', () => {
  for (const seed of [1, 2, 3]) {
    for (const trace of tracesOf({panes: RELIABLE, path: {loss: 0.1}, seed})) {
      const {entries} = readArchive(archiveOf(trace)).log;
      const whole = entries.filter(({response}) => response.headersSize !== -1);
      expect(whole.length).toBeGreaterThan(0);
      expect(whole.map(({response}) => response.headersSize)).toEqual(whole.map(() => page.headerBytes));
      expect(entries.map(({request}) => request.headersSize)).toEqual(entries.map(() => page.requestBytes));
    }
  }
});

test.each([
  [{pipeline: 'tcp'}, 'http', 'http/1.1'],
  [{pipeline: 'tcp', tls: true}, 'https', 'http/1.1'],
  [{pipeline: 'sctp'}, 'http', 'http/1.1'],
  [{pipeline: 'h2'}, 'https', 'h2'],
  [{pipeline: 'h2', tls: false}, 'http', 'h2'],
  [{pipeline: 'h3'}, 'https', 'h3'],
  [{pipeline: 'udp'}, 'http', 'http/1.1'],
])('an archive of %j has URLs of %s, and messages of %s', (pane, scheme, version) => {
  for (const trace of tracesOf({panes: [pane]})) {
    for (const {request, response} of readArchive(archiveOf(trace)).log.entries) {
      expect(request.url).toMatch(new RegExp(`^${scheme}://page\\.test/`));
      expect([request.httpVersion, response.httpVersion]).toEqual([version, version]);
    }
  }
});

test('the first object on each connection has the time for connecting, which includes TLS', () => {
  const RTT_MS = 100;
  const path = {rateBps: 10_000_000, rttMs: RTT_MS, loss: 0};
  const firstOf = (pane: {readonly [key: string]: Json}) => {
    const [trace] = tracesOf({panes: [pane], path});
    if (trace === undefined) throw new Error('no pane');
    const [first, ...others] = readArchive(archiveOf(trace)).log.entries;
    const round = (ms: number | undefined) => (ms === undefined || ms < 0 ? ms : Math.round(ms / RTT_MS));
    return {
      of: [first?.timings['connect'], first?.timings['ssl']].map(round),
      others: others.map(({timings: {connect, ssl}}) => [round(connect), round(ssl)]),
    };
  };
  const without = [-1, -1];
  const three = [without, without, without];
  expect(firstOf({pipeline: 'tcp'})).toEqual({of: [1, -1], others: three});
  expect(firstOf({pipeline: 'tcp', tls: true})).toEqual({of: [2, 1], others: three});
  expect(firstOf({pipeline: 'sctp'})).toEqual({of: [2, -1], others: three});
  // DTLS has one round trip, and SCTP's handshake, whose COOKIE ECHO carries the request, has another one
  expect(firstOf({pipeline: 'sctp', profile: 'modern', tls: true})).toEqual({of: [2, 2], others: three});
  expect(firstOf({pipeline: 'h2'})).toEqual({of: [2, 1], others: three});
  expect(firstOf({pipeline: 'h3'})).toEqual({of: [1, 1], others: three});
  expect(firstOf({pipeline: 'h3', visit: 'again'})).toEqual({of: [0, 0], others: three});
  expect(firstOf({pipeline: 'udp'})).toEqual({of: without, others: three});
  expect(firstOf({pipeline: 'catp', abstract: 'tcp'})).toEqual({of: [1, -1], others: three});
  const further = {pipeline: 'tcp', connections: 6, pipelining: false};
  // The first image uses the connection of index.html. The others wait for new connections.
  expect(firstOf(further)).toEqual({of: [1, -1], others: [without, [1, -1], [1, -1]]});
  expect(firstOf({...further, tls: true})).toEqual({of: [2, 1], others: [without, [2, 1], [2, 1]]});
});

test('the time for connecting with TLS, which is found from packets, agrees with the trace’s set-up time', () => {
  for (const seed of [1, 2, 3, 4]) {
    const panes = [{pipeline: 'tcp', tls: true, connections: 6, pipelining: false}];
    for (const trace of tracesOf({panes, seed, path: {loss: 0.1}})) {
      const [first] = readArchive(archiveOf(trace)).log.entries;
      expect(first?.timings['connect']).toBeCloseTo((trace.data.setupNs ?? 0) / 1e6, 6);
    }
  }
});

test('with several connections, the set-up of the first one ends at the trace’s set-up time over every transport', () => {
  const document = {page: 'today', browser: 'chromium', path: {rateBps: 10_000_000, rttMs: 100, loss: 0}};
  for (const [hasTls, pane] of [
    [false, {pipeline: 'tcp'}],
    [true, {pipeline: 'tcp', tls: true}],
    [true, {pipeline: 'h2'}],
    [true, {pipeline: 'h3'}],
    [false, {pipeline: 'sctp', profile: 'classic'}],
    [false, {pipeline: 'sctp', profile: 'modern'}],
    [true, {pipeline: 'sctp', profile: 'modern', tls: true}],
  ] as const) {
    for (const trace of traces({...document, panes: [pane]})) {
      expect(trace.data.connections.length).toBeGreaterThan(1);
      expect([pane, setUpsOf(trace, {hasTls})(0)?.toNs]).toEqual([pane, trace.data.setupNs]);
    }
  }
});

test('an SCTP association is set up when the COOKIE ACK arrives, even if the client sends no data then', () => {
  const path = {rateBps: 10_000_000, rttMs: 100, loss: 0};
  const pane = {pipeline: 'sctp', profile: 'classic'};
  for (const {data} of traces({page: 'today', browser: 'chromium', path, panes: [pane]})) {
    // in this trace, all data was sent by the server
    const {packets, chunks} = data;
    const packet = chunks.packet.map(() => packets.direction.indexOf(DIRECTION.down));
    const trace = new Trace({...data, chunks: {...chunks, packet}});
    expect(setUpsOf(trace, {hasTls: false})(0)?.toNs).toBe(data.setupNs);
  }
});

test('a missing image has the status 404, and a page without objects has one entry', () => {
  for (const trace of tracesOf({})) {
    const {entries} = readArchive(archiveOf(trace)).log;
    expect(entries.map(({response}) => response.status)).toEqual([200, 200, 404, 200]);
  }
  const bare = takeSnapshot(
    assemblePage('bare', bytesOf('nothing'), () => undefined),
    [],
  );
  for (const trace of tracesOf({}, bare)) {
    const text = archiveOf(trace, bare);
    expect(archiveProblems(text)).toEqual([]);
    expect(readArchive(text).log.entries).toHaveLength(1);
  }
});

test('the same load gives the same bytes', () => {
  const both = [1, 2].map(() =>
    tracesOf({path: {loss: 0.05}, seed: 2}).map(trace => [logOf(trace, 'server'), archiveOf(trace)]),
  );
  expect(both[0]).toEqual(both[1]);
});

function ofType(events: readonly LoggedEvent[] | undefined, type: string): readonly LoggedEvent[] {
  return events?.filter(({name}) => name.endsWith(`:${type}`)) ?? [];
}

function timesOf(events: readonly LoggedEvent[] | undefined, type: string): readonly number[] {
  return ofType(events, type).map(({time}) => time);
}

function numbersOf(events: readonly LoggedEvent[], type: string): readonly number[] {
  return ofType(events, type).map(({data}) => data.header?.packet_number ?? -1);
}

/** Returns the TSN or the offset after a frame's data. Empty if the frame has no data. */
function endOf({tsn, offset, length}: LoggedFrame): readonly number[] {
  if (tsn !== undefined) return [tsn + 1];
  return offset === undefined ? [] : [offset + (length ?? 0)];
}

/** Returns the numbers of all packets that these packets acknowledge. */
function namedIn(events: readonly LoggedEvent[], type: string): readonly number[] {
  return ofType(events, type)
    .flatMap(({data}) => data.frames ?? [])
    .flatMap(({acked_ranges: ranges}) => ranges ?? [])
    .flatMap(([first = 0, last = first]) => Array.from({length: last - first + 1}, (_, i) => first + i));
}
