import type {Pipeline} from '../../pipelines/pipeline.ts';
import type {WriteLog, WrittenData} from '../../pipelines/writeLog.ts';
import type {BlockedColumns, ChunkColumns, PacketColumns} from '../trace/columns.ts';
import type {PieceColumns} from '../trace/traceData.ts';

/**
 * Returns what an endpoint wrote, and the endpoint at the other end. Undefined if the endpoint belongs to no
 * connection.
 */
type WritesOf = (endpoint: number) => {readonly log: WriteLog; readonly peer: number} | undefined;

/** Finds out how many bytes of which objects each chunk carries. */
export function attributeChunks(packets: PacketColumns, chunks: ChunkColumns, writesOf: WritesOf): PieceColumns {
  const pieces = new PieceList();
  for (let row = 0; row < chunks.packet.length; row++) {
    const sender = packets.endpoint[chunks.packet[row] ?? 0] ?? 0;
    pieces.add(row, writesOf(sender)?.log.piecesOf(chunkAt(chunks, row)) ?? []);
  }
  return pieces.columns();
}

/**
 * Finds out how many bytes of which objects each row of `blocked` holds. A row is data that waited at a receiver. The
 * row names the receiver, and the receiver's peer wrote the data. If the pipeline numbers chunks, the row's `first` is
 * the number of a chunk. Otherwise, the row is the range of bytes that begins at `first`.
 */
export function attributeBlocked(
  packets: PacketColumns,
  chunks: ChunkColumns,
  blocked: BlockedColumns,
  numbers: Pipeline['numbers'],
  writesOf: WritesOf,
): PieceColumns {
  const chunkOf = numbers === 'chunk' && blocked.endpoint.length > 0 ? chunksByNumber(packets, chunks) : undefined;
  const pieces = new PieceList();
  for (let row = 0; row < blocked.endpoint.length; row++) {
    const sender = writesOf(blocked.endpoint[row] ?? 0)?.peer ?? 0;
    const first = blocked.first[row] ?? 0;
    const bytes = blocked.bytes[row] ?? 0;
    const chunk = chunkOf?.get(sender)?.get(first);
    if (chunkOf !== undefined && chunk === undefined) continue;
    const message = chunk === undefined ? 0 : (chunks.message[chunk] ?? 0);
    const data = {first, bytes, stream: blocked.stream[row] ?? 0, message};
    pieces.add(row, writesOf(sender)?.log.piecesOf(data) ?? []);
  }
  return pieces.columns();
}

/** Returns the row of each chunk, by its sender and its number. */
function chunksByNumber(
  packets: PacketColumns,
  chunks: ChunkColumns,
): ReadonlyMap<number, ReadonlyMap<number, number>> {
  const rows = new Map<number, Map<number, number>>();
  for (let row = 0; row < chunks.packet.length; row++) {
    const sender = packets.endpoint[chunks.packet[row] ?? 0] ?? 0;
    let ofSender = rows.get(sender);
    if (ofSender === undefined) {
      ofSender = new Map();
      rows.set(sender, ofSender);
    }
    ofSender.set(chunks.first[row] ?? 0, row);
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
