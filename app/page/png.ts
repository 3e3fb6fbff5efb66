import {Bits, inflatedBytes} from './inflated.ts';

/**
 * Returns the byte offsets at which the passes of an interlaced PNG are complete, ascending (W3C PNG §8.2, Adam7). The
 * list is empty if the file is not such a PNG, is invalid or truncated, or is so long that reading it would delay the
 * window.
 */
export function passEnds(body: Uint8Array): readonly number[] {
  const sizes = body.length > LONGEST_FILE ? [] : passSizes(body);
  if (sizes.length === 0) return [];
  try {
    return [...new Set(endsOf(body, sizes))];
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}

/** Returns the end of each pass. @throws RangeError if the data are invalid or too short. */
function endsOf(body: Uint8Array, sizes: readonly number[]): readonly number[] {
  const {data, fileAt} = imageData(body);
  // Skips zlib's header (RFC 1950 §2.2).
  const bits = new Bits(data, 2);
  const symbols = inflatedBytes(bits);
  let [inflated, wanted] = [0, 0];
  return sizes.map(size => {
    wanted += size;
    while (inflated < wanted) {
      const {value, done} = symbols.next();
      if (done === true) throw new RangeError(`a picture has ${inflated} bytes of data (expected ${wanted})`);
      inflated += value;
    }
    return fileAt(bits.bytesRead);
  });
}

/**
 * Returns the uncompressed size of each pass that has pixels, in bytes. The list is empty if the picture is not
 * interlaced.
 */
function passSizes(body: Uint8Array): readonly number[] {
  const [header] = pngChunks(body);
  if (header?.type !== 'IHDR' || header.data.length < HEADER_BYTES) return [];
  const {buffer, byteOffset} = header.data;
  const view = new DataView(buffer, byteOffset, HEADER_BYTES);
  const [width, height, depth] = [view.getUint32(0), view.getUint32(4), view.getUint8(8)];
  const channels = CHANNELS[view.getUint8(9)];
  if (view.getUint8(12) !== 1 || channels === undefined) return [];
  return PASSES.flatMap(([left, top, across, down]) => {
    const [columns, rows] = [Math.ceil((width - left) / across), Math.ceil((height - top) / down)];
    // Each row begins with a byte that names its filter.
    return columns > 0 && rows > 0 ? [rows * (1 + Math.ceil((columns * depth * channels) / 8))] : [];
  });
}

/**
 * Returns the joined contents of all IDAT chunks, and a function `fileAt`: the first n of the joined bytes have arrived
 * when the first `fileAt(n)` bytes of the file have arrived.
 */
function imageData(body: Uint8Array): {
  readonly data: Uint8Array;
  readonly fileAt: (bytes: number) => number;
} {
  const data: number[] = [];
  const chunks: {readonly from: number; readonly fileFrom: number}[] = [];
  for (const chunk of pngChunks(body)) {
    if (chunk.type !== 'IDAT' || chunk.data.length === 0) continue;
    chunks.push({from: data.length, fileFrom: chunk.at});
    for (const byte of chunk.data) data.push(byte);
  }
  const fileAt = (bytes: number): number => {
    const chunk = chunks.findLast(({from}) => from < bytes);
    return chunk === undefined ? 0 : chunk.fileFrom + bytes - chunk.from;
  };
  return {data: Uint8Array.from(data), fileAt};
}

/** Size of IHDR's data in bytes (§11.2.1). */
const HEADER_BYTES = 13;

/** Number of channels by colour type (§11.2.2). Other colour types are invalid. */
const CHANNELS: {readonly [colour: number]: number} = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4};

/** For each pass: first column, first row, column step and row step, in pixels. */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** The size in bytes of the largest file that is examined. Examining such a file takes about 30 ms. */
const LONGEST_FILE = 200_000;

/** A chunk of a PNG (W3C PNG §5.3). */
export interface PngChunk {
  /** The chunk's type, which has four letters. */
  readonly type: string;
  /** Byte offset of the chunk's data in the file. */
  readonly at: number;
  /** The chunk's data. They are incomplete if the file ends within them. */
  readonly data: Uint8Array;
}

/** Yields the chunks in order, up to the end of the file. Yields nothing if the file is not a PNG. */
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

/** The first bytes of every PNG file (W3C PNG §5.2). */
const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
