import {type Field, fieldBytes} from './field.ts';
import {HpackTable, MOST_STATES} from './hpackTable.ts';
import {pushInteger, pushString} from './primitives.ts';

/**
 * Encodes the field blocks of a connection (HPACK, RFC 7541). Blocks must be sent in the order in which they are
 * encoded. Results are cached, because most loads of a page repeat the same lists of fields. Connections that have sent
 * the same lists so far share the blocks.
 */
export class HpackEncoder {
  #state = start;
  /**
   * The smallest table size since the last block. It is undefined if the size has not changed. In this case the next
   * block need not announce a size.
   */
  #resized: {least: number} | undefined;

  /** Handles the peer's SETTINGS_HEADER_TABLE_SIZE. The table never grows above 4096 bytes. */
  limit(peerBytes: number): void {
    const bytes = Math.min(peerBytes, USUAL_TABLE_BYTES);
    if (bytes === this.#state.table.limitBytes) return;
    this.#resized = {least: Math.min(bytes, this.#resized?.least ?? bytes)};
    const table = this.#state.table.copy();
    table.resize(bytes);
    this.#state = newState(table);
  }

  /** Encodes a field block. */
  encode(fields: readonly Field[]): Uint8Array {
    const {block, state} = this.#state.next.get(fields) ?? this.#newStep(fields);
    this.#state = state;
    return block;
  }

  #newStep(fields: readonly Field[]): Step {
    const table = this.#state.table.copy();
    const into: number[] = [];
    if (this.#resized !== undefined) {
      // Besides the current size, the smallest size since the last block must be announced (RFC 7541 §4.2).
      const {least} = this.#resized;
      if (least < table.limitBytes) pushInteger(into, 0x20, 5, least);
      pushInteger(into, 0x20, 5, table.limitBytes);
      this.#resized = undefined;
    }
    for (const field of fields) pushField(into, field, table);
    const step = {block: new Uint8Array(into), state: newState(table)};
    this.#state.next.set(fields, step);
    return step;
  }
}

/** The state of an encoder after a sequence of lists. */
interface EncoderState {
  readonly table: HpackTable;
  /**
   * A cache that maps the next list of fields to its block and to the state after it. If the table was resized, the
   * cache is not shared with other connections.
   */
  readonly next: Map<readonly Field[], Step>;
}

interface Step {
  readonly block: Uint8Array;
  readonly state: EncoderState;
}

function newState(table: HpackTable): EncoderState {
  made += 1;
  if (made > MOST_STATES) {
    made = 0;
    start = {table: new HpackTable(USUAL_TABLE_BYTES), next: new Map()};
  }
  return {table, next: new Map()};
}

function pushField(into: number[], field: Field, table: HpackTable): void {
  const [name, value] = field;
  const {index, isWhole} = table.find(field);
  if (isWhole) {
    pushInteger(into, 0x80, 7, index);
    return;
  }
  const isKept = !isRarelyRepeated(name, fieldBytes(field), table.limitBytes);
  if (isKept) pushInteger(into, 0x40, 6, index);
  else pushInteger(into, 0x00, 4, index);
  if (index === 0) pushString(into, name);
  pushString(into, value);
  if (isKept) table.add(field);
}

/**
 * Whether a field is not worth an entry of a dynamic table: its name is one whose values rarely repeat, or the entry
 * would fill more than three quarters of the table. QPACK's encoder uses the same rule.
 */
export function isRarelyRepeated(name: string, entryBytes: number, tableBytes: number): boolean {
  return UNLIKE.has(name) || entryBytes > (tableBytes * 3) / 4;
}

/** The names of fields whose values rarely repeat. Like other encoders, this one does not add them to the table. */
const UNLIKE = new Set([':path', 'content-length']);
/** The initial size of a table (RFC 9113 §6.5.2), which is also the largest size that this encoder uses. */
const USUAL_TABLE_BYTES = 4096;
/** The common initial state of all connections. */
let start: EncoderState = {table: new HpackTable(USUAL_TABLE_BYTES), next: new Map()};
/** Number of states that were made since the cache was last cleared. */
let made = 0;
