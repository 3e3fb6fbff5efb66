import {expect, test} from 'vitest';
import {DIRECTION, FATE} from '../run/trace/columns.ts';
import {smallTrace} from '../run/trace/testing/smallTrace.ts';
import {Trace} from '../run/trace/trace.ts';
import type {TraceData} from '../run/trace/traceData.ts';
import {qlog, type Vantage} from './qlog.ts';
import {type LoggedEvent, logProblems, readLog} from './testing/qlogShape.ts';

const SCENARIO = {seed: 1};
const STATE = 'tcp:congestion_state_updated';

function log(data: TraceData, vantage: Vantage): string {
  return qlog(new Trace(data), {
    vantage,
    title: 'small',
    scenario: SCENARIO,
    program: 'interleave 1.2.3 (abc1234)',
  });
}

function events(data: TraceData, vantage: Vantage, name: string): readonly LoggedEvent[] {
  return readLog(log(data, vantage)).events.filter(event => event.name === name);
}

/** Returns the small trace with these cumulative acknowledgements, one for each packet. */
function acknowledging(cumulativeAck: readonly number[]): TraceData {
  const data = smallTrace();
  return {...data, packets: {...data.packets, cumulativeAck: Float64Array.from(cumulativeAck)}};
}

test('a log of either end is a JSON text sequence with a header and events that follow the drafts', () => {
  for (const vantage of ['client', 'server'] as const) {
    const text = log(smallTrace(), vantage);
    expect(logProblems(text, 'tcp')).toEqual([]);
    const {header} = readLog(text);
    expect(header).toMatchObject({
      trace: {vantage_point: {type: vantage}, event_schemas: ['interleave://qlog/tcp', expect.any(String)]},
    });
  }
});

test('a log has the packets that its end sent and received, with their times', () => {
  const times = (vantage: Vantage, name: string): readonly number[] =>
    events(smallTrace(), vantage, name).map(({time}) => time);
  expect(times('client', 'tcp:packet_sent')).toEqual([0]);
  expect(times('server', 'tcp:packet_received')).toEqual([5]);
  expect(times('server', 'tcp:packet_sent')).toEqual([15, 24, 25, 30, 60]);
  expect(times('client', 'tcp:packet_received')).toEqual([20, 30, 40, 70]);
  const numbers = events(smallTrace(), 'client', 'tcp:packet_received').map(({data}) => data.header?.packet_number);
  expect(numbers).toEqual([0, 1, 3, 4]);
});

test('a packet has the size and data of the trace, and no frames if it has neither data nor an acknowledgement', () => {
  const [first] = events(smallTrace(), 'client', 'tcp:packet_sent');
  expect(first?.data).toEqual({header: {packet_number: 0}, raw: {length: 60}});
  const again = events(smallTrace(), 'server', 'tcp:packet_sent').at(-1);
  expect(again?.data).toEqual({
    header: {packet_number: 4},
    raw: {length: 140},
    frames: [
      {frame_type: 'stream', stream_id: 0, offset: 200, length: 100, retransmission: true},
      {frame_type: 'ack', cumulative: 0},
    ],
  });
});

test('a packet whose data are retransmitted in recovery is logged as lost, in the log of its sender only', () => {
  const [lost, ...others] = events(smallTrace(), 'server', 'tcp:packet_lost');
  expect(lost).toMatchObject({time: 60, data: {header: {packet_number: 2}}});
  expect(others).toEqual([]);
  expect(events(smallTrace(), 'client', 'tcp:packet_lost')).toEqual([]);
});

test('a retransmission outside of recovery is a probe, which means no loss', () => {
  const data = smallTrace();
  const probing = {...data, samples: {...data.samples, state: Uint8Array.of(1, 1, 2)}};
  expect(events(probing, 'server', 'tcp:packet_lost')).toEqual([]);
});

test('a retransmission at the end of recovery counts as sent in recovery', () => {
  const data = smallTrace();
  const [atNs, state] = [Float64Array.of(10e6, 11e6, 60e6), Uint8Array.of(1, 3, 2)];
  expect(events({...data, samples: {...data.samples, atNs, state}}, 'server', 'tcp:packet_lost')).toHaveLength(1);
});

