import type {Json} from '../base/json.ts';
import {rowsOf} from '../base/order.ts';
import {FATE} from '../run/trace/columns.ts';
import type {Trace} from '../run/trace/trace.ts';
import {isDropped} from '../run/trace/traceIndex.ts';
import {ackedPackets, rangesOf} from './ackedPackets.ts';
import {deemedLost} from './deemedLost.ts';
import {quicEvents} from './quicEvents.ts';
import {streamPlaces} from './streamPlaces.ts';

/** An event of a log, without the fields that are the same for all events of the connection. */
export interface QlogEvent {
  readonly atNs: number;
  readonly name: string;
  /**
   * The category of the event. qlog had categories until draft-ietf-quic-qlog-quic-events-08, and qvis uses them to
   * find the events for its figures.
   */
  readonly category: string;
  readonly data: Fields;
}

type Fields = {readonly [key: string]: Json};

/**
 * Returns the events that one end of a connection can observe, and events for its packets that the path dropped. The
 * result is not in order of time. It consists of groups: received packets, then other events of the end, then sent
 * packets, then dropped packets. A caller that sorts the result by time with a stable sort keeps this order for events
 * of the same time. `packets` holds the packets' bytes in the order of the trace's rows. If `packets` is given, the
 * events for QUIC contain all details of the packets.
 */
export function qlogEvents(
  trace: Trace,
  {own, peer}: {readonly own: number; readonly peer: number},
  packets: readonly Uint8Array[] | null = null,
): readonly QlogEvent[] {
  const number = packetNumbers(trace);
  if (packets !== null && trace.pipeline.acknowledges === 'packets') {
    const noticed = metrics(trace, own).flatMap(event => inDraft(event));
    return [...quicEvents(trace, packets, {own, peer, noticed}), ...dropped(trace, own, number)];
  }
  const name = trace.pipeline.name;
  const events = [
    ...received(trace, own, peer, number),
    ...deemedLost(trace, own).map(({packet, atNs}) => ({
      atNs,
      name: 'packet_lost',
      category: 'recovery',
      data: {header: {packet_number: number(packet)}},
    })),
    ...metrics(trace, own),
    ...sent(trace, own, peer, number),
  ].map(event => ({...event, name: `${name}:${event.name}`}));
  return [...events, ...dropped(trace, own, number)];
}

/**
 * Returns the event under the draft's name. If qvis uses another name, the result also contains the event under that
 * name.
 */
function inDraft(event: QlogEvent): readonly QlogEvent[] {
  if (event.name !== 'metrics_updated') return [{...event, name: `quic:${event.name}`}];
  return [
    {...event, name: 'quic:recovery_metrics_updated'},
    {...event, name: 'h3:metrics_updated'},
  ];
}

/** Returns the rows of the packets that an endpoint sent. */
function packetsOf({data: {packets}}: Trace, endpoint: number): readonly number[] {
  return Array.from(packets.endpoint.keys()).filter(row => packets.endpoint[row] === endpoint);
}

/**
 * Returns a function from a packet's row to its number in the log. The packets of each endpoint are numbered from 0 in
 * the order of sending. The protocols' own numbers cannot be used: TCP and SCTP do not number packets, and QUIC has
 * three packet number spaces.
 */
function packetNumbers({data: {packets}}: Trace): (packet: number) => number {
  const counts = new Map<number, number>();
  const numbers = packets.endpoint.map(endpoint => {
    const count = counts.get(endpoint) ?? 0;
    counts.set(endpoint, count + 1);
    return count;
  });
  return packet => numbers[packet] ?? 0;
}

type NumberOf = (packet: number) => number;

function sent(trace: Trace, own: number, peer: number, number: NumberOf): QlogEvent[] {
  const {sentNs} = trace.data.packets;
  const [acked, placeOf] = [ackedPackets(trace, peer), streamPlaces(trace)];
  return packetsOf(trace, own).map(packet => ({
    atNs: sentNs[packet] ?? 0,
    name: 'packet_sent',
    category: 'transport',
    data: packetData(trace, packet, number, {acked, placeOf}),
  }));
}

function received(trace: Trace, own: number, peer: number, number: NumberOf): QlogEvent[] {
  const {fate, fateNs} = trace.data.packets;
  const [acked, placeOf] = [ackedPackets(trace, own), streamPlaces(trace)];
  return packetsOf(trace, peer)
    .filter(packet => fate[packet] === FATE.delivered)
    .sort((a, b) => (fateNs[a] ?? 0) - (fateNs[b] ?? 0) || a - b)
    .map(packet => ({
      atNs: fateNs[packet] ?? 0,
      name: 'packet_received',
      category: 'transport',
      data: packetData(trace, packet, number, {acked, placeOf}),
    }));
}

interface PacketLookups {
  readonly acked: (acknowledgement: number) => readonly number[];
  readonly placeOf: ReturnType<typeof streamPlaces>;
}

function packetData(trace: Trace, packet: number, number: NumberOf, {acked, placeOf}: PacketLookups): Fields {
  const {packets, chunks} = trace.data;
  const cumulative = packets.cumulativeAck[packet] ?? Number.NaN;
  const data = rowsOf(chunks.packet, packet).flatMap(chunk => dataFrames(trace, chunk, placeOf));
  const frames = Number.isNaN(cumulative)
    ? data
    : [...data, ackFrame(trace, cumulative, rangesOf(acked(packet).map(number)))];
  return {
    header: {packet_number: number(packet)},
    raw: {length: packets.bytes[packet] ?? 0},
    ...(frames.length === 0 ? {} : {frames}),
  };
}

