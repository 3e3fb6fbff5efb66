import {BlockReader, HpackError} from './blockReader.ts';
import {type Field, fieldBytes} from './field.ts';
import {HpackTable} from './table.ts';

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
