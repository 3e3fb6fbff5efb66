import {rowsOf} from '../base/order.ts';
import {FATE} from '../run/trace/columns.ts';
import type {Trace} from '../run/trace/trace.ts';

/**
 * Returns a function that takes the row of an acknowledgement. It returns the rows of those data packets of `sender`
 * that this acknowledgement covers and that no earlier one covered, in ascending order. Call the function for the
 * acknowledgements in the order in which one end sends them, or in the order in which the other end receives them. A
 * trace contains only cumulative acknowledgements, so a packet that SACK reported is covered only when the cumulative
 * number reaches it. Packets that did not arrive are never covered.
 */
export function ackedPackets(trace: Trace, sender: number): (acknowledgement: number) => readonly number[] {
  const {packets} = trace.data;
  const sent = dataPackets(trace, sender);
  let next = 0;
  /**
   * Packets that had not arrived when their data was acknowledged, because another copy of the data arrived first.
   * Later acknowledgements cover them.
   */
  let late: readonly number[] = [];
  return acknowledgement => {
    const cumulative = packets.cumulativeAck[acknowledgement] ?? Number.NaN;
    const sentNs = packets.sentNs[acknowledgement] ?? 0;
    const covered = [...late];
    for (let row = sent[next]; row !== undefined && row.end <= cumulative; row = sent[next]) {
      covered.push(row.packet);
      next += 1;
    }
    const arrives = covered.filter(row => packets.fate[row] === FATE.delivered);
    late = arrives.filter(row => (packets.fateNs[row] ?? 0) > sentNs);
    return arrives.filter(row => (packets.fateNs[row] ?? 0) <= sentNs).sort((a, b) => a - b);
  };
}

interface DataPacket {
  readonly packet: number;
  /** The sequence number after the last data in the packet. */
  readonly end: number;
}

/** Returns the sender's packets with data, in the order in which increasing cumulative numbers cover them. */
function dataPackets({data, pipeline}: Trace, sender: number): readonly DataPacket[] {
  const {packets, chunks} = data;
  const isBytes = pipeline.numbers === 'byte';
  const found: DataPacket[] = [];
  for (let packet = 0; packet < packets.endpoint.length; packet++) {
    if (packets.endpoint[packet] !== sender) continue;
    const ends = rowsOf(chunks.packet, packet).map(
      chunk => (chunks.first[chunk] ?? 0) + (isBytes ? (chunks.bytes[chunk] ?? 0) : 1),
    );
    if (ends.length > 0) found.push({packet, end: Math.max(...ends)});
  }
  return found.sort((a, b) => a.end - b.end || a.packet - b.packet);
}

/** Joins ascending numbers into ranges, in the form of qlog's AckRange: `[[1], [3, 7]]`. */
export function rangesOf(numbers: readonly number[]): readonly (readonly number[])[] {
  const ranges: (readonly [number] | readonly [number, number])[] = [];
  for (const number of numbers) {
    const [first, last = first] = ranges.at(-1) ?? [];
    if (first !== undefined && last === number - 1) ranges[ranges.length - 1] = [first, number];
    else ranges.push([number]);
  }
  return ranges;
}
