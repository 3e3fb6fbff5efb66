import {describe, expect, test} from 'vitest';
import {bytesOf} from '../../app/base/bytes.ts';
import type {Json} from '../../app/base/json.ts';
import type {Vantage} from '../../app/export/qlog.ts';
import {qlog} from '../../app/export/qlog.ts';
import type {LoggedEvent} from '../../app/export/testing/qlogShape.ts';
import {logProblems, readLog} from '../../app/export/testing/qlogShape.ts';
import {assemblePage} from '../../app/page/assemble.ts';
import {measure} from '../../app/run/metrics/metrics.ts';
import {capturedPackets} from '../../app/run/packets/captureFile.ts';
import {parseScenario} from '../../app/run/scenario/scenario.ts';
import {DIRECTION, FATE} from '../../app/run/trace/columns.ts';
import {Trace} from '../../app/run/trace/trace.ts';
import {takeSnapshot} from '../pages/base/pageSnapshot.ts';
import {capture, load} from './load.ts';

// These tests check the parts of logs that qvis draws. They are acknowledgements, streams and frames of HTTP/3.

const HTML = '<img src=a.jpg><img src=b.jpg><img src=c.jpg>'.padEnd(4000, ' ');
const page = takeSnapshot(
  assemblePage('p', bytesOf(HTML), () => new Uint8Array(20_000).fill(7)),
  [],
);
const URLS = ['/', '/a.jpg', '/b.jpg', '/c.jpg'];

function loaded(document: {readonly [key: string]: Json}) {
  const answer = parseScenario({seed: 5, ...document});
  if (!answer.ok) throw new Error(answer.problems.map(({message}) => message).join('; '));
  const {scenario} = answer;
  const [data] = load(page, scenario, scenario.seed).panes;
  if (data === undefined) throw new Error('no pane');
  const trace = new Trace(data);
  const packets = capturedPackets(capture(page, scenario, scenario.seed, 0));
  const log = (vantage: Vantage): string => qlog(trace, {vantage, title: 'p', scenario: {}, program: 'p', packets});
  return {trace, log, events: (vantage: Vantage) => readLog(log(vantage)).events};
}

function ofName(events: readonly LoggedEvent[], name: string): readonly LoggedEvent[] {
  return events.filter(event => event.name === name);
}

/** Returns the type and number of each packet. */
function keysOf(events: readonly LoggedEvent[]): readonly string[] {
  return events.map(({data}) => `${data.header?.packet_type} ${data.header?.packet_number}`);
}

function sum(numbers: Iterable<number>): number {
  return Array.from(numbers).reduce((total, each) => total + each, 0);
}