/**
 * Returns a chunk's data as QUIC STREAM frames, because qvis can draw these. There is one frame for each stream with
 * data in the chunk. qvis expects requests on streams 0, 4, 8 … (RFC 9000 §2.1), so SCTP's stream n (counted from 0),
 * HTTP/2's stream 2n + 1 and the datagrams that answer request n become stream 4n.
 */
function dataFrames(
  {data: {packets, chunks}, pipeline}: Trace,
  chunk: number,
  placeOf: PacketLookups['placeOf'],
): readonly Fields[] {
  const [first, stream] = [chunks.first[chunk] ?? 0, chunks.stream[chunk] ?? 0];
  const isAgain = chunks.retransmission[chunk] === 1 ? {retransmission: true} : {};
  const frame = (id: number, offset: number, length: number, own: Fields): Fields => ({
    frame_type: 'stream',
    stream_id: id,
    offset,
    length,
    ...own,
    ...isAgain,
  });
  return placeOf(chunk).map(({stream: place, offset, bytes}) => {
    if (pipeline.isOfDatagrams === true) {
      // only the first connection (endpoints 0 and 1) has datagrams; the other connections use TCP (paper C03)
      const isDatagram = (packets.endpoint[chunks.packet[chunk] ?? 0] ?? 0) < 2;
      const numbers = {chunk: first, datagram: chunks.message[chunk] ?? 0};
      return frame(4 * stream, offset, bytes, isDatagram ? numbers : {});
    }
    if (pipeline.numbers === 'chunk')
      return frame(4 * stream, offset, bytes, {
        sctp_stream: stream,
        tsn: first,
        message: chunks.message[chunk] ?? 0,
      });
    if (pipeline.acknowledges === 'packets') return frame(stream, offset, bytes, {});
    if (place === null) return frame(0, offset, bytes, {});
    return frame(2 * (place - 1), offset, bytes, {http2_stream: place, tcp_offset: first});
  });
}

/**
 * Returns an `ack` frame. `acked_ranges` holds the newly covered packets, by their numbers in this log. The field is
 * absent if the acknowledgement covers no new packets. It is also absent for QUIC, because a trace contains only the
 * largest acknowledged number, and QUIC's numbers differ from those of this log.
 */
function ackFrame({pipeline}: Trace, cumulative: number, ranges: readonly (readonly number[])[]): Fields {
  if (pipeline.acknowledges === 'packets') return {frame_type: 'ack', largest_acknowledged: cumulative - 1};
  return {frame_type: 'ack', cumulative, ...(ranges.length === 0 ? {} : {acked_ranges: ranges})};
}

function metrics({data: {samples}}: Trace, own: number): QlogEvent[] {
  const events: QlogEvent[] = [];
  let state: string | undefined;
  for (let row = 0; row < samples.atNs.length; row++) {
    if (samples.endpoint[row] !== own) continue;
    const atNs = samples.atNs[row] ?? 0;
    const [ssthresh, srttNs, rtoNs] = [samples.ssthreshBytes[row], samples.srttNs[row], samples.rtoNs[row]];
    const data = {
      congestion_window: samples.cwndBytes[row] ?? 0,
      bytes_in_flight: samples.flightBytes[row] ?? 0,
      // The threshold is infinite before the first loss.
      ...(ssthresh !== undefined && Number.isFinite(ssthresh) && {ssthresh}),
      // The smoothed RTT is 0 before the first measurement.
      ...(srttNs !== undefined && srttNs > 0 && {smoothed_rtt: srttNs / 1e6}),
      ...(rtoNs !== undefined && rtoNs > 0 && {retransmission_timeout: rtoNs / 1e6}),
    };
    events.push({atNs, name: 'metrics_updated', category: 'recovery', data});
    const now = STATES[samples.state[row] ?? 0];
    if (now === undefined || now === state) continue;
    const change = {...(state !== undefined && {old: state}), new: now};
    events.push({atNs, name: 'congestion_state_updated', category: 'recovery', data: change});
    state = now;
  }
  return events;
}

/**
 * The names of the values of `SampleColumns.state`. Value 0 (connecting) and values above 4 (closed) have no name,
 * because they are not states of congestion control.
 */
const STATES = [undefined, 'slow_start', 'congestion_avoidance', 'fast_recovery', 'loss_recovery'];

const DROP_REASONS = new Map<number, string>([
  [FATE.lost, 'lost by the path'],
  [FATE.queueFull, 'dropped by the full queue'],
  [FATE.early, 'dropped by the queue to signal congestion'],
  [FATE.policed, 'dropped by the policer'],
  [FATE.handedOver, 'lost because the client had left the path'],
]);

/**
 * Returns events for the packets that the path dropped. They are events of the simulation, because neither end can
 * observe them.
 */
function dropped(trace: Trace, own: number, number: NumberOf): QlogEvent[] {
  const {fate, fateNs} = trace.data.packets;
  return packetsOf(trace, own)
    .filter(packet => isDropped(fate[packet]))
    .map(packet => {
      const reason = DROP_REASONS.get(fate[packet] ?? FATE.lost);
      const data = {type: 'packet_dropped', message: `packet ${number(packet)} was ${reason}`};
      return {atNs: fateNs[packet] ?? 0, name: 'simulation:marker', category: 'simulation', data};
    });
}
