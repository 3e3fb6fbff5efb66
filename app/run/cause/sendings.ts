import {firstAbove, rowsOf} from '../../base/order.ts';
import {pipelineOf} from '../../pipelines/index.ts';
import {FATE, SENDER_STATE} from '../trace/columns.ts';
import type {Trace} from '../trace/trace.ts';
import type {TraceData} from '../trace/traceData.ts';
import {isDropped} from '../trace/traceIndex.ts';

/**
 * A retransmission of a lost packet's data or, over bare datagrams, a later request for the same object. Times are in
 * ns since the start of the run.
 */
export interface Sending {
  readonly packet: number;
  readonly sentNs: number;
  /** Null if this packet was lost, too, or was still in flight when the run ended. */
  readonly arrivedNs: number | null;
  readonly isLost: boolean;
  /** How the sender noticed the loss. Null if the trace does not show this, or if the previous copy was not lost. */
  readonly noticed: Noticed | null;
}

/**
 * How a sender noticed a loss, as far as its packets and samples show this. A gap report is an acknowledgement which
 * shows that later data has arrived and the lost data has not.
 * - `reports`: with `isThird`, the third gap report arrived and the data was sent at the same time (RFC 6675, RFC 9260
 *   §7.2.4). Otherwise `count` reports had arrived when the data was sent: another rule applied, the sender was
 *   recovering from an earlier loss, or it had to wait for cwnd. In a captured load, `isThird` only says that at least
 *   three had arrived.
 * - `timeout`: the retransmission timer or, over bare datagrams, the client's request timer fired. `timerNs` is how
 *   long the timer had run. It is null if the trace does not show when the timer started.
 * - `timer`: another timer fired after `count` gap reports (RACK, RFC 8985 §6.2).
 * - `request`: the peer requested the data again, over bare datagrams (C03).
 * - `probe`: the sender did not assume a loss. It sent the data again to provoke an acknowledgement (tail loss probe,
 *   RFC 8985 §7).
 */
export type Noticed = {readonly atNs: number} & (
  | {readonly by: 'reports'; readonly count: number; readonly isThird: boolean}
  | {readonly by: 'timeout'; readonly timerNs: number | null}
  | {readonly by: 'timer'; readonly count: number}
  | {readonly by: 'request'}
  | {readonly by: 'probe'}
);

/** Returns the packets that repeat some data of a lost packet, and that were sent after it and not after `untilNs`. */
export function sendingsOf(trace: Trace, lost: number, untilNs: number): readonly Sending[] {
  const {packets} = trace.data;
  const sendings: Sending[] = [];
  let missing: number | null = lost;
  for (const packet of copiesAfter(trace, lost)) {
    const sentNs = packets.sentNs[packet] ?? 0;
    if (sentNs > untilNs) break;
    const isLost = isDropped(packets.fate[packet]);
    const arrivedNs = packets.fate[packet] === FATE.delivered ? (packets.fateNs[packet] ?? null) : null;
    const noticed = missing === null ? null : howNoticed(trace, missing, packet, missing === lost);
    sendings.push({packet, sentNs, arrivedNs, isLost, noticed});
    missing = isLost ? packet : null;
  }
  return sendings;
}

/**
 * Returns the later packets with data of the lost packet, in the order of sending. For a lost request over bare
 * datagrams, these are the later requests for its objects.
 */
function copiesAfter({data, pipeline}: Trace, lost: number): readonly number[] {
  const {packets, chunks} = data;
  if (isDatagramRequest(data, lost)) return requestsAfter(data, lost);
  const isBytes = pipeline.numbers === 'byte';
  const rangeOf = (chunk: number) => {
    const first = chunks.first[chunk] ?? 0;
    return {stream: chunks.stream[chunk], first, end: first + (isBytes ? (chunks.bytes[chunk] ?? 0) : 1)};
  };
  const missing = rowsOf(chunks.packet, lost).map(rangeOf);
  const copies: number[] = [];
  for (let chunk = firstAbove(chunks.packet, lost); chunk < chunks.packet.length; chunk++) {
    const packet = chunks.packet[chunk] ?? 0;
    if (packets.endpoint[packet] !== packets.endpoint[lost] || copies.at(-1) === packet) continue;
    const own = rangeOf(chunk);
    // QUIC numbers bytes separately in each stream.
    const isCopy = missing.some(({stream, first, end}) => stream === own.stream && own.first < end && first < own.end);
    if (isCopy) copies.push(packet);
  }
  return copies;
}

