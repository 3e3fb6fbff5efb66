import {DIRECTION} from '../trace/columns.ts';
import type {Trace} from '../trace/trace.ts';

/** A packet in a pane of a run. A user can choose it to see its contents. */
export interface PanePacket {
  /** Index of the pane, from 0. */
  readonly pane: number;
  /** Row in the trace's packets. */
  readonly packet: number;
}

/**
 * Returns the packet that was sent next (`steps` 1) or before (`steps` -1) in the same pane, in either direction. If
 * there is none, returns the packet itself.
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

/**
 * Returns a packet with data of an object: the one that was delivered or dropped at the time nearest to t (ns). If a
 * packet was still in transit when the run ended, the time when it was sent counts. Null if the server sent no data of
 * the object.
 */
export function packetOfObject(trace: Trace, object: number, tNs: number): number | null {
  const {direction, fateNs, sentNs} = trace.data.packets;
  const distance = (row: number): number => Math.abs((fateNs[row] || (sentNs[row] ?? 0)) - tNs);
  const own = [...new Set(trace.data.chunks.packet)].filter(
    row => direction[row] === DIRECTION.down && trace.objectsOf(row).some(each => each.object === object),
  );
  return own.reduce<number | null>(
    (best, row) => (best !== null && distance(best) <= distance(row) ? best : row),
    null,
  );
}

/**
 * Finds the same packet in another run of the same panes: the packet with the same row, if the same endpoint sent it at
 * the same time. Null if there is none. If the runs differ only in the fate of a packet, that packet is found.
 */
export function samePacket(
  before: readonly Trace[],
  after: readonly Trace[],
  chosen: PanePacket | null,
): PanePacket | null {
  if (chosen === null) return null;
  const {pane, packet} = chosen;
  const [old, data] = [before[pane]?.data, after[pane]?.data];
  const isSame =
    data !== undefined &&
    data.pipeline === old?.pipeline &&
    data.packets.sentNs[packet] !== undefined &&
    data.packets.sentNs[packet] === old.packets.sentNs[packet] &&
    data.packets.endpoint[packet] === old.packets.endpoint[packet];
  // The result is a new object, because the contents of the packet may differ.
  return isSame ? {pane, packet} : null;
}
