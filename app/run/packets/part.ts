/** A header, an option, a chunk or a frame as it is shown, and what it has inside. */
export interface Part {
  readonly name: string;
  readonly fields: readonly Field[];
  readonly parts: readonly Part[];
  /** What is wrong with it, for people: it ends too early, or says so of itself. */
  readonly fault?: string;
}

export interface Field {
  readonly name: string;
  readonly text: string;
}

/** The part of that name; one that is broken has what there was of it before, and says why. Never throws. */
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

/** What a decoder has found so far: a part that ends too early keeps it. */
export interface Growing {
  readonly fields: Field[];
  readonly parts: Part[];
}

/** Bytes are read from their beginning, in network byte order. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  /** The byte that is read next; undefined behind the last. */
  get next(): number | undefined {
    return this.#bytes[this.#at];
  }

  /** An unsigned number of 1 to 4 bytes. @throws TooShort */
  number(bytes: 1 | 2 | 3 | 4, of: string): number {
    return this.take(bytes, of).reduce((number, byte) => number * 256 + byte, 0);
  }

  /** RFC 9000 §16: the two highest bits tell the length. One beyond 2^53 is not exact. @throws TooShort */
  varint(of: string): number {
    const [first = 0, ...rest] = this.take(1 << ((this.next ?? 0) >> 6), of);
    return rest.reduce((number, byte) => number * 256 + byte, first & 63);
  }

  /** The next so many bytes. @throws TooShort, which partOf tells. */
  take(bytes: number, of: string): Uint8Array {
    if (bytes > this.left) throw new TooShort(of, bytes, this.left);
    this.#at += bytes;
    return this.#bytes.subarray(this.#at - bytes, this.#at);
  }

  /** All that are left. */
  rest(): Uint8Array {
    return this.take(this.left, '');
  }
}

/** What a decoder throws of bytes that cannot be as they are; partOf tells it. */
export class Broken extends Error {}

/** More is announced than there is. */
class TooShort extends Broken {
  constructor(of: string, bytes: number, left: number) {
    super(`cut short: ${of} takes ${bytes} B, and ${left} B are left`);
  }
}

/** `0x3a7f`, of so many bytes. */
export function hexText(value: number, bytes: 1 | 2 | 3 | 4): string {
  return `0x${value.toString(16).padStart(2 * bytes, '0')}`;
}

/** `SYN, ACK`: the names of the bits that are set, of the highest first. */
export function flagsText(value: number, names: readonly (readonly [bit: number, name: string])[]): string {
  const known = names.filter(([bit]) => (value & bit) !== 0).map(([, name]) => name);
  return known.length === 0 ? 'none' : known.join(', ');
}

/** What data looks like: how much, and how it begins where that is text. */
export function dataFields(bytes: Uint8Array): readonly Field[] {
  const size = {name: 'data', text: `${bytes.length} B`};
  const text = String.fromCharCode(...bytes.subarray(0, MOST_SHOWN));
  const [line = ''] = /^[ -~]*/.exec(text) ?? [];
  return line.length < LEAST_TEXT ? [size] : [size, {name: 'begins', text: line}];
}

const MOST_SHOWN = 60;
/** Fewer letters than these come by chance. */
const LEAST_TEXT = 6;
