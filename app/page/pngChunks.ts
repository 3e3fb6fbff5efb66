/** A chunk of a PNG (W3C PNG §5.3). */
export interface PngChunk {
  /** Four letters. */
  readonly type: string;
  /** Byte offset of its data in the file. */
  readonly at: number;
  /** The data, cut short if the file is. */
  readonly data: Uint8Array;
}

/** The chunks in order, as far as they can be read. Yields nothing if the file is not a PNG. */
export function* pngChunks(body: Uint8Array): Generator<PngChunk> {
  if (SIGNATURE.some((byte, i) => body[i] !== byte)) return;
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  for (let at = SIGNATURE.length + 8; at <= body.length; ) {
    const bytes = view.getUint32(at - 8);
    const type = String.fromCharCode(...body.subarray(at - 4, at));
    yield {type, at, data: body.subarray(at, at + bytes)};
    // Skips the data, their checksum, and the next chunk's length and type.
    at += bytes + 12;
  }
}

/** W3C PNG §5.2. */
const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