/**
 * Whether a packet is a client's request over bare datagrams. Such a packet is never retransmitted: the client sends a
 * new request in a datagram with another number.
 */
export function isDatagramRequest(data: TraceData, packet: number): boolean {
  const {pipeline, packets, samples, connections} = data;
  if (pipelineOf(pipeline).isOfDatagrams !== true) return false;
  const sender = packets.endpoint[packet] ?? 0;
  // such a pane may also have connections over TCP; only their ends have samples
  return !samples.endpoint.includes(sender) && connections.some(({client}) => client === sender);
}

/** Returns later requests for an object that the lost packet had requested. */
function requestsAfter(data: TraceData, lost: number): readonly number[] {
  const {packets, chunks} = data;
  const wanted = objectsIn(data, lost);
  const later = chunks.packet.subarray(firstAbove(chunks.packet, lost));
  const isAgain = (packet: number): boolean =>
    packets.endpoint[packet] === packets.endpoint[lost] &&
    objectsIn(data, packet).some(object => wanted.includes(object));
  return [...new Set(later)].filter(isAgain);
}

function objectsIn({chunks, chunkPieces}: TraceData, packet: number): readonly (number | undefined)[] {
  return rowsOf(chunks.packet, packet).flatMap(chunk =>
    rowsOf(chunkPieces.row, chunk).map(row => chunkPieces.object[row]),
  );
}

/**
 * Finds out why the packet `again` was sent after the loss of `lost`. Gap reports are used only if `lost` is the packet
 * whose loss is explained (`isFirst`). If `lost` is a later copy, the reports may still be about that first packet.
 */
function howNoticed(trace: Trace, lost: number, again: number, isFirst: boolean): Noticed | null {
  const {data} = trace;
  const {packets} = data;
  const sentNs = packets.sentNs[again] ?? 0;
  if (!data.samples.endpoint.includes(packets.endpoint[lost] ?? 0)) {
    if (pipelineOf(data.pipeline).isOfDatagrams) return askedFor(data, lost, sentNs);
    // a capture does not show timers; without a report, only a timer can be the reason
    const {count, thirdNs} = isFirst ? reportsOf(trace, lost, sentNs) : NO_REPORTS;
    if (count > 0) return {atNs: sentNs, by: 'reports', count, isThird: thirdNs !== null};
    return {atNs: sentNs, by: 'timeout', timerNs: null};
  }
  const timeout = timeoutBetween(data, lost, sentNs);
  if (timeout !== null) return timeout;
  const {count, thirdNs, lastNs} = isFirst ? gapReports(trace, lost, sentNs) : NO_REPORTS;
  const isTimer = !arrivesAt(data, packets.endpoint[again] ?? 0, sentNs);
  if (!isTimer) {
    if (count === 0) return null;
    const isThird = thirdNs === sentNs && lastNs === sentNs;
    return {atNs: sentNs, by: 'reports', count: isThird ? 3 : count, isThird};
  }
  const endpoint = packets.endpoint[again] ?? 0;
  const isRecovering = [sentNs - 1, sentNs].some(ns => isRecovery(stateAt(data, endpoint, ns)));
  if (!isRecovering) return {atNs: sentNs, by: 'probe'};
  return count > 0 ? {atNs: sentNs, by: 'timer', count} : null;
}

/**
 * Like {@link howNoticed}, for bare datagrams. If data of the server was lost, the client requests it again. If a
 * request was lost, a timer of the client repeats it.
 */
function askedFor(data: TraceData, lost: number, sentNs: number) {
  const {packets, connections} = data;
  const sender = packets.endpoint[lost] ?? 0;
  if (connections.some(({client}) => client === sender)) {
    return {atNs: sentNs, by: 'timeout', timerNs: null} as const;
  }
  const peer = peerOf(connections, sender);
  const wanted = objectsIn(data, lost);
  let askedNs: number | null = null;
  for (let row = lost + 1; row < packets.sentNs.length && (packets.sentNs[row] ?? 0) <= sentNs; row++) {
    const arrivedNs = packets.fateNs[row] ?? Number.POSITIVE_INFINITY;
    const hasArrived = packets.fate[row] === FATE.delivered && arrivedNs <= sentNs;
    if (packets.endpoint[row] !== peer || !hasArrived) continue;
    if (objectsIn(data, row).some(object => wanted.includes(object))) askedNs = Math.max(askedNs ?? 0, arrivedNs);
  }
  return askedNs === null ? null : ({atNs: askedNs, by: 'request'} as const);
}

