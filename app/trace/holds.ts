import {rowsOf} from '../order/rowsOf.ts';
import {pipelineOf} from '../pipelines/index.ts';
import {DIRECTION, FATE} from './columns.ts';
import {type BlockedInterval, mergeIntervals} from './intervals.ts';
import type {TraceData} from './traceData.ts';
import {isDropped} from './traceIndex.ts';

/** What a dropped data packet of the server did: head-of-line blocking, seen from its cause. */
export interface Hold {
  readonly packet: number;
  /** When all of its data had come after all; null if it never did. */
  readonly repairedNs: number | null;
  /** The objects whose data had arrived and waited for it. */
  readonly held: readonly HeldObject[];
}

/** Data of an object that waited at the client. */
export interface HeldObject extends BlockedInterval {
  readonly object: number;
}

/** One range of data that waited at the client, for one object. */
export interface BlockedRow extends HeldObject {
  /** The endpoint whose data it is. */
  readonly sender: number;
  readonly stream: number;
  /** As `ChunkColumns.first`. */
  readonly first: number;
}

/** All data that waited at the client. What still waits at the end waited until then. */
export function blockedRows(data: TraceData): readonly BlockedRow[] {
  const {blocked, blockedPieces, connections, endNs} = data;
  const senders = new Map(connections.map(({client, server}) => [client, server]));
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
 * What a packet held up; undefined for one that the path did not drop, or that has none of a server's data. `rows` are
 * {@link blockedRows}.
 */
export function findHold(trace: TraceData, packet: number, rows: readonly BlockedRow[]): Hold | undefined {
  const {packets, chunks} = trace;
  const own = rowsOf(chunks.packet, packet);
  const isOfServer = packets.direction[packet] === DIRECTION.down && own.length > 0;
  if (!isOfServer || !isDropped(packets.fate[packet])) return undefined;
  const [sender = 0, sentNs = 0] = [packets.endpoint[packet], packets.sentNs[packet]];
  const holes = own.map((chunk): Hole => {
    const [stream = 0, first = 0] = [chunks.stream[chunk], chunks.first[chunk]];
    return {sender, stream, first, sentNs, repairedNs: repairTime(trace, chunk)};
  });
  const repairs = holes.map(hole => hole.repairedNs);
  return {
    packet,
    repairedNs: repairs.includes(null) ? null : Math.max(...(repairs as number[])),
    held: mergeByObject(rows.filter(row => holes.some(hole => holdsUp(hole, row)))),
  };
}

interface Hole {
  readonly sender: number;
  readonly stream: number;
  readonly first: number;
  readonly sentNs: number;
  readonly repairedNs: number | null;
}

/** Data waits for a hole that is earlier in its stream and is filled while the data waits, or never. */
function holdsUp(hole: Hole, row: BlockedRow): boolean {
  const repairedNs = hole.repairedNs ?? row.endNs;
  const isOfStream = hole.sender === row.sender && hole.stream === row.stream;
  const isLater = hole.first < row.first && hole.sentNs <= row.startNs;
  return isOfStream && isLater && repairedNs > row.startNs && repairedNs <= row.endNs;
}

/** When the first byte of a chunk first reached the client; a TCP retransmission may be cut otherwise. */
function repairTime({packets, chunks, pipeline}: TraceData, chunk: number): number | null {
  const isBytes = pipelineOf(pipeline).numbers === 'byte';
  const sender = packets.endpoint[chunks.packet[chunk] ?? 0];
  const wanted = chunks.first[chunk] ?? 0;
  let earliest: number | null = null;
  for (let row = 0; row < chunks.packet.length; row++) {
    const packet = chunks.packet[row] ?? 0;
    const first = chunks.first[row] ?? 0;
    const end = first + (isBytes ? (chunks.bytes[row] ?? 0) : 1);
    const isDelivered = packets.fate[packet] === FATE.delivered && packets.endpoint[packet] === sender;
    const atNs = packets.fateNs[packet] ?? 0;
    if (isDelivered && first <= wanted && wanted < end) earliest = Math.min(earliest ?? atNs, atNs);
  }
  return earliest;
}

function mergeByObject(rows: readonly BlockedRow[]): readonly HeldObject[] {
  const objects = [...new Set(rows.map(row => row.object))].sort((a, b) => a - b);
  return objects.flatMap(object => {
    return mergeIntervals(rows.filter(row => row.object === object)).map(interval => ({...interval, object}));
  });
}
