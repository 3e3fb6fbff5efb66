import {rowsOf} from '../../base/order.ts';
import {copiesOf} from '../trace/blocking.ts';
import {cachedByTrace} from '../trace/cachedByTrace.ts';
import type {Trace} from '../trace/trace.ts';
import {isDropped} from '../trace/traceIndex.ts';

/** How lost data was repaired: by the first later copy of the data that is not known to be lost. */
interface Repair {
  /** Row of the lost packet. */
  readonly packet: number;
  readonly sender: number;
  readonly stream: number;
  /** Position of the lost data, see `ChunkColumns.first`. */
  readonly first: number;
  /** When the copy was sent. */
  readonly sentNs: number;
}

/** Data in a packet that was sent. */
interface SentData {
  readonly packet: number;
  /** Row in the trace's chunks. */
  readonly chunk: number;
  readonly sentNs: number;
}

/**
 * Finds the repairs of data that precedes the given data in its stream. Returns the last of those that were sent after
 * the given data, and not later than `untilNs`. Null if there is none. The other end could not read the given data
 * before this repair arrived, whether or not the trace has the time of its arrival.
 */
export function lastRepair(trace: Trace, {packet, chunk, sentNs}: SentData, untilNs: number): Repair | null {
  const {packets, chunks} = trace.data;
  const [sender, stream, first = 0] = [packets.endpoint[packet], chunks.stream[chunk], chunks.first[chunk]];
  let last: Repair | null = null;
  for (const repair of repairsOf(trace)) {
    const isBefore = repair.sender === sender && repair.stream === stream && repair.first < first;
    if (!isBefore || repair.sentNs <= sentNs || repair.sentNs > untilNs) continue;
    if (last === null || repair.sentNs > last.sentNs) last = repair;
  }
  return last;
}

const repairsOf = cachedByTrace((trace: Trace): readonly Repair[] => {
  const {packets, chunks} = trace.data;
  return trace.droppedPackets().flatMap(packet =>
    rowsOf(chunks.packet, packet).flatMap(lost => {
      const again = firstKept(trace, lost);
      if (again === undefined) return [];
      const [sender = 0, stream = 0, first = 0] = [packets.endpoint[packet], chunks.stream[lost], chunks.first[lost]];
      return [{packet, sender, stream, first, sentNs: packets.sentNs[again] ?? 0}];
    }),
  );
});

/**
 * Returns the first later packet that has the first byte of a chunk and is not known to be lost. Undefined if there is
 * none.
 */
function firstKept({data}: Trace, chunk: number): number | undefined {
  const {packets, chunks} = data;
  for (const row of copiesOf(data, chunk, chunk + 1)) {
    const packet = chunks.packet[row] ?? 0;
    if (!isDropped(packets.fate[packet])) return packet;
  }
  return undefined;
}
