import {type Field, fieldBytes} from './field.ts';
import {huffmanDecode} from './huffman.ts';
import {HpackTable} from './table.ts';

/** A block that breaks HPACK's rules: its connection is of no more use (RFC 7541 §2.2). */
export class HpackError extends Error {
  override readonly name = 'HpackError';
}

/** A field block's fields. */
export interface DecodedFields {
  readonly fields: readonly Field[];
  /** There were more bytes of them than the limit; `fields` are the first. */
  readonly isTooLarge: boolean;
}

/** HPACK (RFC 7541), the receiving end of a connection: takes blocks in the order in which they come. */
export class HpackDecoder {
  readonly #table: HpackTable;
  readonly #mostTableBytes: number;
  readonly #mostListBytes: number;

  /** Its SETTINGS_HEADER_TABLE_SIZE and SETTINGS_MAX_HEADER_LIST_SIZE. */
  constructor(mostTableBytes: number, mostListBytes: number) {
    // the peer's encoder begins with 4096, whatever is allowed, until it says more
    this.#table = new HpackTable(Math.min(4096, mostTableBytes));
    this.#mostTableBytes = mostTableBytes;
    this.#mostListBytes = mostListBytes;
  }

  /** @throws HpackError */
  decode(block: Uint8Array): DecodedFields {
    const reader = new BlockReader(block);
    const fields: Field[] = [];
    let bytes = 0;
    while (!reader.isDone) {
      const field = this.#next(reader, bytes === 0);
      if (field === undefined) continue;
      bytes += fieldBytes(field);
      // what is left out still counts in the table
      if (bytes <= this.#mostListBytes) fields.push(field);
    }
    return {fields, isTooLarge: bytes > this.#mostListBytes};
  }

  /** Undefined for a change of the table's size. */
  #next(reader: BlockReader, isFirst: boolean): Field | undefined {
    const first = reader.peek();
    if (first >= 0x80) return this.#at(reader.integer(7));
    if (first >= 0x40) {
      const field = this.#literal(reader, 6);
      this.#table.add(field);
      return field;
    }
    if (first < 0x20) return this.#literal(reader, 4);
    const bytes = reader.integer(5);
    if (!isFirst) throw new HpackError('a table size behind fields'); // RFC 7541 §4.2
    if (bytes > this.#mostTableBytes) throw new HpackError(`a table of ${bytes} bytes`); // §6.3
    this.#table.resize(bytes);
    return undefined;
  }

  #literal(reader: BlockReader, prefixBits: number): Field {
    const index = reader.integer(prefixBits);
    const name = index === 0 ? reader.string() : this.#at(index)[0];
    return [name, reader.string()];
  }

  #at(index: number): Field {
    const field = index === 0 ? undefined : this.#table.at(index);
    if (field === undefined) throw new HpackError(`no entry ${index}`); // RFC 7541 §2.3.3
    return field;
  }
}

class BlockReader {
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
    const most = 2 ** prefixBits - 1;
    let value = this.#byte() & most;
    if (value < most) return value;
    for (let shift = 0; shift <= MOST_SHIFT; shift += 7) {
      const byte = this.#byte();
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
    throw new HpackError('an integer that is too large');
  }

  /** RFC 7541 §5.2. */
  string(): string {
    const isCoded = this.peek() >= 0x80;
    const length = this.integer(7);
    const bytes = this.#bytes.subarray(this.#at, this.#at + length);
    if (bytes.length < length) throw new HpackError('a string that ends early');
    this.#at += length;
    const text = isCoded ? huffmanDecode(bytes) : latin1(bytes);
    if (text === undefined) throw new HpackError('a broken Huffman code');
    return text;
  }

  #byte(): number {
    const byte = this.peek();
    this.#at += 1;
    return byte;
  }
}

function latin1(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

/** Integers below 2^28 and 127 more: larger than any block that is taken. */
const MOST_SHIFT = 21;