/** Returns the trace with one more packet, in which the server retransmits these bytes. The packet arrives. */
function sendingMore(data: TraceData, {ms, first, bytes}: {ms: number; first: number; bytes: number}): TraceData {
  const {packets, chunks} = data;
  const last = packets.sentNs.length;
  return {
    ...data,
    packets: {
      endpoint: Uint32Array.of(...packets.endpoint, 1),
      direction: Uint8Array.of(...packets.direction, DIRECTION.down),
      bytes: Uint32Array.of(...packets.bytes, 140),
      sentNs: Float64Array.of(...packets.sentNs, ms * 1e6),
      leftNs: Float64Array.of(...packets.leftNs, (ms + 5) * 1e6),
      copyNs: Float64Array.of(...packets.copyNs, Number.NaN),
      ecn: Uint8Array.of(...packets.ecn, 0),
      marked: Uint8Array.of(...packets.marked, 0),
      fate: Uint8Array.of(...packets.fate, FATE.delivered),
      fateNs: Float64Array.of(...packets.fateNs, (ms + 10) * 1e6),
      kind: Uint8Array.of(...packets.kind, 1),
      cumulativeAck: Float64Array.of(...packets.cumulativeAck, 0),
    },
    chunks: {
      packet: Uint32Array.of(...chunks.packet, last),
      first: Float64Array.of(...chunks.first, first),
      bytes: Uint32Array.of(...chunks.bytes, bytes),
      stream: Uint32Array.of(...chunks.stream, 0),
      message: Uint32Array.of(...chunks.message, 0),
      retransmission: Uint8Array.of(...chunks.retransmission, 1),
    },
  };
}

test('data that are sent three times are logged as lost twice, even if they are divided differently', () => {
  const more = sendingMore(smallTrace(), {ms: 90, first: 250, bytes: 50});
  const lost = events(more, 'server', 'tcp:packet_lost');
  expect(lost.map(({time, data}) => [time, data.header?.packet_number])).toEqual([
    [60, 2],
    [90, 4],
  ]);
});

test('all retransmissions at the time when recovery ends mean losses', () => {
  const data = sendingMore(smallTrace(), {ms: 60, first: 300, bytes: 200});
  const [atNs, state] = [Float64Array.of(10e6, 11e6, 60e6), Uint8Array.of(1, 3, 2)];
  const lost = events({...data, samples: {...data.samples, atNs, state}}, 'server', 'tcp:packet_lost');
  expect(lost.map(event => event.data.header?.packet_number)).toEqual([2, 3]);
});

test('an acknowledgement names the packets that it newly covers, except for dropped ones', () => {
  // The client acknowledges 500 bytes in a packet long after everything has arrived.
  const data = acknowledging([500, 0, 0, 0, 0, 0]);
  data.packets.sentNs[0] = 80e6;
  data.packets.fateNs[0] = 85e6;
  const [ack] = events(data, 'server', 'tcp:packet_received');
  expect(ack?.data.frames).toEqual([
    {
      frame_type: 'ack',
      cumulative: 500,
      acked_ranges: [
        [0, 1],
        [3, 4],
      ],
    },
  ]);
});

test('an acknowledgement covers no packet that has not arrived yet', () => {
  const data = acknowledging([500, 0, 0, 0, 0, 0]);
  data.packets.sentNs[0] = 35e6;
  const [ack] = events(data, 'client', 'tcp:packet_sent');
  expect(ack?.data.frames).toEqual([{frame_type: 'ack', cumulative: 500, acked_ranges: [[0, 1]]}]);
});

