import {type Field, fieldBytes} from './field.ts';
import {pushInteger, pushString} from './literal.ts';
import {HpackTable} from './table.ts';

/**
 * HPACK (RFC 7541), the sending end of a connection: blocks must be sent in the order in which they are made. A block is
 * made once of a list by all connections that had the same lists before: most loads of a page say the same.
 */
export class HpackEncoder {
  #state = start;
  /** The next block has to tell. */
  #resized: {least: number} | undefined;

  /** How large a table the peer has room for, its SETTINGS_HEADER_TABLE_SIZE; more than 4096 bytes are not used. */
  limit(peerBytes: number): void {
    const bytes = Math.min(peerBytes, USUAL_TABLE_BYTES);
    if (bytes === this.#state.table.limitBytes) return;
    this.#resized = {least: Math.min(bytes, this.#resized?.least ?? bytes)};
    const table = this.#state.table.copy();
    table.resize(bytes);
    this.#state = newState(table);
  }

  /** A whole field block. */
  encode(fields: readonly Field[]): Uint8Array {
    const {block, state} = this.#state.next.get(fields) ?? this.#newStep(fields);
    this.#state = state;
    return block;
  }

  #newStep(fields: readonly Field[]): Step {
    const table = this.#state.table.copy();
    const into: number[] = [];
    if (this.#resized !== undefined) {
      // the least that it was in between, too (RFC 7541 §4.2)
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

/** What a connection's table came to by what was said. */
interface EncoderState {
  readonly table: HpackTable;
  /** By the list that was said next; of a table that the peer resized just now, one connection's alone. */
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
  // one that would take most of the table is not worth it
  const isKept = !UNLIKE.has(name) && fieldBytes(field) <= (table.limitBytes * 3) / 4;
  if (isKept) pushInteger(into, 0x40, 6, index);
  else pushInteger(into, 0x00, 4, index);
  if (index === 0) pushString(into, name);
  pushString(into, value);
  if (isKept) table.add(field);
}

/** Fields that hardly ever come twice: they are not kept, as in other encoders. */
const UNLIKE = new Set([':path', 'content-length']);
/** RFC 9113 §6.5.2: what a table has unless told otherwise; servers use no more. */
const USUAL_TABLE_BYTES = 4096;
/** Where all connections begin. */
let start: EncoderState = {table: new HpackTable(USUAL_TABLE_BYTES), next: new Map()};
/** States since then. */
let made = 0;
/** Some pages' loads; then all is begun anew. */
const MOST_STATES = 1000;
