import {rowsOf} from '../../base/order.ts';
import {pipelineOf} from '../../pipelines/index.ts';
import {FATE} from './columns.ts';
import type {TraceData} from './traceData.ts';
import {isDropped} from './traceIndex.ts';

/** The head-of-line blocking that one dropped data packet caused. */
export interface Blocking {
  readonly packet: number;
  /**
   * The time from which the first byte of every chunk in the packet (see `ChunkColumns`) had arrived in other packets.
   * Null if one of these bytes never arrived.
   */
  readonly repairedNs: number | null;
  /**
   * The intervals in which data of objects had arrived but waited for the packet's data. For a client's packet, the
   * data are the requests for the objects.
   */
  readonly held: readonly HeldObject[];
}

/** Data of an object that waited at a host. */
export interface HeldObject extends BlockedInterval {
  readonly object: number;
}

/** The data of one object in one range of data that waited at a host. */
export interface BlockedRow extends HeldObject {
  /** The endpoint that sent the data. */
  readonly sender: number;
  readonly stream: number;
  /** See `ChunkColumns.first`. */
  readonly first: number;
}

/**
 * Returns all data that waited at clients, or at servers. If data still waits when the run ends, its wait ends there.
 */
export function blockedRows(data: TraceData, at: 'client' | 'server'): readonly BlockedRow[] {
  const {blocked, blockedPieces, connections, endNs} = data;
  const senders = new Map(
    connections.map(({client, server}) => (at === 'client' ? [client, server] : [server, client])),
  );
  const rows: BlockedRow[] = [];
  for (let piece = 0; piece < blockedPieces.row.length; piece++) {
    const row = blockedPieces.row[piece] ?? 0;
    const sender = senders.get(blocked.endpoint[row] ?? Number.NaN);
    if (sender === undefined) continue;
    const until = blocked.endNs[row] ?? Number.NaN;
    rows.push({
      object: blockedPieces.object[piece] ?? 0,
      bytes: blockedPieces.bytes[piece] ?? 0,
      sender,
      stream: blocked.stream[row] ?? 0,
      first: blocked.first[row] ?? 0,
      startNs: blocked.startNs[row] ?? 0,
      endNs: Number.isNaN(until) ? endNs : until,
    });
  }
  return rows;
}

/**
 * Returns the data that waited for a packet. Undefined if the path did not drop the packet, or if the packet has no
 * data.
 * `rows` is the result of {@link blockedRows} for the receiving side.
 */
export function findBlocking(trace: TraceData, packet: number, rows: readonly BlockedRow[]): Blocking | undefined {
  const {packets, chunks} = trace;
  const own = rowsOf(chunks.packet, packet);
  if (own.length === 0 || !isDropped(packets.fate[packet])) return undefined;
  const [sender = 0, sentNs = 0] = [packets.endpoint[packet], packets.sentNs[packet]];
  const holes = own.map((chunk): Hole => {
    const [stream = 0, first = 0] = [chunks.stream[chunk], chunks.first[chunk]];
    return {sender, stream, first, repairedNs: repairTime(trace, chunk)};
  });
  const repairs = holes.map(hole => hole.repairedNs);
  return {
    packet,
    repairedNs: repairs.includes(null) ? null : Math.max(...(repairs as number[])),
    held: mergeByObject(heldBy(holes, sentNs, rows)),
  };
}

interface Hole {
  readonly sender: number;
  readonly stream: number;
  readonly first: number;
  readonly repairedNs: number | null;
}

/**
 * Returns the waits that one dropped packet caused. Each chunk of the packet leaves a hole in its stream. Data waits
 * for an earlier hole in its stream if the hole is filled while the data waits, or if the hole is never filled. The
 * returned wait ends when the last of these holes is filled, even if the data then waits for other packets. If a hole
 * is never filled, the returned wait ends when the data stops waiting. The returned wait does not start before the
 * packet was sent, because data that waited before was waiting for an earlier copy of the packet's data.
 */
