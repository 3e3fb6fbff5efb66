import type {BlockedColumns, ChunkColumns, PacketColumns} from './columns.ts';
import {firstAbove} from './rowIndex.ts';
import type {PieceColumns} from './traceData.ts';

/**
 * Remembers what an endpoint wrote for which object, and so knows whose the data in a packet is: by the
 * range of bytes on TCP, by stream and message on SCTP.
 */
export interface WriteLog {
  /** Adds the next write on a stream. */
  add(stream: number, bytes: number, object: number): void;
  /** The objects of one chunk's data. */
  piecesOf(chunk: WrittenData): readonly {readonly object: number; readonly bytes: number}[];
}

export interface WrittenData {
  /** TCP: offset in the byte stream. */
  readonly first: number;
  readonly bytes: number;
  readonly stream: number;
  /** SCTP: number of the message in its stream. */
  readonly message: number;
}

export class TcpWriteLog implements WriteLog {
  readonly #ends: number[] = [];
  readonly #objects: number[] = [];

  add(_stream: number, bytes: number, object: number): void {
    const last = this.#objects.length - 1;
    const end = (this.#ends[last] ?? 0) + bytes;
    if (this.#objects[last] === object) this.#ends[last] = end;
    else {
      this.#ends.push(end);
      this.#objects.push(object);
    }
  }

  piecesOf({first, bytes}: WrittenData): readonly {object: number; bytes: number}[] {
    const pieces: {object: number; bytes: number}[] = [];
    let at = first;
    for (let i = firstAbove(this.#ends, first); i < this.#ends.length && at < first + bytes; i++) {
      const end = Math.min(this.#ends[i] ?? 0, first + bytes);
      pieces.push({object: this.#objects[i] ?? 0, bytes: end - at});
      at = end;
    }
    return pieces;
  }
}

export class SctpWriteLog implements WriteLog {
  readonly #streams = new Map<number, number[]>();

  add(stream: number, _bytes: number, object: number): void {
    const messages = this.#streams.get(stream);
    if (messages === undefined) this.#streams.set(stream, [object]);
    else messages.push(object);
  }

  piecesOf({stream, message, bytes}: WrittenData): readonly {object: number; bytes: number}[] {
    const object = this.#streams.get(stream)?.[message];
    return object === undefined ? [] : [{object, bytes}];
  }
}

/** The objects of every chunk; `logOf` knows the sender's writes. */
export function attributeChunks(
  packets: PacketColumns,
  chunks: ChunkColumns,
  logOf: (endpoint: number) => WriteLog,
): PieceColumns {
  const pieces = new PieceList();
  for (let row = 0; row < chunks.packet.length; row++) {
    const log = logOf(packets.endpoint[chunks.packet[row] ?? 0] ?? 0);
    pieces.add(row, log.piecesOf(chunkAt(chunks, row)));
  }
  return pieces.columns();
}

/** The objects of every blocked row: blocked data is the peer's, found by its place in the stream or TSN. */
export function attributeBlocked(
  packets: PacketColumns,
  chunks: ChunkColumns,
  blocked: BlockedColumns,
  isTcp: boolean,
  logOf: (endpoint: number) => WriteLog,
  peerOf: (endpoint: number) => number,
): PieceColumns {
  const chunkOf = isTcp ? new Map<string, number>() : chunksByTsn(packets, chunks);
  const pieces = new PieceList();
  for (let row = 0; row < blocked.endpoint.length; row++) {
    const sender = peerOf(blocked.endpoint[row] ?? 0);
    const first = blocked.first[row] ?? 0;
    const bytes = blocked.bytes[row] ?? 0;
    const chunk = chunkOf.get(`${sender}/${first}`);
    const message = chunk === undefined ? 0 : (chunks.message[chunk] ?? 0);
    if (!isTcp && chunk === undefined) continue;
    pieces.add(row, logOf(sender).piecesOf({first, bytes, stream: blocked.stream[row] ?? 0, message}));
  }
  return pieces.columns();
}

function chunksByTsn(packets: PacketColumns, chunks: ChunkColumns): ReadonlyMap<string, number> {
  const rows = new Map<string, number>();
  for (let row = 0; row < chunks.packet.length; row++) {
    rows.set(`${packets.endpoint[chunks.packet[row] ?? 0]}/${chunks.first[row]}`, row);
  }
  return rows;
}

function chunkAt(chunks: ChunkColumns, row: number): WrittenData {
  return {
    first: chunks.first[row] ?? 0,
    bytes: chunks.bytes[row] ?? 0,
    stream: chunks.stream[row] ?? 0,
    message: chunks.message[row] ?? 0,
  };
}

class PieceList {
  readonly #row: number[] = [];
  readonly #object: number[] = [];
  readonly #bytes: number[] = [];

  add(row: number, pieces: readonly {readonly object: number; readonly bytes: number}[]): void {
    for (const piece of pieces) {
      this.#row.push(row);
      this.#object.push(piece.object);
      this.#bytes.push(piece.bytes);
    }
  }

  columns(): PieceColumns {
    return {
      row: Uint32Array.from(this.#row),
      object: Uint32Array.from(this.#object),
      bytes: Uint32Array.from(this.#bytes),
    };
  }
}