const NO_REPORTS = {count: 0, thirdNs: null, lastNs: null};

/** Whether a sender in this state repairs a loss. */
export function isRecovery(state: number | undefined): boolean {
  return state === SENDER_STATE.fastRecovery || state === SENDER_STATE.lossRecovery;
}

/**
 * Finds the sender's first retransmission timeout after the lost packet was sent, up to `untilNs`. Returns null if
 * there is none. In the samples, a timeout is a change to loss recovery, or a longer RTO in that state (RFC 6298 §5.5),
 * at a time at which no packet arrived.
 */
function timeoutBetween(data: TraceData, lost: number, untilNs: number): Noticed | null {
  const {packets, samples} = data;
  const endpoint = packets.endpoint[lost] ?? 0;
  let before = -1;
  for (let row = 0; row < samples.atNs.length; row++) {
    if (samples.endpoint[row] !== endpoint) continue;
    const atNs = samples.atNs[row] ?? 0;
    if (atNs > untilNs) return null;
    const rtoNs = samples.rtoNs[before] ?? 0;
    const isEntered = samples.state[before] !== SENDER_STATE.lossRecovery || (samples.rtoNs[row] ?? 0) > rtoNs;
    const isTimeout = samples.state[row] === SENDER_STATE.lossRecovery && isEntered;
    if (isTimeout && atNs > (packets.sentNs[lost] ?? 0) && !arrivesAt(data, endpoint, atNs)) {
      return {atNs, by: 'timeout', timerNs: timerNs(data, endpoint, atNs)};
    }
    before = row;
  }
  return null;
}

function stateAt({samples}: TraceData, endpoint: number, ns: number): number | undefined {
  let state: number | undefined;
  for (let row = 0; row < samples.atNs.length && (samples.atNs[row] ?? 0) <= ns; row++) {
    if (samples.endpoint[row] === endpoint) state = samples.state[row];
  }
  return state;
}

/**
 * Returns the duration of the retransmission timer that expired at `endNs`: the sender's RTO at the time when a packet
 * started the timer. That packet was sent or received by the sender. Null if no packet fits.
 */
function timerNs(data: TraceData, endpoint: number, endNs: number): number | null {
  const {samples} = data;
  let nextNs = endNs;
  for (let row = samples.atNs.length - 1; row >= 0; row--) {
    const atNs = samples.atNs[row] ?? 0;
    if (samples.endpoint[row] !== endpoint || atNs >= endNs) continue;
    const rtoNs = samples.rtoNs[row] ?? 0;
    const startNs = endNs - rtoNs;
    if (startNs >= atNs && startNs <= nextNs && isStartedAt(data, endpoint, startNs)) return rtoNs;
    nextNs = atNs;
  }
  return null;
}

function isStartedAt(data: TraceData, endpoint: number, ns: number): boolean {
  const {packets} = data;
  const isSent = packets.sentNs.some((sentNs, row) => sentNs === ns && packets.endpoint[row] === endpoint);
  return isSent || arrivesAt(data, endpoint, ns);
}

/** The acknowledgements that reported a gap to a sender, up to a certain time. */
interface GapReports {
  readonly count: number;
  /** The times when the third and the last of these acknowledgements arrived. Null if there were fewer. */
  readonly thirdNs: number | null;
  readonly lastNs: number | null;
}

/**
 * Counts the acknowledgements that reported the gap of a lost packet to the sender, up to `untilNs`. Such an
 * acknowledgement shows that later data had arrived, but the data of this packet had not. It counts if more of the
 * later data had arrived than at the peer's previous acknowledgement.
 */
