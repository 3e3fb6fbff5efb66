import type {StreamPiece} from '../../app/http/transports.ts';
import type {QuicConnection} from '../../native/addon/index.js';

/** Writes to a connection's streams what it takes of the pieces, in their order; gives how many bytes that is. */
export function writePieces(connection: QuicConnection, pieces: readonly StreamPiece[]): number {
  const parts = new Uint32Array(pieces.flatMap(({stream, bytes, isEnd}) => [stream, bytes.length, +isEnd]));
  return connection.writeParts(parts, Buffer.concat(pieces.map(({bytes}) => bytes)));
}
