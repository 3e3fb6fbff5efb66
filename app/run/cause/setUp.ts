import {PACKET_KIND} from '../trace/columns.ts';
import type {TraceData} from '../trace/traceData.ts';
import {isDropped} from '../trace/traceIndex.ts';
import {peerOf} from './ends.ts';

/**
 * How a connection's set-up continued after the loss of one of its packets. Times are in ns since the start of the run.
 */
export interface SetUpAgain {
  /** When either end sent the next packet of the set-up. Until then, neither received one. Null if never. */
  readonly againNs: number | null;
  /** Whether that packet was lost as well. */
  readonly isAgainLost: boolean;
  /** When the pane was finally connected. Null if it never was, or already was. */
  readonly connectedNs: number | null;
}

export function setUpAgain({packets, connections, setupNs}: TraceData, lost: number): SetUpAgain {
  // With loss after the link, the packet is lost later than it is sent, and another connection may have been set up by
  // then.
  const sentNs = packets.sentNs[lost] ?? 0;
  const ends = [packets.endpoint[lost], peerOf(connections, packets.endpoint[lost] ?? 0)];
  const again = packets.kind.findIndex(
    (kind, row) => row > lost && kind === PACKET_KIND.setUp && ends.includes(packets.endpoint[row]),
  );
  return {
    againNs: again < 0 ? null : (packets.sentNs[again] ?? null),
    isAgainLost: again >= 0 && isDropped(packets.fate[again]),
    connectedNs: setupNs !== null && setupNs > sentNs ? setupNs : null,
  };
}
