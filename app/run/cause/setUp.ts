import type {TraceData} from '../trace/traceData.ts';
import {isDropped} from '../trace/traceIndex.ts';
import {peerOf} from './ends.ts';

/** How a connection's set-up went on after a packet of it was lost. Times are ns since the run's start. */
export interface SetUpAgain {
  /** When the next packet of the set-up left, from either end: nothing came to either in between. Null for never. */
  readonly againNs: number | null;
  /** Whether that one was lost as well. */
  readonly isAgainLost: boolean;
  /** When the pane was connected at last; null if it never was, or was already. */
  readonly connectedNs: number | null;
}

/** `PacketColumns.kind` */
const SET_UP = 0;

export function setUpAgain({packets, connections, setupNs}: TraceData, lost: number): SetUpAgain {
  // at the exit it is lost later, when another may have connected already
  const sentNs = packets.sentNs[lost] ?? 0;
  const ends = [packets.endpoint[lost], peerOf(connections, packets.endpoint[lost] ?? 0)];
  const again = packets.kind.findIndex(
    (kind, row) => row > lost && kind === SET_UP && ends.includes(packets.endpoint[row]),
  );
  return {
    againNs: again < 0 ? null : (packets.sentNs[again] ?? null),
    isAgainLost: again >= 0 && isDropped(packets.fate[again]),
    connectedNs: setupNs !== null && setupNs > sentNs ? setupNs : null,
  };
}
