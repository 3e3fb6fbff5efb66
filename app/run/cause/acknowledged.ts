import {FATE} from '../trace/columns.ts';
import type {TraceData} from '../trace/traceData.ts';
import {peerOf} from './ends.ts';

/** What came in place of an acknowledgement that was lost. Times are ns since the run's start. */
export interface Acknowledged {
  /** When a later one that says as much had come; null if none did. */
  readonly coveredNs: number | null;
  /** The other end sent nothing from the loss on until then, and then at once. */
  readonly isAwaited: boolean;
  /** The other end sent again what had arrived, before it was told. */
  readonly isSentAgain: boolean;
}

export function acknowledgedLater({packets, chunks, connections}: TraceData, lost: number): Acknowledged {
  // at the exit it is lost later, when it may have been missed already
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
    // TCP: all below `said` had arrived; chunks are counted likewise
    isSentAgain: chunks.packet.some((packet, chunk) => sentMeanwhile(packet) && (chunks.first[chunk] ?? 0) < said),
  };
}
