import {KnownBytes} from '../knownBytes.ts';
import {type Field, fieldBytes} from './field.ts';
import {HpackTable, MOST_STATES} from './hpackTable.ts';
import {BlockReader, HpackError} from './primitives.ts';

/** The fields of a field block. */
export interface DecodedFields {
  readonly fields: readonly Field[];
  /** Whether the fields exceed the limit. If so, `fields` contains only the first fields, up to the limit. */
  readonly isTooLarge: boolean;
}

/**
 * Decodes the field blocks of a connection (HPACK, RFC 7541) in the order of their arrival. Results are cached, because
 * most loads of a page repeat the same blocks. Connections that have received the same blocks so far share the results.
 */
export class HpackDecoder {
  #state: DecoderState;
  readonly #mostTableBytes: number;
  readonly #mostListBytes: number;

  /** The arguments are this end's SETTINGS_HEADER_TABLE_SIZE and SETTINGS_MAX_HEADER_LIST_SIZE. */
  constructor(mostTableBytes: number, mostListBytes: number) {
    this.#state = startOf(mostTableBytes, mostListBytes);
    this.#mostTableBytes = mostTableBytes;
    this.#mostListBytes = mostListBytes;
  }

  /** Decodes the next field block. @throws HpackError if the block breaks HPACK's rules */
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
      // Fields beyond the limit are still added to the table, which must stay equal to the peer's table.
      if (bytes <= this.#mostListBytes) fields.push(field);
    }
    return {fields, isTooLarge: bytes > this.#mostListBytes};
  }

  /** Reads the next entry of a block. Returns its field, or undefined if the entry changes the table's size. */
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
    // RFC 7541 §4.2
    if (!isFirst) throw new HpackError('a change of the table size after a field (must come before all fields)');
    if (bytes > this.#mostTableBytes)
      throw new HpackError(`a table of ${bytes} bytes (at most ${this.#mostTableBytes})`); // RFC 7541 §6.3
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
  if (field === undefined) throw new HpackError(`index ${index} is not in the table`); // RFC 7541 §2.3.3
  return field;
}

/** The state of a decoder after a sequence of blocks. */
interface DecoderState {
  readonly table: HpackTable;
  /** A cache that maps the next block to its fields and to the state after it. */
  readonly next: KnownBytes<Step>;
}

interface Step {
  readonly decoded: DecodedFields;
  readonly state: DecoderState;
}

/** Returns the common initial state of all connections with these limits. */
function startOf(mostTableBytes: number, mostListBytes: number): DecoderState {
  const limits = `${mostTableBytes} ${mostListBytes}`;
  const known = starts.get(limits);
  if (known !== undefined) return known;
  // The peer's encoder begins with a table of 4096 bytes, even if the limit is larger, until it announces another size.
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
/** Number of states that were made since the cache was last cleared. */
let made = 0;
