import {type Field, fieldBytes} from './field.ts';
import {pushInteger, pushString} from './literal.ts';
import {HpackTable} from './table.ts';

/** HPACK (RFC 7541), the sending end of a connection: blocks must be sent in the order in which they are made. */
export class HpackEncoder {
  readonly #table = new HpackTable(USUAL_TABLE_BYTES);
  /** The next block has to tell. */
  #resized: {least: number} | undefined;

  /** How large a table the peer has room for, its SETTINGS_HEADER_TABLE_SIZE; more than 4096 bytes are not used. */
  limit(peerBytes: number): void {
    const bytes = Math.min(peerBytes, USUAL_TABLE_BYTES);
    if (bytes === this.#table.limitBytes) return;
    this.#resized = {least: Math.min(bytes, this.#resized?.least ?? bytes)};
    this.#table.resize(bytes);
  }

  /** A whole field block. */
  encode(fields: readonly Field[]): Uint8Array {
    const into: number[] = [];
    if (this.#resized !== undefined) {
      // the least that it was in between, too (RFC 7541 §4.2)
      const {least} = this.#resized;
      if (least < this.#table.limitBytes) pushInteger(into, 0x20, 5, least);
      pushInteger(into, 0x20, 5, this.#table.limitBytes);
      this.#resized = undefined;
    }
    for (const field of fields) this.#push(into, field);
    return new Uint8Array(into);
  }

  #push(into: number[], field: Field): void {
    const [name, value] = field;
    const {index, isWhole} = this.#table.find(field);
    if (isWhole) {
      pushInteger(into, 0x80, 7, index);
      return;
    }
    // one that would take most of the table is not worth it
    const isKept = !UNLIKE.has(name) && fieldBytes(field) <= (this.#table.limitBytes * 3) / 4;
    if (isKept) pushInteger(into, 0x40, 6, index);
    else pushInteger(into, 0x00, 4, index);
    if (index === 0) pushString(into, name);
    pushString(into, value);
    if (isKept) this.#table.add(field);
  }
}

/** Fields that hardly ever come twice: they are not kept, as in other encoders. */
const UNLIKE = new Set([':path', 'content-length']);
/** RFC 9113 §6.5.2: what a table has unless told otherwise; servers use no more. */
const USUAL_TABLE_BYTES = 4096;
