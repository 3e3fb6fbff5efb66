import {latin1} from '../../base/bytes.ts';
import {KnownBytes} from '../knownBytes.ts';
import {huffmanDecode, huffmanEncode} from './huffman.ts';

// Integers and strings of HPACK (RFC 7541 §5) and QPACK (RFC 9204 §4.1). The texts of strings have one character per
// byte.

/**
 * Thrown for a block that breaks the rules of HPACK or QPACK. The connection of the block cannot be used any more (RFC
 * 9113 §4.3; RFC 9204 §2.2).
 */
export class HpackError extends Error {
  override readonly name = 'HpackError';
}

/**
 * Thrown if the bytes end inside a value. On a stream of instructions, later bytes can complete the value. In a field
 * block, this is an error.
 */
export class EndsEarlyError extends HpackError {}

/**
 * Reads the integers and strings of field blocks and instructions. Its functions throw an EndsEarlyError if a value is
 * incomplete, and an HpackError if it is invalid or too large.
 */
export class BlockReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Number of bytes that have been read. */
  get at(): number {
    return this.#at;
  }

  get isDone(): boolean {
    return this.#at >= this.#bytes.length;
  }

  peek(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new EndsEarlyError('the block ends early');
    return byte;
  }

  /** Reads an integer whose first byte has a prefix of `prefixBits` bits (RFC 7541 §5.1). */
  integer(prefixBits: number): number {
    const most = (1 << prefixBits) - 1;
    let value = this.#byte() & most;
    if (value < most) return value;
    for (let shift = 0; shift <= MOST_SHIFT; shift += 7) {
      const byte = this.#byte();
      value += (byte & 127) << shift;
      if (byte < 128) return value;
    }
    throw new HpackError('an integer is too large');
  }

  /**
   * Reads a string (RFC 7541 §5.2). The prefix of its length has `prefixBits` bits, at most 7 (RFC 9204 §4.1.2).
   * `mostBytes` limits its encoded size.
   */
  string(prefixBits = 7, mostBytes = Number.POSITIVE_INFINITY): string {
    const isCoded = (this.peek() & (1 << prefixBits)) !== 0;
    const length = this.integer(prefixBits);
    if (length > mostBytes) throw new HpackError(`a string of ${length} bytes (at most ${mostBytes})`);
    const bytes = this.#bytes.subarray(this.#at, this.#at + length);
    if (bytes.length < length) throw new EndsEarlyError('a string ends early');
    this.#at += length;
    const text = isCoded ? textOf(bytes) : latin1(bytes);
    if (text === undefined) throw new HpackError('a Huffman code is invalid');
    return text;
  }

  #byte(): number {
    const byte = this.peek();
    this.#at += 1;
    return byte;
  }
}

/**
 * The largest shift of an integer's byte. It allows all integers up to 2^28. This suffices: the allowed sizes of blocks
 * and tables are smaller, and no connection opens that many streams.
 */
const MOST_SHIFT = 21;

/** Appends an integer. The upper bits of its first byte are those of `flags` (RFC 7541 §5.1). */
export function pushInteger(into: number[], flags: number, prefixBits: number, value: number): void {
  const most = (1 << prefixBits) - 1;
  if (value < most) {
    into.push(flags | value);
    return;
  }
  into.push(flags | most);
  let rest = value - most;
  for (; rest >= 128; rest = Math.floor(rest / 128)) into.push((rest % 128) | 128);
  into.push(rest);
}

/**
 * Appends a string. The prefix of its length has `prefixBits` bits, at most 7. The Huffman code is used unless it is
 * longer than the text. The bit above the prefix states whether it is used (RFC 7541 §5.2; RFC 9204 §4.1.2).
 */
export function pushString(into: number[], text: string, flags = 0, prefixBits = 7): void {
  const coded = codedOf(text);
  if (coded.length <= text.length) {
    pushInteger(into, flags | (1 << prefixBits), prefixBits, coded.length);
    for (let i = 0; i < coded.length; i++) into.push(coded[i] ?? 0);
    return;
  }
  pushInteger(into, flags, prefixBits, text.length);
  for (let i = 0; i < text.length; i++) into.push(text.charCodeAt(i));
}

// Encoded and decoded texts are cached, because most loads of a page repeat the same texts.

/** Returns the Huffman code of a text (RFC 7541 §5.2). */
export function codedOf(text: string): Uint8Array {
  const known = codes.get(text);
  if (known !== undefined) return known;
  if (codes.size >= MOST_CODES) codes.clear();
  const coded = huffmanEncode(text);
  codes.set(text, coded);
  return coded;
}

/** Returns the text of a Huffman code, or undefined if the code is invalid. */
export function textOf(coded: Uint8Array): string | undefined {
  const known = texts.get(coded);
  if (known !== undefined) return known;
  const text = huffmanDecode(coded);
  if (text !== undefined) texts.keep(coded, text);
  return text;
}

const codes = new Map<string, Uint8Array>();
const texts = new KnownBytes<string>();
/** The largest number of cached codes. It suffices for the fields of several pages. */
const MOST_CODES = 1000;
