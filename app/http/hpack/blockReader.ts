import {latin1} from '../head.ts';
import {textOf} from './codedText.ts';

/** A block that breaks HPACK's rules: its connection is of no more use (RFC 7541 §2.2). */
export class HpackError extends Error {
  override readonly name = 'HpackError';
}

/** Reads a field block's integers and strings. What is cut or too large is an {@link HpackError}. */
export class BlockReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isDone(): boolean {
    return this.#at >= this.#bytes.length;
  }

  peek(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw new HpackError('a block that ends early');
    return byte;
  }

  /** RFC 7541 §5.1. */
  integer(prefixBits: number): number {
    const most = (1 << prefixBits) - 1;
    let value = this.#byte() & most;
    if (value < most) return value;
    for (let shift = 0; shift <= MOST_SHIFT; shift += 7) {
      const byte = this.#byte();
      value += (byte & 127) << shift;
      if (byte < 128) return value;
    }
    throw new HpackError('an integer that is too large');
  }

  /** RFC 7541 §5.2; its length's prefix has 7 bits or fewer (RFC 9204 §4.1.2). */
  string(prefixBits = 7): string {
    const isCoded = (this.peek() & (1 << prefixBits)) !== 0;
    const length = this.integer(prefixBits);
    const bytes = this.#bytes.subarray(this.#at, this.#at + length);
    if (bytes.length < length) throw new HpackError('a string that ends early');
    this.#at += length;
    const text = isCoded ? textOf(bytes) : latin1(bytes);
    if (text === undefined) throw new HpackError('a broken Huffman code');
    return text;
  }

  #byte(): number {
    const byte = this.peek();
    this.#at += 1;
    return byte;
  }
}

/** Integers below 2^28 and 127 more: larger than any block that is taken. */
const MOST_SHIFT = 21;
