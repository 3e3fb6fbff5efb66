import {latin1} from '../../base/bytes.ts';
import {textOf} from './codedText.ts';

/** A block that breaks HPACK's rules. Its connection cannot be used any more (RFC 7541 §2.2). */
export class HpackError extends Error {
  override readonly name = 'HpackError';
}

/** Reads the integers and strings of a field block. @throws HpackError if a value is cut short or too large */
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

  /** Reads an integer (RFC 7541 §5.1). */
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

  /** Reads a string (RFC 7541 §5.2). The prefix of its length has 7 bits or fewer (RFC 9204 §4.1.2). */
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

/** Allows integers up to 2^28 + 126: larger than any block that is accepted. */
const MOST_SHIFT = 21;
