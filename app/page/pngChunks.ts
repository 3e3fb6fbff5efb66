/** A chunk of a PNG (W3C PNG §5.3). */
export interface PngChunk {
  /** Four letters. */
  readonly type: string;
  /** Where its data begin in the file, bytes. */
  readonly at: number;
  /** Cut short where the file ends. */
  readonly data: Uint8Array;
}

/** In order, as far as they can be read; none of what is no PNG. */
export function* pngChunks(body: Uint8Array): Generator<PngChunk> {
  if (SIGNATURE.some((byte, i) => body[i] !== byte)) return;
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  for (let at = SIGNATURE.length + 8; at <= body.length; ) {
    const bytes = view.getUint32(at - 8);
    const type = String.fromCharCode(...body.subarray(at - 4, at));
    yield {type, at, data: body.subarray(at, at + bytes)};
    // behind its check sum, the next one's length and type
    at += bytes + 12;
  }
}

/** W3C PNG §5.2. */
const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