test('a copy that arrives after an acknowledgement is covered by the next acknowledgement', () => {
  // Everything is acknowledged at 80 ms, while a copy of the image's first bytes is in flight. The second
  // acknowledgement covers the copy.
  const data = sendingMore(acknowledging([500, 0, 0, 0, 0, 0]), {ms: 75, first: 100, bytes: 100});
  data.packets.sentNs[0] = 80e6;
  data.packets.fateNs[0] = 85e6;
  const {packets} = data;
  const twice = {
    ...data,
    packets: {
      endpoint: Uint32Array.of(...packets.endpoint, 0),
      direction: Uint8Array.of(...packets.direction, DIRECTION.up),
      bytes: Uint32Array.of(...packets.bytes, 40),
      sentNs: Float64Array.of(...packets.sentNs, 86e6),
      leftNs: Float64Array.of(...packets.leftNs, 87e6),
      copyNs: Float64Array.of(...packets.copyNs, Number.NaN),
      ecn: Uint8Array.of(...packets.ecn, 0),
      marked: Uint8Array.of(...packets.marked, 0),
      fate: Uint8Array.of(...packets.fate, FATE.delivered),
      fateNs: Float64Array.of(...packets.fateNs, 91e6),
      kind: Uint8Array.of(...packets.kind, 2),
      cumulativeAck: Float64Array.of(...packets.cumulativeAck, 500),
    },
  };
  const named = (data: TraceData) => events(data, 'server', 'tcp:packet_received').map(event => event.data.frames);
  const [first, second] = [
    {
      cumulative: 500,
      acked_ranges: [
        [0, 1],
        [3, 4],
      ],
    },
    {acked_ranges: [[5]]},
  ];
  expect(named(twice)).toMatchObject([[first], [second]]);
  // If the second acknowledgement overtakes the first, it covers all packets, and the first covers none.
  twice.packets.fateNs[0] = 95e6;
  const [overtaking, overtaken] = named(twice);
  expect(overtaking).toMatchObject([
    {
      acked_ranges: [
        [0, 1],
        [3, 5],
      ],
    },
  ]);
  expect(overtaken?.[0]).not.toHaveProperty('acked_ranges');
});

test('metrics are absent before they are known', () => {
  const data = smallTrace();
  const unknown = {...data.samples, srttNs: Float64Array.of(10e6, 0, 10e6)};
  const [before, after] = events({...data, samples: unknown}, 'server', 'tcp:metrics_updated');
  expect(before?.data).toEqual({congestion_window: 300, bytes_in_flight: 0, retransmission_timeout: 1000});
  expect(after?.data).toMatchObject({ssthresh: 150, bytes_in_flight: 300, smoothed_rtt: 10});
});

test('changes of the congestion control state are logged', () => {
  const data = smallTrace();
  const states = (state: readonly number[]) =>
    events({...data, samples: {...data.samples, state: Uint8Array.from(state)}}, 'server', STATE).map(
      event => event.data,
    );
  expect(states([1, 1, 4])).toEqual([{new: 'slow_start'}, {old: 'slow_start', new: 'loss_recovery'}]);
  expect(states([1, 2, 2])).toEqual([{new: 'congestion_avoidance'}]);
  // The states 0 (connecting) and 5 (closed) are not logged.
  expect(states([1, 0, 5])).toEqual([]);
});

test('a packet that the path dropped is an event of the simulation in the log of its sender', () => {
  const [marker] = events(smallTrace(), 'server', 'simulation:marker');
  expect(marker).toMatchObject({time: 25, data: {message: 'packet 2 was lost by the path'}});
  expect(events(smallTrace(), 'client', 'simulation:marker')).toEqual([]);
  const data = smallTrace();
  data.packets.fate[3] = FATE.queueFull;
  expect(events(data, 'server', 'simulation:marker')[0]?.data['message']).toContain('full queue');
});

test('received packets precede sent packets of the same time', () => {
  const data = smallTrace();
  data.packets.sentNs[1] = 5e6;
  const names = readLog(log(data, 'server')).events.map(({name}) => name);
  expect(names.slice(0, 3)).toEqual(['simulation:scenario', 'tcp:packet_received', 'tcp:packet_sent']);
});

test('every event has a group_id if there are several connections, and none has one if there is only one', () => {
  const data = smallTrace();
  const two = {...data, connections: [...data.connections, {client: 2, server: 3, streams: 0}]};
  const groups = readLog(log(two, 'server')).events.map(event => event.group_id);
  expect(groups.filter(group => group === 'connection 2')).toEqual(['connection 2']);
  expect(groups.filter(group => group === undefined)).toEqual([]);
  const one = readLog(log(data, 'server')).events.map(event => event.group_id);
  expect(one.filter(group => group !== undefined)).toEqual([]);
});

test('a log without connections contains only the scenario', () => {
  const data = {...smallTrace(), connections: []};
  const {events} = readLog(log(data, 'server'));
  expect(events).toEqual([{time: 0, name: 'simulation:scenario', category: 'simulation', data: {details: SCENARIO}}]);
  expect(logProblems(log(data, 'client'), 'tcp')).toEqual([]);
});
