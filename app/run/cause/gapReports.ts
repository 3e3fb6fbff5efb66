import {firstAbove, rowsOf} from '../../base/order.ts';
import {FATE} from '../trace/columns.ts';
import type {Trace} from '../trace/trace.ts';
import {peerOf} from './ends.ts';

/** The messages that told a sender of a gap, up to a certain time. */
export interface GapReports {
  readonly count: number;
  /** When the third and the last one arrived. Null if there were fewer. */
  readonly thirdNs: number | null;
  readonly lastNs: number | null;
}

/**
 * Counts the acknowledgements that told the sender of a lost packet that later data had arrived and this packet's had
 * not, up to `untilNs`. An acknowledgement counts if more of the later data had arrived than at the peer's previous
 * one.
 */
export function gapReports({data, pipeline}: Trace, lost: number, untilNs: number): GapReports {
  const {packets, chunks, connections} = data;
  const sender = packets.endpoint[lost] ?? 0;
  const peer = peerOf(connections, sender);
  const own = rowsOf(chunks.packet, lost);
  const first = Math.min(...own.map(chunk => chunks.first[chunk] ?? 0));
  const streams = new Set(own.map(chunk => chunks.stream[chunk]));
  // QUIC numbers bytes by stream, so later data on another stream reports the gap, too.
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
    const cameNs = packets.fateNs[row] ?? Number.POSITIVE_INFINITY;
    const isAcknowledging = packets.endpoint[row] === peer && !Number.isNaN(packets.cumulativeAck[row] ?? Number.NaN);
    if (!isAcknowledging || packets.fate[row] !== FATE.delivered || cameNs > untilNs) continue;
    const there = firstAbove(arrivals, packets.sentNs[row] ?? 0);
    if (there > seen) times.push(cameNs);
    seen = Math.max(seen, there);
  }
  times.sort((a, b) => a - b);
  return {count: times.length, thirdNs: times[2] ?? null, lastNs: times.at(-1) ?? null};
}