function heldBy(holes: readonly Hole[], sentNs: number, rows: readonly BlockedRow[]): readonly BlockedRow[] {
  const held: BlockedRow[] = [];
  // the window calls this function for all lost packets of each run, so the loop creates no objects for rows that did
  // not wait
  for (const row of rows) {
    const startNs = Math.max(row.startNs, sentNs);
    let lastNs = Number.NEGATIVE_INFINITY;
    for (const hole of holes) {
      if (hole.stream !== row.stream || hole.sender !== row.sender || hole.first >= row.first) continue;
      const endNs = hole.repairedNs ?? row.endNs;
      if (endNs <= row.endNs && endNs > startNs) lastNs = Math.max(lastNs, endNs);
    }
    if (lastNs > startNs) held.push({...row, startNs, endNs: lastNs});
  }
  return held;
}

/** Returns the time when the first byte of a chunk first arrived. Null if the byte never arrived. */
function repairTime(trace: TraceData, chunk: number): number | null {
  const {packets, chunks} = trace;
  let earliest: number | null = null;
  for (const row of copiesOf(trace, chunk)) {
    const packet = chunks.packet[row] ?? 0;
    if (packets.fate[packet] !== FATE.delivered) continue;
    const atNs = packets.fateNs[packet] ?? 0;
    earliest = Math.min(earliest ?? atNs, atNs);
  }
  return earliest;
}

/**
 * Finds the rows of all chunks that contain the first byte of the chunk in row `chunk`: this chunk itself and its
 * copies, in the order of sending. The search begins at row `from`. It looks for the byte, not for an equal chunk,
 * because TCP may divide a retransmission differently.
 */
export function* copiesOf({packets, chunks, pipeline}: TraceData, chunk: number, from = 0): Generator<number> {
  const isBytes = pipelineOf(pipeline).numbers === 'byte';
  const sender = packets.endpoint[chunks.packet[chunk] ?? 0];
  const [wanted = 0, stream = 0] = [chunks.first[chunk], chunks.stream[chunk]];
  // the first two checks skip almost all rows, and are fast: they read only columns of chunks, in order
  for (let row = from; row < chunks.packet.length; row++) {
    const first = chunks.first[row] ?? 0;
    if (first > wanted || chunks.stream[row] !== stream) continue;
    if (wanted >= first + (isBytes ? (chunks.bytes[row] ?? 0) : 1)) continue;
    if (packets.endpoint[chunks.packet[row] ?? 0] === sender) yield row;
  }
}

function mergeByObject(rows: readonly BlockedRow[]): readonly HeldObject[] {
  const objects = [...new Set(rows.map(row => row.object))].sort((a, b) => a - b);
  return objects.flatMap(object => {
    return mergeIntervals(rows.filter(row => row.object === object)).map(interval => ({...interval, object}));
  });
}

/** An interval during which `bytes` bytes waited. */
export interface BlockedInterval {
  readonly startNs: number;
  readonly endNs: number;
  readonly bytes: number;
}

/** Joins overlapping and touching intervals and adds up their bytes. The result is in order of time. */
export function mergeIntervals(intervals: readonly BlockedInterval[]): readonly BlockedInterval[] {
  const merged: BlockedInterval[] = [];
  for (const {startNs, endNs, bytes} of [...intervals].sort((a, b) => a.startNs - b.startNs)) {
    const last = merged.at(-1);
    if (last !== undefined && startNs <= last.endNs) {
      const joined = {startNs: last.startNs, endNs: Math.max(last.endNs, endNs), bytes: last.bytes + bytes};
      merged[merged.length - 1] = joined;
    } else merged.push({startNs, endNs, bytes});
  }
  return merged;
}

/** Returns the total time covered by at least one of the intervals, in ns. */
export function unionNs(intervals: readonly BlockedInterval[]): number {
  return mergeIntervals(intervals).reduce((sum, {startNs, endNs}) => sum + endNs - startNs, 0);
}
