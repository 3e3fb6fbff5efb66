// The contents of C03's frames of HTML (§3): pieces of the body, each with its place in it, big-endian.
//   4 bytes   where the piece begins
//   2 bytes   its length
//   n bytes   the piece
// The pieces of the abstract are the tags. What belongs between two of them comes in data frames, so the place serves
// as the pointer. Data frames hold the contents of elements, and each can be used alone.

/** A piece of a body, beginning at offset `first`. */
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

/** Parses the pieces that are complete and lie within a body of `bodyBytes`. They share the memory of `bytes`. */
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

/** Size of an encoded piece. */
export function pieceBytes({bytes}: Piece): number {
  return PIECE_HEADER_BYTES + bytes.length;
}

export const PIECE_HEADER_BYTES = 6;
/** The largest length that two bytes can state. */
export const MOST_PIECE_BYTES = 65_535;