describe.each([
  ['without loss', {}],
  ['with loss', {path: {loss: 0.08}}],
  // With this seed the beginning of a response arrives after the rest.
  ['with much loss', {path: {loss: 0.25}, seed: 2}],
  ['in 0-RTT', {panes: [{pipeline: 'h3', visit: 'again'}], path: {loss: 0.05}}],
])('a log of HTTP/3 %s', (_, more) => {
  const {trace, log, events} = loaded({panes: [{pipeline: 'h3'}], ...more});
  const [client, server] = [events('client'), events('server')];

  test('has only events of the drafts, in order of time', () => {
    for (const vantage of ['client', 'server'] as const) {
      expect(logProblems(log(vantage), 'h3')).toEqual([]);
      const times = events(vantage).map(({time}) => time);
      expect(times).toEqual([...times].sort((a, b) => a - b));
    }
    expect(readLog(log('client')).header).toMatchObject({
      trace: {event_schemas: expect.arrayContaining(['urn:ietf:params:qlog:events:quic-13'])},
    });
  });

  test('has every packet once, with its QUIC type and number', () => {
    for (const [own, other] of [
      [client, server],
      [server, client],
    ] as const) {
      const sent = keysOf(ofName(own, 'quic:packet_sent'));
      expect(new Set(sent).size).toBe(sent.length);
      expect(sent).toEqual(expect.arrayContaining([...keysOf(ofName(other, 'quic:packet_received'))]));
      expect(sent).toEqual(expect.arrayContaining([...keysOf(ofName(own, 'quic:packet_lost'))]));
      for (const type of ['initial', 'handshake', '1RTT']) {
        const numbers = sent.flatMap(key => (key.startsWith(type) ? [Number(key.split(' ')[1])] : []));
        expect(numbers.length).toBeGreaterThan(0);
        expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
      }
    }
    const {packets} = trace.data;
    const bytes = ofName([...client, ...server], 'quic:packet_sent').reduce(
      (sum, {data}) => sum + (data['raw'] as {length: number}).length,
      0,
    );
    // The log does not count the headers of IPv4 and UDP.
    expect(bytes).toBe(packets.bytes.reduce((sum, each) => sum + each - 28, 0));
  });

  test('has the size of each frame, and the sizes add up to the payload length of the packet', () => {
    const packets = ofName([...client, ...server], 'quic:packet_sent');
    expect(packets.length).toBeGreaterThan(30);
    for (const {data} of packets) {
      const sizes = (data.frames ?? []).map(frame => Number(frame['frame_size']));
      expect(sizes.every(size => size > 0)).toBe(true);
      const {payload_length: payload} = data['raw'] as {payload_length: number};
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(payload);
    }
  });

  test('has acknowledgements from the client only of packets that had arrived', () => {
    const acked = new Set<string>();
    const sent = new Set(keysOf(ofName(server, 'quic:packet_sent')));
    const arrived = new Map(
      ofName(client, 'quic:packet_received').map((event, i, all) => [keysOf(all)[i] ?? '', event.time]),
    );
    for (const {time, data} of ofName(server, 'quic:packet_received')) {
      for (const {acked_ranges: ranges = []} of data.frames ?? []) {
        for (const [first = 0, last = first] of ranges) {
          for (let number = first; number <= last; number++) {
            const key = `${data.header?.packet_type} ${number}`;
            expect(sent).toContain(key);
            expect(arrived.get(key)).toBeLessThan(time);
            acked.add(key);
          }
        }
      }
    }
    expect(acked.size).toBeGreaterThan(30);
    // What the log calls received is what the path delivered. The log does not count the headers of IPv4 and UDP.
    const received = ofName(client, 'quic:packet_received').map(({data}) => (data['raw'] as {length: number}).length);
    const {direction, fate, bytes} = trace.data.packets;
    const delivered = bytes.filter((_, row) => direction[row] === DIRECTION.down && fate[row] === FATE.delivered);
    expect(sum(received)).toBe(sum(delivered.map(each => each - 28)));
  });

  test('has each request and response, created at the sender and parsed at the receiver', () => {
    const framesOf = (log: readonly LoggedEvent[], name: string, type: string) =>
      ofName(log, name).filter(({data}) => data.frame?.frame_type === type);
    const pathOf = ({data}: LoggedEvent) => data.frame?.headers?.find(({name}) => name === ':path')?.value;
    const requests = framesOf(client, 'http3:frame_created', 'headers');
    const heard = framesOf(server, 'http3:frame_parsed', 'headers');
    expect(requests.map(pathOf)).toEqual(URLS);
    expect(heard.map(pathOf).sort()).toEqual(URLS);
    const created = framesOf(server, 'http3:frame_created', 'headers');
    const parsed = framesOf(client, 'http3:frame_parsed', 'headers');
    expect(parsed).toHaveLength(URLS.length);
    for (const response of parsed) {
      const stream = response.data.stream_id;
      const at = created.find(({data}) => data.stream_id === stream)?.time ?? Number.NaN;
      expect(response.time).toBeGreaterThan(at);
      const object = trace.objects.find(each => each.stream === stream);
      expect(response.time).toBeCloseTo((object?.firstByteNs ?? 0) / 1e6, 6);
    }
    for (const {time, data} of framesOf(client, 'http3:frame_parsed', 'data')) {
      const object = trace.objects.find(each => each.stream === data.stream_id);
      expect(time).toBeCloseTo((object?.firstByteNs ?? 0) / 1e6, 6);
      // All of an object can be read at once if its head waited for QPACK's table.
      expect(time).toBeLessThanOrEqual((object?.completeNs ?? 0) / 1e6);
    }
    const content = framesOf(client, 'http3:frame_parsed', 'data').reduce(
      (sum, {data}) => sum + Number(data['byte_length']),
      0,
    );
    expect(content).toBe(trace.objects.reduce((sum, {bytes}) => sum + bytes, 0));
    for (const end of [client, server]) {
      expect(framesOf(end, 'http3:frame_parsed', 'settings')).toHaveLength(1);
      expect(ofName(end, 'http3:stream_type_set').map(({data}) => data['initiator'])).toContain('local');
    }
  });
});