function gapReports({data, pipeline}: Trace, lost: number, untilNs: number): GapReports {
  const {packets, chunks, connections} = data;
  const sender = packets.endpoint[lost] ?? 0;
  const peer = peerOf(connections, sender);
  const own = rowsOf(chunks.packet, lost);
  const first = Math.min(...own.map(chunk => chunks.first[chunk] ?? 0));
  const streams = new Set(own.map(chunk => chunks.stream[chunk]));
  // QUIC numbers bytes separately in each stream, so later data on another stream reports the gap, too.
  const isOfStreams = pipeline.numbers === 'byte';
  const isLaterChunk = (chunk: number): boolean =>
    (chunks.first[chunk] ?? 0) > first || (isOfStreams && !streams.has(chunks.stream[chunk]));
  const arrivals: number[] = [];
  let before = lost;
  for (let chunk = firstAbove(chunks.packet, lost); chunk < chunks.packet.length; chunk++) {
    const packet = chunks.packet[chunk] ?? 0;
    const isLater = packets.endpoint[packet] === sender && isLaterChunk(chunk);
    if (!isLater || packet === before || packets.fate[packet] !== FATE.delivered) continue;
    arrivals.push(packets.fateNs[packet] ?? 0);
    before = packet;
  }
  arrivals.sort((a, b) => a - b);
  const times: number[] = [];
  let seen = 0;
  for (let row = lost + 1; row < packets.sentNs.length && (packets.sentNs[row] ?? 0) <= untilNs; row++) {
    const arrivedNs = packets.fateNs[row] ?? Number.POSITIVE_INFINITY;
    const isAcknowledging = packets.endpoint[row] === peer && !Number.isNaN(packets.cumulativeAck[row] ?? Number.NaN);
    if (!isAcknowledging || packets.fate[row] !== FATE.delivered || arrivedNs > untilNs) continue;
    const reported = firstAbove(arrivals, packets.sentNs[row] ?? 0);
    if (reported > seen) times.push(arrivedNs);
    seen = Math.max(seen, reported);
  }
  times.sort((a, b) => a - b);
  return {count: times.length, thirdNs: times[2] ?? null, lastNs: times.at(-1) ?? null};
}

/**
 * Returns the gap reports in a capture. If the capture does not show when later data arrived, the selective
 * acknowledgements of TCP report the gap. They count only if the data was sent again (at `untilNs`) within a round trip
 * after the last of them. A later retransmission has another reason, because RACK waits at most a round trip for
 * packets that were overtaken (RFC 8985 §6.2).
 */
function reportsOf(trace: Trace, lost: number, untilNs: number): GapReports {
  const {packets, chunks, connections, gapReports: selective} = trace.data;
  if (selective === undefined) return gapReports(trace, lost, untilNs);
  const sender = packets.endpoint[lost] ?? 0;
  const peer = peerOf(connections, sender);
  const first = Math.min(...rowsOf(chunks.packet, lost).map(chunk => chunks.first[chunk] ?? 0));
  const times: number[] = [];
  let [furthest, lastNs, roundTripNs] = [first, 0, 0];
  // a report counts only if it covers later data than all reports before it (`furthest`), so the search in the chunks
  // never has to go back
  let later = firstAbove(chunks.packet, lost);
  const endOf = (chunk: number): number => (chunks.first[chunk] ?? 0) + (chunks.bytes[chunk] ?? 0);
  const isOther = (chunk: number): boolean => packets.endpoint[chunks.packet[chunk] ?? 0] !== sender;
  for (let row = firstAbove(selective.packet, lost); row < selective.packet.length; row++) {
    const packet = selective.packet[row] ?? 0;
    const [atNs = 0, end = 0] = [packets.fateNs[packet], selective.end[row]];
    if (atNs > untilNs) break;
    if (packets.endpoint[packet] !== peer || packets.fate[packet] !== FATE.delivered || end <= furthest) continue;
    // a FIN has a sequence number, too (RFC 9293 §3.4), so a report with the FIN ends one number after the end of the
    // data
    while ((chunks.packet[later] ?? packet) < packet && (isOther(later) || endOf(later) < end - 1)) later++;
    // if this is false, the report is about a FIN alone, or about data that was sent before the lost packet
    const isReport = (chunks.packet[later] ?? packet) < packet && (chunks.first[later] ?? 0) < end;
    if (!isReport) continue;
    times.push(atNs);
    [furthest, lastNs, roundTripNs] = [end, atNs, atNs - (packets.sentNs[chunks.packet[later] ?? 0] ?? 0)];
  }
  if (times.length === 0 || untilNs - lastNs > roundTripNs) return NO_REPORTS;
  return {count: times.length, thirdNs: times[2] ?? null, lastNs};
}

/** Returns the other end of an endpoint's connection. */
export function peerOf(connections: TraceData['connections'], endpoint: number): number | undefined {
  const ends = connections.find(({client, server}) => client === endpoint || server === endpoint);
  return ends?.client === endpoint ? ends.server : ends?.client;
}

/** Whether a packet reaches an endpoint at this instant. */
function arrivesAt({packets, connections}: TraceData, endpoint: number, ns: number): boolean {
  const peer = peerOf(connections, endpoint);
  return packets.fateNs.some(
    (fateNs, row) => fateNs === ns && packets.fate[row] === FATE.delivered && packets.endpoint[row] === peer,
  );
}
