import {Bits, inflatedBytes} from './inflated.ts';

/**
 * Where the passes of an interlaced PNG end (W3C PNG §8.2, Adam7), bytes of its file, rising: with so many all of a pass
 * can be seen. None of what is no such PNG, is broken, or longer than can be looked through while a window waits.
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

/** @throws RangeError if the data are broken or too few. */
function endsOf(body: Uint8Array, sizes: readonly number[]): readonly number[] {
  const {data, fileAt} = imageData(body);
  // behind zlib's header (RFC 1950 §2.2)
  const bits = new Bits(data, 2);
  const symbols = inflatedBytes(bits);
  let [inflated, wanted] = [0, 0];
  return sizes.map(size => {
    wanted += size;
    while (inflated < wanted) {
      const {value, done} = symbols.next();
      if (done === true) throw new RangeError(`a picture's data have ${inflated} bytes of ${wanted}`);
      inflated += value;
    }
    return fileAt(bits.bytesRead);
  });
}

/** Bytes of each pass before compression, but for those that have none; empty for what is not interlaced. */
function passSizes(body: Uint8Array): readonly number[] {
  const isPng = PNG.every((byte, i) => body[i] === byte);
  const [depth = 0, colour = 0] = body.subarray(24, 26);
  const channels = CHANNELS[colour];
  if (!isPng || body[28] !== 1 || channels === undefined) return [];
  const [width, height] = [numberAt(body, 16), numberAt(body, 20)];
  return PASSES.flatMap(([left, top, across, down]) => {
    const [columns, rows] = [Math.ceil((width - left) / across), Math.ceil((height - top) / down)];
    // each row begins with its filter
    return columns > 0 && rows > 0 ? [rows * (1 + Math.ceil((columns * depth * channels) / 8))] : [];
  });
}

/** What all IDAT chunks have, and how much of the file so many bytes of that are. */
function imageData(body: Uint8Array): {
  readonly data: Uint8Array;
  readonly fileAt: (bytes: number) => number;
} {
  const data: number[] = [];
  const chunks: {readonly from: number; readonly fileFrom: number}[] = [];
  for (let at = PNG.length; at + 8 <= body.length; ) {
    const length = numberAt(body, at);
    if (numberAt(body, at + 4) === IDAT && length > 0) {
      chunks.push({from: data.length, fileFrom: at + 8});
      for (const byte of body.subarray(at + 8, at + 8 + length)) data.push(byte);
    }
    at += length + 12;
  }
  const fileAt = (bytes: number): number => {
    const chunk = chunks.findLast(({from}) => from < bytes);
    return chunk === undefined ? 0 : chunk.fileFrom + bytes - chunk.from;
  };
  return {data: Uint8Array.from(data), fileAt};
}

function numberAt(body: Uint8Array, at: number): number {
  return [0, 1, 2, 3].reduce((number, i) => number * 256 + (body[at + i] ?? 0), 0);
}

const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const IDAT = 0x49444154;

/** Of each colour type (§11.2.2); what is not listed is none. */
const CHANNELS: {readonly [colour: number]: number} = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4};

/** First column and row, and steps, px. */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** Bytes; so many are looked through in some 30 ms. */
const LONGEST_FILE = 200_000;
