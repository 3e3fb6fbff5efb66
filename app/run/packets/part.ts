/** A header, option, chunk or frame for display, with the parts inside it. */
export interface Part {
  readonly name: string;
  readonly fields: readonly Field[];
  readonly parts: readonly Part[];
  /**
   * Text for people that says what is wrong with the part, such as that it is truncated. Absent if nothing is wrong.
   */
  readonly fault?: string;
}

export interface Field {
  readonly name: string;
  readonly text: string;
}

/**
 * Decodes a part. If the decoder throws {@link Broken}, the part keeps what was decoded before, and its `fault` is the
 * error's message. Other errors are not caught.
 */
export function partOf(name: string, bytes: ByteReader, decode: (bytes: ByteReader, out: Growing) => void): Part {
  const out: Growing = {fields: [], parts: []};
  try {
    decode(bytes, out);
    return {name, ...out};
  } catch (error) {
    if (!(error instanceof Broken)) throw error;
    return {name, ...out, fault: error.message};
  }
}

/** The fields and parts that a decoder has produced so far. They are kept if the rest turns out to be invalid. */
export interface Growing {
  readonly fields: Field[];
  readonly parts: Part[];
}

/** Reads an array of bytes from its start to its end. Numbers are in network byte order. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  /** The byte that is read next. Undefined at the end. */
  get next(): number | undefined {
    return this.#bytes[this.#at];
  }

  /** Reads an unsigned number of 1 to 4 bytes. `of` names the number in the error. @throws TooShort */
  number(bytes: 1 | 2 | 3 | 4, of: string): number {
    return this.take(bytes, of).reduce((number, byte) => number * 256 + byte, 0);
  }

  /**
   * Reads a variable-length integer (RFC 9000 §16). The two highest bits of the first byte give the length. A value
   * beyond 2^53 is not exact.
   * @throws TooShort
   */
  varint(of: string): number {
    const [first = 0, ...rest] = this.take(1 << ((this.next ?? 0) >> 6), of);
    return rest.reduce((number, byte) => number * 256 + byte, first & 63);
  }

  /** Reads the next `bytes` bytes. `of` names them in the error. @throws TooShort, which {@link partOf} reports */
  take(bytes: number, of: string): Uint8Array {
    if (bytes > this.left) throw new TooShort(of, bytes, this.left);
    this.#at += bytes;
    return this.#bytes.subarray(this.#at - bytes, this.#at);
  }

  /** Reads all remaining bytes. */
  rest(): Uint8Array {
    return this.take(this.left, '');
  }
}

/** Thrown by a decoder for invalid bytes. {@link partOf} turns it into the part's `fault`. */
export class Broken extends Error {}

/** Thrown if fewer bytes are left than a decoder needs. */
class TooShort extends Broken {
  constructor(of: string, bytes: number, left: number) {
    super(`cut short: ${of} takes ${bytes} B, and ${left} B are left`);
  }
}

/** Writes a number of this many bytes in hexadecimal: `0x3a7f`. */
export function hexText(value: number, bytes: 1 | 2 | 3 | 4): string {
  return `0x${value.toString(16).padStart(2 * bytes, '0')}`;
}

/** Lists the names of the bits that are set, in the order of `names`: `ACK, SYN`. Returns `none` if none is set. */
export function flagsText(value: number, names: readonly (readonly [bit: number, name: string])[]): string {
  const known = names.filter(([bit]) => (value & bit) !== 0).map(([, name]) => name);
  return known.length === 0 ? 'none' : known.join(', ');
}

/** Returns fields with the size of data and, if the data begin with text, their beginning. */
export function dataFields(bytes: Uint8Array): readonly Field[] {
  const size = {name: 'data', text: `${bytes.length} B`};
  const text = String.fromCharCode(...bytes.subarray(0, MOST_SHOWN));
  const [line = ''] = /^[ -~]*/.exec(text) ?? [];
  return line.length < LEAST_TEXT ? [size] : [size, {name: 'begins', text: line}];
}

const MOST_SHOWN = 60;
/** The smallest number of characters that are shown as text. Shorter texts occur in binary data by chance. */
const LEAST_TEXT = 6;
