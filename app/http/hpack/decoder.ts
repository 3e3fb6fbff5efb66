import {BlockReader, HpackError} from './blockReader.ts';
import {type Field, fieldBytes} from './field.ts';
import {KnownBytes} from './knownBytes.ts';
import {HpackTable} from './table.ts';

/** A field block's fields. */
export interface DecodedFields {
  readonly fields: readonly Field[];
  /** There were more bytes of them than the limit; `fields` are the first. */
  readonly isTooLarge: boolean;
}

/**
 * HPACK (RFC 7541), the receiving end of a connection: takes blocks in the order in which they come. A block is read once
 * by all connections that had the same blocks before: most loads of a page say the same.
 */
export class HpackDecoder {
  #state: DecoderState;
  readonly #mostTableBytes: number;
  readonly #mostListBytes: number;

  /** Its SETTINGS_HEADER_TABLE_SIZE and SETTINGS_MAX_HEADER_LIST_SIZE. */
  constructor(mostTableBytes: number, mostListBytes: number) {
    this.#state = startOf(mostTableBytes, mostListBytes);
    this.#mostTableBytes = mostTableBytes;
    this.#mostListBytes = mostListBytes;
  }

  /** @throws HpackError */
  decode(block: Uint8Array): DecodedFields {
    const {decoded, state} = this.#state.next.get(block) ?? this.#newStep(block);
    this.#state = state;
    return decoded;
  }

  #newStep(block: Uint8Array): Step {
    const table = this.#state.table.copy();
    const step = {decoded: this.#read(block, table), state: newState(table)};
    this.#state.next.keep(block, step);
    return step;
  }

  #read(block: Uint8Array, table: HpackTable): DecodedFields {
    const reader = new BlockReader(block);
    const fields: Field[] = [];
    let bytes = 0;
    while (!reader.isDone) {
      const field = this.#next(reader, table, bytes === 0);
      if (field === undefined) continue;
      bytes += fieldBytes(field);
      // what is left out still counts in the table
      if (bytes <= this.#mostListBytes) fields.push(field);
    }
    return {fields, isTooLarge: bytes > this.#mostListBytes};
  }

  /** Undefined for a change of the table's size. */
  #next(reader: BlockReader, table: HpackTable, isFirst: boolean): Field | undefined {
    const first = reader.peek();
    if (first >= 0x80) return entryAt(table, reader.integer(7));
    if (first >= 0x40) {
      const field = literal(reader, table, 6);
      table.add(field);
      return field;
    }
    if (first < 0x20) return literal(reader, table, 4);
    const bytes = reader.integer(5);
    if (!isFirst) throw new HpackError('a table size behind fields'); // RFC 7541 §4.2
    if (bytes > this.#mostTableBytes) throw new HpackError(`a table of ${bytes} bytes`); // §6.3
    table.resize(bytes);
    return undefined;
  }
}

function literal(reader: BlockReader, table: HpackTable, prefixBits: number): Field {
  const index = reader.integer(prefixBits);
  const name = index === 0 ? reader.string() : entryAt(table, index)[0];
  return [name, reader.string()];
}

function entryAt(table: HpackTable, index: number): Field {
  const field = index === 0 ? undefined : table.at(index);
  if (field === undefined) throw new HpackError(`no entry ${index}`); // RFC 7541 §2.3.3
  return field;
}

/** What a connection's table came to by what was said. */
interface DecoderState {
  readonly table: HpackTable;
  /** By the block that came next. */
  readonly next: KnownBytes<Step>;
}

interface Step {
  readonly decoded: DecodedFields;
  readonly state: DecoderState;
}

/** Where all connections with these limits begin. */
function startOf(mostTableBytes: number, mostListBytes: number): DecoderState {
  const limits = `${mostTableBytes} ${mostListBytes}`;
  const known = starts.get(limits);
  if (known !== undefined) return known;
  // the peer's encoder begins with 4096, whatever is allowed, until it says more
  const state = newState(new HpackTable(Math.min(4096, mostTableBytes)));
  starts.set(limits, state);
  return state;
}

function newState(table: HpackTable): DecoderState {
  made += 1;
  if (made > MOST_STATES) {
    made = 0;
    starts.clear();
  }
  return {table, next: new KnownBytes()};
}

const starts = new Map<string, DecoderState>();
/** States since the first of them. */
let made = 0;
/** Some pages' loads; then all is begun anew. */
const MOST_STATES = 1000;
