import {DIRECTION} from '../trace/columns.ts';
import type {Trace} from '../trace/trace.ts';

/** A packet in a pane of a run, which a user chose to inspect. */
export interface PanePacket {
  /** Index of the pane, from 0. */
  readonly pane: number;
  /** Row in the trace's packets. */
  readonly packet: number;
}

/**
 * Returns the packet that the same pane sent next (`steps` 1) or before (`steps` -1). If there is none, returns the
 * packet itself.
 */
export function packetBeside(traces: readonly Trace[], {pane, packet}: PanePacket, steps: 1 | -1): PanePacket {
  const rows = traces[pane]?.data.packets.sentNs.length ?? 0;
  return {pane, packet: Math.max(Math.min(packet + steps, rows - 1), 0)};
}

/**
 * Returns the last packet that the first pane's server had sent at t (ns), or the server's first packet if it had sent
 * none by then. Null if the server sends no packet in the whole run, or if there is no pane.
 */
export function packetAt(traces: readonly Trace[], tNs: number): PanePacket | null {
  const {sentNs, direction} = traces[0]?.data.packets ?? {sentNs: [], direction: []};
  const own = Array.from(sentNs.keys()).filter(row => direction[row] === DIRECTION.down);
  const packet = own.findLast(row => (sentNs[row] ?? 0) <= tNs) ?? own[0];
  return packet === undefined ? null : {pane: 0, packet};
}
