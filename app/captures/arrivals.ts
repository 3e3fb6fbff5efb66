import {pipelineOf} from '../pipelines/index.ts';
import type {CapturedChunk, CapturedLoad, CapturedPacket} from './capturedLoad.ts';

/**
 * Returns when each packet arrived. NaN if the capture does not show it. A packet that was recorded at its receiver has
 * the time of the record. If all packets were recorded at their senders, the arrivals of QUIC packets are not known.
 * For other packets, such a capture may state the time of arrival. If it does not, the packet has the time of the first
 * acknowledgement of all its data, which may be later than the arrival.
 */
export function arrivalsOf(
  packets: readonly CapturedPacket[],
  {seenAt, pipeline}: Pick<CapturedLoad, 'seenAt' | 'pipeline'>,
): Float64Array {
  const arrivalNs = new Float64Array(packets.length).fill(Number.NaN);
  const isOut = (packet: CapturedPacket): boolean => packet.fate === 'lost' || packet.dropped !== undefined;
  if (seenAt !== 'both') {
    const received = seenAt === 'client' ? 'down' : 'up';
    for (const [row, packet] of packets.entries())
      if (packet.direction === received && !isOut(packet)) arrivalNs[row] = packet.atNs;
    return arrivalNs;
  }
  // QUIC acknowledges packets by number, and a captured load does not keep these numbers
  if (pipelineOf(pipeline).acknowledges !== 'data') return arrivalNs;
  // from the last packet to the first, so that each acknowledgement is known before the data that it acknowledges
  const acknowledged = new Map<string, Acknowledged[]>();
  for (let row = packets.length - 1; row >= 0; row--) {
    const packet = packets[row];
    if (packet === undefined || isOut(packet)) continue;
    arrivalNs[row] =
      packet.arrivedNs ?? firstNs(acknowledged.get(`${packet.connection} ${packet.direction}`), packet.chunks);
    if (Number.isNaN(packet.cumulativeAck)) continue;
    const key = `${packet.connection} ${packet.direction === 'down' ? 'up' : 'down'}`;
    const known = acknowledged.get(key) ?? [];
    // later acknowledgements that cover no more than this one are not needed
    while (known.length > 0 && (known.at(-1)?.until ?? 0) <= packet.cumulativeAck) known.pop();
    known.push({until: packet.cumulativeAck, atNs: packet.atNs});
    acknowledged.set(key, known);
  }
  return arrivalNs;
}

/** An acknowledgement of everything before `until`. */
interface Acknowledged {
  readonly until: number;
  readonly atNs: number;
}

/**
 * Returns when all of the chunks were acknowledged. NaN if they were not, or if there are none. `known` begins with the
 * latest acknowledgement, which also has the largest position.
 */
function firstNs(known: readonly Acknowledged[] = [], chunks: readonly CapturedChunk[]): number {
  if (chunks.length === 0) return Number.NaN;
  const needed = chunks.reduce((most, {first, bytes}) => Math.max(most, first + bytes), Number.NEGATIVE_INFINITY);
  let [low, high] = [0, known.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((known[middle]?.until ?? 0) >= needed) low = middle + 1;
    else high = middle;
  }
  return known[low - 1]?.atNs ?? Number.NaN;
}

/** Data that arrived before earlier data of its stream. */
export interface Wait {
  readonly packet: CapturedPacket;
  readonly chunk: CapturedChunk;
  readonly startNs: number;
  /** When all earlier data of its stream had arrived. NaN if some never did. */
  readonly endNs: number;
}

/**
 * Returns the data that had to wait for earlier data of its stream, in the order of arrival. The lowest position that
 * the capture has counts as the beginning of a stream, because a capture may begin in the middle of a connection.
 */
export function waitsOf(packets: readonly CapturedPacket[], arrivalNs: Float64Array): readonly Wait[] {
  const streams = new Map<string, Stream>();
  const keyOf = ({connection, direction}: CapturedPacket, {stream}: CapturedChunk): string =>
    `${connection} ${direction} ${stream}`;
  for (const packet of packets)
    for (const chunk of packet.chunks) {
      const key = keyOf(packet, chunk);
      const known = streams.get(key);
      if (known === undefined) streams.set(key, {readTo: chunk.first, held: []});
      else known.readTo = Math.min(known.readTo, chunk.first);
    }
  const waits: OpenWait[] = [];
  for (const [row, packet] of packets.entries()) {
    const atNs = arrivalNs[row] ?? Number.NaN;
    if (Number.isNaN(atNs)) continue;
    for (const chunk of packet.chunks) {
      const stream = streams.get(keyOf(packet, chunk));
      const end = chunk.first + chunk.bytes;
      if (stream === undefined || end <= stream.readTo) continue;
      if (chunk.first <= stream.readTo) {
        stream.readTo = end;
        release(stream, atNs);
        continue;
      }
      const wait = {packet, chunk, startNs: atNs, endNs: Number.NaN};
      if (hold(stream, wait)) waits.push(wait);
    }
  }
  return waits;
}

type OpenWait = Wait & {endNs: number};

interface Stream {
  /** The position up to which the receiver could read. */
  readTo: number;
  /** The data that waits, in the order of its positions. */
  held: OpenWait[];
}

/** Adds data that waits. Returns false if the same data waits already. */
function hold({held}: Stream, wait: OpenWait): boolean {
  const {first, bytes} = wait.chunk;
  let [low, high] = [0, held.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((held[middle]?.chunk.first ?? 0) <= first) low = middle + 1;
    else high = middle;
  }
  const before = held[low - 1]?.chunk;
  if (before !== undefined && before.first + before.bytes >= first + bytes) return false;
  held.splice(low, 0, wait);
  return true;
}

/** Ends the waits of all data that can be read now. */
function release(stream: Stream, atNs: number): void {
  let count = 0;
  for (const wait of stream.held) {
    if (wait.chunk.first > stream.readTo) break;
    wait.endNs = atNs;
    stream.readTo = Math.max(stream.readTo, wait.chunk.first + wait.chunk.bytes);
    count += 1;
  }
  if (count > 0) stream.held = stream.held.slice(count);
}
