// The format of C03's frames of HTML (§3): pieces of the body, each with its offset in the body, big-endian.
//   4 bytes   offset of the piece
//   2 bytes   length of the piece
//   n bytes   the piece
// The pieces of the abstract are the tags and very short texts. Data frames contain the other text between the tags.
// Once the abstract is complete, each data frame can be shown without the other data frames, because the offsets state
// where its pieces belong.

/** A piece of a body. `first` is the offset in the body at which the piece begins. */
export interface Piece {
  readonly first: number;
  readonly bytes: Uint8Array;
}

export function encodePieces(pieces: readonly Piece[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + pieceBytes(piece), 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const piece of pieces) {
    view.setUint32(at, piece.first);
    view.setUint16(at + 4, piece.bytes.length);
    bytes.set(piece.bytes, at + PIECE_HEADER_BYTES);
    at += pieceBytes(piece);
  }
  return bytes;
}

/**
 * Parses pieces up to the first one that is incomplete, empty, or not within a body of `bodyBytes`. The pieces share
 * the memory of `bytes`.
 */
export function readPieces(bytes: Uint8Array, bodyBytes: number): readonly Piece[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const pieces: Piece[] = [];
  for (let at = 0; at + PIECE_HEADER_BYTES <= bytes.length; ) {
    const [first, length] = [view.getUint32(at), view.getUint16(at + 4)];
    const end = at + PIECE_HEADER_BYTES + length;
    if (length === 0 || end > bytes.length || first + length > bodyBytes) break;
    pieces.push({first, bytes: bytes.subarray(at + PIECE_HEADER_BYTES, end)});
    at = end;
  }
  return pieces;
}

/** Returns the size of an encoded piece in bytes. */
export function pieceBytes({bytes}: Piece): number {
  return PIECE_HEADER_BYTES + bytes.length;
}

export const PIECE_HEADER_BYTES = 6;
/** The largest length of a piece, because the length has two bytes. */
export const MOST_PIECE_BYTES = 65_535;