test('metrics of QUIC have both the draft’s name and the name that qvis knows', () => {
  const {events} = loaded({panes: [{pipeline: 'h3'}]});
  const [draft, qvis] = ['quic:recovery_metrics_updated', 'h3:metrics_updated'].map(name =>
    ofName(events('server'), name).map(({time, data}) => ({time, data})),
  );
  expect(draft?.length).toBeGreaterThan(10);
  expect(draft).toEqual(qvis);
});

describe.each([
  ['h2', {pipeline: 'h2'}, [1, 3, 5, 7], 'http2_stream'],
  ['h2 without TLS', {pipeline: 'h2', tls: false}, [1, 3, 5, 7], 'http2_stream'],
  ['sctp', {pipeline: 'sctp', streams: 4}, [0, 1, 2, 3], 'sctp_stream'],
  ['sctp with I-DATA', {pipeline: 'sctp', streams: 4, idata: true}, [0, 1, 2, 3], 'sctp_stream'],
] as const)('in a load by %s', (_, pane, streams, own) => {
  const {trace, log, events} = loaded({panes: [pane], path: {loss: 0.05}});

  test('each object has its stream number, in the trace and in the metrics', () => {
    expect(trace.objects.map(({stream}) => stream)).toEqual(streams);
    expect(measure(trace.data, trace).objects.map(({stream}) => stream)).toEqual(streams);
  });

  test('the log has every byte of each stream once, under the stream id that qvis expects', () => {
    expect(logProblems(log('server'), pane.pipeline)).toEqual([]);
    const frames = ofName(events('server'), `${pane.pipeline}:packet_sent`).flatMap(
      ({data}) => data.frames?.filter(({frame_type: type}) => type === 'stream') ?? [],
    );
    const firsts = frames.filter(frame => !('retransmission' in frame));
    expect(firsts.length).toBeLessThan(frames.length);
    expect([...new Set(firsts.map(({stream_id: id}) => id))].sort()).toEqual([0, 12, 4, 8]);
    const ends = new Map<unknown, number>();
    for (const [at, stream] of streams.entries()) {
      const pieces = firsts
        .filter(frame => frame.stream_id === 4 * at)
        .sort((a, b) => (a.offset ?? 0) - (b.offset ?? 0));
      expect(new Set(pieces.map(frame => frame[own]))).toEqual(new Set([stream]));
      for (const {offset, length = 0} of pieces) {
        expect(offset).toBe(ends.get(at) ?? 0);
        ends.set(at, (ends.get(at) ?? 0) + length);
      }
      expect(ends.get(at)).toBeGreaterThan(trace.objects[at]?.bytes ?? 0);
    }
    // Retransmitted data has the same offset as before.
    for (const {retransmission: _, ...data} of frames) expect(firsts).toContainEqual(data);
  });
});

test.each([
  ['udp', {}],
  ['catp', {}],
  ['catp', {abstract: 'tcp'}],
] as const)('the log of a load over %s %o has datagram numbers, and no numbers of SCTP', (pipeline, more) => {
  const {trace, events} = loaded({panes: [{pipeline, ...more}], path: {loss: 0.05}});
  const data = ofName(events('server'), `${pipeline}:packet_sent`)
    .flatMap(event => event.data.frames ?? [])
    .filter(frame => frame.frame_type === 'stream');
  expect(data.filter(frame => 'tsn' in frame || 'sctp_stream' in frame)).toEqual([]);
  const datagrams = data.flatMap(({datagram}) => (datagram === undefined ? [] : [datagram]));
  expect(datagrams).toEqual(datagrams.map((_, number) => number));
  const isByTcp = trace.data.connections.length > 1;
  expect([datagrams.length > 40, datagrams.length < data.length]).toEqual([true, isByTcp]);
});

test('the log of a load over TCP has one stream with TCP’s offsets', () => {
  const {trace, events} = loaded({panes: [{pipeline: 'tcp'}], path: {loss: 0.05}});
  expect(new Set(trace.objects.map(({stream}) => stream))).toEqual(new Set([0]));
  const frames = ofName(events('server'), 'tcp:packet_sent').flatMap(({data}) => data.frames ?? []);
  const data = frames.filter(({frame_type: type}) => type === 'stream');
  expect(data.map(({offset}) => offset)).toEqual(
    Array.from(trace.data.chunks.first).filter(
      (_, chunk) => trace.data.packets.direction[trace.data.chunks.packet[chunk] ?? 0] === 0,
    ),
  );
  expect(trace.data.packets.fate).toContain(FATE.lost);
});
