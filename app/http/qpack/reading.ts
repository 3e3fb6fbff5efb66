import type {Field} from '../hpack/field.ts';
import {type BlockReader, HpackError} from '../hpack/primitives.ts';
import {ENTRY_OVERHEAD_BYTES} from './dynamicTable.ts';
import {STATIC_TABLE} from './staticTable.ts';

// The syntax of QPACK (RFC 9204 §4.3, §4.5). The functions throw an HpackError if the bytes are invalid.

/** An instruction on an encoder stream. */
export type Instruction =
  | {readonly kind: 'Set Dynamic Table Capacity'; readonly bytes: number}
  | {
      readonly kind: 'Insert with Name Reference' | 'Insert with Literal Name' | 'Duplicate';
      readonly field: Field;
    };

/**
 * Reads an instruction (RFC 9204 §4.3). `newestAt` returns the entry with a given age. The newest entry has age 0.
 * `mostTextBytes` limits each encoded string.
 */
export function readInstruction(
  reader: BlockReader,
  newestAt: (age: number) => Field,
  mostTextBytes: number,
): Instruction {
  const first = reader.peek();
  if (first >= 0x80) {
    const isStatic = (first & 0x40) !== 0;
    const index = reader.integer(6);
    const [name] = isStatic ? staticAt(index) : newestAt(index);
    return {kind: 'Insert with Name Reference', field: [name, reader.string(7, mostTextBytes)]};
  }
  if (first >= 0x40) {
    const name = reader.string(5, mostTextBytes);
    return {kind: 'Insert with Literal Name', field: [name, reader.string(7, mostTextBytes)]};
  }
  if (first >= 0x20) return {kind: 'Set Dynamic Table Capacity', bytes: reader.integer(5)};
  return {kind: 'Duplicate', field: newestAt(reader.integer(5))};
}

/** Which entries of the dynamic table a field section refers to. */
export interface SectionStart {
  /** The Required Insert Count. The section must not refer to entries from this index on. */
  readonly required: number;
  /** The Base, to which indices in the section are relative. */
  readonly base: number;
}

/**
 * Reads the start of a section (RFC 9204 §4.5.1). `inserted` is the number of entries that were inserted so far, from
 * which the Required Insert Count is computed. `tableBytes` is the decoder's SETTINGS_QPACK_MAX_TABLE_CAPACITY.
 */
export function readSectionStart(reader: BlockReader, inserted: number, tableBytes: number): SectionStart {
  const required = requiredCount(reader.integer(8), inserted, Math.floor(tableBytes / ENTRY_OVERHEAD_BYTES));
  const isNegative = (reader.peek() & 0x80) !== 0;
  const delta = reader.integer(7);
  const base = isNegative ? required - delta - 1 : required + delta;
  if (base < 0) throw new HpackError(`the Base is ${base}`); // RFC 9204 §4.5.1.2
  return {required, base};
}

/** Computes the Required Insert Count from its encoded value (RFC 9204 §4.5.1.1). */
function requiredCount(encoded: number, inserted: number, mostEntries: number): number {
  if (encoded === 0) return 0;
  const range = 2 * mostEntries;
  if (encoded > range) throw new HpackError(`Required Insert Count ${encoded} (at most ${range})`);
  const most = inserted + mostEntries;
  const count = Math.floor(most / range) * range + encoded - 1;
  const required = count > most ? count - range : count;
  if (required <= 0) throw new HpackError(`Required Insert Count ${encoded} means ${required}`);
  return required;
}

/**
 * Reads the next field line of a section (RFC 9204 §4.5.2 to §4.5.6). `at` returns the entry of the dynamic table with an
 * absolute index.
 */
export function readLine(reader: BlockReader, {required, base}: SectionStart, at: (index: number) => Field): Field {
  const first = reader.peek();
  const dynamic = (index: number): Field => {
    if (index >= required) throw new HpackError(`entry ${index}, but the section requires only ${required}`);
    return at(index);
  };
  if (first >= 0xc0) return staticAt(reader.integer(6));
  if (first >= 0x80) return dynamic(base - 1 - reader.integer(6));
  if (first >= 0x40) {
    const isStatic = (first & 0x10) !== 0;
    const index = reader.integer(4);
    const [name] = isStatic ? staticAt(index) : dynamic(base - 1 - index);
    return [name, reader.string()];
  }
  if (first >= 0x20) return [reader.string(3), reader.string()];
  if (first >= 0x10) return dynamic(base + reader.integer(4));
  const [name] = dynamic(base + reader.integer(3));
  return [name, reader.string()];
}

function staticAt(index: number): Field {
  const entry = STATIC_TABLE[index];
  if (entry === undefined) throw new HpackError(`index ${index} is not in the static table`);
  return entry;
}
