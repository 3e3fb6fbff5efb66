import {type Field, fieldBytes} from '../hpack/field.ts';
import {KnownBytes} from '../hpack/knownBytes.ts';
import {BlockReader, HpackError, pushInteger, pushString} from '../hpack/primitives.ts';
import {STATIC_TABLE} from './qpackTable.ts';

// QPACK (RFC 9204) without a dynamic table. Each field section can be decoded without the others, so no stream waits
// for another. An endpoint that does not send QPACK_MAX_TABLE_CAPACITY has no dynamic table (§5) and needs no encoder
// or decoder streams (§4.2).

/** Encodes a field section (RFC 9204 §4.5). */
export function encodeFields(fields: readonly Field[]): Uint8Array {
  // Required Insert Count and Base are 0.
  const into: number[] = [0, 0];
  for (const [name, value] of fields) {
    const names = STATIC.get(name);
    const whole = names?.get(value);
    const index = whole ?? names?.values().next().value;
    if (whole !== undefined) pushInteger(into, 0xc0, 6, whole);
    else if (index !== undefined) {
      pushInteger(into, 0x50, 4, index);
      pushString(into, value);
    } else {
      pushString(into, name, 0x20, 3);
      pushString(into, value);
    }
  }
  return new Uint8Array(into);
}

/**
 * Decodes a field section. Equal sections are decoded to the same list. Returns undefined if the fields exceed
 * `mostBytes` (RFC 9114 §4.2.2).
 * @throws HpackError if the section breaks QPACK's rules
 */
export function decodeFields(section: Uint8Array, mostBytes: number): readonly Field[] | undefined {
  const known = sections.get(section);
  if (known !== undefined && known.bytes <= mostBytes) return known.fields;
  const reader = new BlockReader(section);
  if (reader.integer(8) !== 0) throw new HpackError('a section that requires entries of a dynamic table');
  // The Base is read and ignored, because the indices of the static table do not depend on it.
  reader.integer(7);
  const fields: Field[] = [];
  let bytes = 0;
  while (!reader.isDone) {
    const field = nextField(reader);
    bytes += fieldBytes(field);
    if (bytes > mostBytes) return undefined;
    fields.push(field);
  }
  sections.keep(section, {fields, bytes});
  return fields;
}

/** Decoded sections, each with the size of its fields in bytes. */
const sections = new KnownBytes<{readonly fields: readonly Field[]; readonly bytes: number}>();

function nextField(reader: BlockReader): Field {
  const first = reader.peek();
  if (first >= 0xc0) return entryAt(reader.integer(6));
  if (first >= 0x40 && (first & 0x10) !== 0 && first < 0x80) {
    const [name] = entryAt(reader.integer(4));
    return [name, reader.string()];
  }
  if (first >= 0x20 && first < 0x40) return [reader.string(3), reader.string()];
  throw new HpackError('an entry of a dynamic table');
}

function entryAt(index: number): Field {
  const entry = STATIC_TABLE[index];
  if (entry === undefined) throw new HpackError(`index ${index} is not in the static table`);
  return entry;
}

/** Indices by name and value. If only the name is in the table, the first index of the name is used. */
const STATIC = new Map<string, Map<string, number>>();
for (const [index, [name, value]] of STATIC_TABLE.entries()) {
  const values = STATIC.get(name) ?? new Map<string, number>();
  STATIC.set(name, values.set(value, index));
}
