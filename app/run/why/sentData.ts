import {cachedByTrace} from '../trace/cachedByTrace.ts';
import {DIRECTION, FATE} from '../trace/columns.ts';
import type {Trace} from '../trace/trace.ts';

/** One copy of a range of an object's data: a request's bytes, or those of a response with its header. */
export interface SentRange {
  /** Row in the trace's packets. */
  readonly packet: number;
  /** Row in the trace's chunks. */
  readonly chunk: number;
  readonly sentNs: number;
  /** Infinity for a copy that did not arrive. */
  readonly arrivedNs: number;
  /**
   * Offset in the object's data, in the order in which the sender wrote it. Copies of the same data have the same
   * offset.
   */
  readonly offset: number;
  readonly bytes: number;
}

/** Everything that was sent of one object in one direction. */
export interface SentObject {
  /** All copies, in the order of sending. */
  readonly ranges: readonly SentRange[];
  /** Number of bytes without repetitions. */
  readonly bytes: number;
}

/** Returns what the server (`down`) or the client (`up`) sent of an object. */
export function sentOf(trace: Trace, direction: keyof typeof DIRECTION, object: number): SentObject {
  return sentObjects(trace)[direction].get(object) ?? NOTHING_SENT;
}

const NOTHING_SENT: SentObject = {ranges: [], bytes: 0};

type SentObjects = {readonly [D in keyof typeof DIRECTION]: ReadonlyMap<number, SentObject>};

const sentObjects = cachedByTrace((trace: Trace): SentObjects => {
  const {packets, chunks, chunkPieces} = trace.data;
  const found = {down: new Map<number, Piece[]>(), up: new Map<number, Piece[]>()};
  let inChunk = 0;
  for (let row = 0; row < chunkPieces.row.length; row++) {
    const chunk = chunkPieces.row[row] ?? 0;
    const packet = chunks.packet[chunk] ?? 0;
    const all = packets.direction[packet] === DIRECTION.down ? found.down : found.up;
    const [object = 0, bytes = 0] = [chunkPieces.object[row], chunkPieces.bytes[row]];
    // A chunk may carry data of several objects, one after the other.
    inChunk = chunkPieces.row[row - 1] === chunk ? inChunk + (chunkPieces.bytes[row - 1] ?? 0) : 0;
    const isArrived = packets.fate[packet] === FATE.delivered;
    const piece = {
      packet,
      chunk,
      stream: `${packets.endpoint[packet]}/${chunks.stream[chunk]}`,
      place: (chunks.first[chunk] ?? 0) + inChunk,
      bytes,
      sentNs: packets.sentNs[packet] ?? 0,
      arrivedNs: isArrived ? arrivalNs(trace, packet) : Number.POSITIVE_INFINITY,
    };
    const pieces = all.get(object);
    if (pieces === undefined) all.set(object, [piece]);
    else pieces.push(piece);
  }
  const isBytes = trace.pipeline.numbers === 'byte';
  return {
    down: new Map(Array.from(found.down, ([object, pieces]) => [object, withOffsets(pieces, isBytes)])),
    up: new Map(Array.from(found.up, ([object, pieces]) => [object, withOffsets(pieces, isBytes)])),
  };
});

interface Piece {
  readonly packet: number;
  readonly chunk: number;
  readonly stream: string;
  /** Position of the data, in the unit of `ChunkColumns.first`. */
  readonly place: number;
  readonly bytes: number;
  readonly sentNs: number;
  readonly arrivedNs: number;
}

/**
 * Finds the offset of each piece in the object's data. On each stream, data was written in the order of its places.
 * Streams are taken in the order in which they were first used. Where places count bytes, pieces may overlap in part,
 * because TCP may divide a retransmission differently.
 */
function withOffsets(pieces: readonly Piece[], isBytes: boolean): SentObject {
  const offsets = new Map<Piece, number>();
  let total = 0;
  for (const stream of new Set(pieces.map(({stream}) => stream))) {
    const own = pieces.filter(piece => piece.stream === stream).sort((a, b) => a.place - b.place);
    let coveredTo = Number.NEGATIVE_INFINITY;
    for (const piece of own) {
      const end = piece.place + (isBytes ? piece.bytes : 1);
      const known = Math.max(0, coveredTo - piece.place);
      offsets.set(piece, total - (isBytes ? known : known * piece.bytes));
      if (end > coveredTo) total += isBytes ? end - Math.max(coveredTo, piece.place) : piece.bytes;
      coveredTo = Math.max(coveredTo, end);
    }
  }
  const ranges = pieces.map(({packet, chunk, sentNs, arrivedNs, bytes}, i): SentRange => {
    const piece = pieces[i];
    return {packet, chunk, sentNs, arrivedNs, bytes, offset: piece === undefined ? 0 : (offsets.get(piece) ?? 0)};
  });
  return {ranges, bytes: total};
}

/** Returns when a delivered packet first arrived: itself, or a copy that the path made and that overtook it. */
function arrivalNs({data}: Trace, packet: number): number {
  const {fateNs, copyNs} = data.packets;
  const [arrivedNs = Number.POSITIVE_INFINITY, copiedNs = Number.NaN] = [fateNs[packet], copyNs[packet]];
  return copiedNs < arrivedNs ? copiedNs : arrivedNs;
}
