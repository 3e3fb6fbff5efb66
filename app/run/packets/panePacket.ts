import {DIRECTION} from '../trace/columns.ts';
import type {Trace} from '../trace/trace.ts';

/** A packet of a pane of a run: what somebody chose to look into. */
export interface PanePacket {
  /** From 0. */
  readonly pane: number;
  /** Row of the trace's packets. */
  readonly packet: number;
}

/** The packet of the same pane that was sent next, or before; itself at the run's ends. */
export function packetBeside(traces: readonly Trace[], {pane, packet}: PanePacket, steps: 1 | -1): PanePacket {
  const rows = traces[pane]?.data.packets.sentNs.length ?? 0;
  return {pane, packet: Math.max(Math.min(packet + steps, rows - 1), 0)};
}

/** The first pane's last packet of the server's that was sent by t (ns), or its first; null if it sent none. */
export function packetAt(traces: readonly Trace[], tNs: number): PanePacket | null {
  const {sentNs, direction} = traces[0]?.data.packets ?? {sentNs: [], direction: []};
  const own = Array.from(sentNs.keys()).filter(row => direction[row] === DIRECTION.down);
  const packet = own.findLast(row => (sentNs[row] ?? 0) <= tNs) ?? own[0];
  return packet === undefined ? null : {pane: 0, packet};
}
