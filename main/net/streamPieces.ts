import type {StreamPiece} from '../../app/http/transports.ts';
import type {QuicConnection} from '../../native/addon/index.js';

/** Writes pieces to the streams of a connection, in order, as far as it takes them. Returns how many bytes it took. */
export function writePieces(connection: QuicConnection, pieces: readonly StreamPiece[]): number {
  const parts = new Uint32Array(pieces.flatMap(({stream, bytes, isEnd}) => [stream, bytes.length, +isEnd]));
  return connection.writeParts(parts, Buffer.concat(pieces.map(({bytes}) => bytes)));
}
