import {FATE} from '../trace/columns.ts';
import type {TraceData} from '../trace/traceData.ts';
import {peerOf} from './ends.ts';

/** What replaced a lost acknowledgement. Times are in ns since the start of the run. */
export interface Acknowledged {
  /** When a later acknowledgement that covers it arrived. Null if none did. */
  readonly coveredNs: number | null;
  /** Whether the other end sent nothing from the loss until then, and then at once. */
  readonly isAwaited: boolean;
  /** Whether the other end retransmitted data that had arrived, before it was told so. */
  readonly isSentAgain: boolean;
}

export function acknowledgedLater({packets, chunks, connections}: TraceData, lost: number): Acknowledged {
  // With loss after the link, the packet is lost later than it is sent, and its absence may have had effects before
  // that.
  const lostNs = packets.sentNs[lost] ?? 0;
  const endpoint = packets.endpoint[lost];
  const said = packets.cumulativeAck[lost] ?? Number.NaN;
  let coveredNs: number | null = null;
  for (let row = lost + 1; row < packets.sentNs.length; row++) {
    const isAsGood = packets.endpoint[row] === endpoint && (packets.cumulativeAck[row] ?? Number.NaN) >= said;
    if (!isAsGood || packets.fate[row] !== FATE.delivered) continue;
    coveredNs = Math.min(coveredNs ?? Number.POSITIVE_INFINITY, packets.fateNs[row] ?? 0);
  }
  const peer = peerOf(connections, endpoint ?? 0);
  const untilNs = coveredNs ?? Number.POSITIVE_INFINITY;
  const sentMeanwhile = (row: number): boolean =>
    packets.endpoint[row] === peer && (packets.sentNs[row] ?? 0) > lostNs && (packets.sentNs[row] ?? 0) < untilNs;
  return {
    coveredNs,
    isAwaited:
      coveredNs !== null &&
      !packets.sentNs.some((_, row) => sentMeanwhile(row)) &&
      packets.sentNs.some((sentNs, row) => sentNs === coveredNs && packets.endpoint[row] === peer),
    // For TCP, all bytes below `said` had arrived. The same holds for chunk numbers.
    isSentAgain: chunks.packet.some((packet, chunk) => sentMeanwhile(packet) && (chunks.first[chunk] ?? 0) < said),
  };
}
