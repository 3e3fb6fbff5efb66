import {type Field, fieldBytes} from '../hpack/field.ts';
import {isRarelyRepeated} from '../hpack/hpackEncoder.ts';
import {pushInteger, pushString} from '../hpack/primitives.ts';
import {DynamicTable, ENTRY_OVERHEAD_BYTES} from './dynamicTable.ts';
import {InstructionReader} from './instructionReader.ts';
import {QpackError} from './qpackError.ts';
import {STATIC_INDEX} from './staticTable.ts';

/**
 * Encodes the field sections of one end of a connection (QPACK, RFC 9204). A field that is likely to repeat is inserted
 * into the dynamic table, and the section refers to the new entry. The decoder can read the section when the insertion
 * has arrived. Until then the stream is blocked, and the peer limits how many streams may be blocked at the same time
 * (§2.1.2). If a section must not block, it refers only to entries that the decoder has acknowledged.
 *
 * After each call, send the result of {@link QpackEncoder.takeInstructions} on the encoder stream, before the section.
 */
export class QpackEncoder {
  readonly #mostTableBytes: number;
  readonly #table = new DynamicTable();
  /** Maps each name to the entries of the table with this name. */
  readonly #names = new Map<string, Named>();
  /** MaxEntries, by which the Required Insert Count is encoded (RFC 9204 §4.5.1.1). */
  #mostEntries = 0;
  #mostBlocked = 0;
  /** The Known Received Count: the decoder has acknowledged the entries below this index (RFC 9204 §2.1.4). */
  #known = 0;
  /** Maps each stream to its sections that refer to the table and are not acknowledged, in order of sending. */
  readonly #unacknowledged = new Map<number, References[]>();
  readonly #decoderStream = new InstructionReader('QPACK_DECODER_STREAM_ERROR', 0);
  #instructions: number[] = [];

  /** The table never becomes larger than `mostTableBytes`, whatever the peer allows. */
  constructor(mostTableBytes: number) {
    this.#mostTableBytes = mostTableBytes;
  }

  /**
   * Handles the settings of the peer, or those that are remembered from an earlier connection (RFC 9204 §5, §3.2.3). If
   * both ends allow a table, it is used from now on.
   */
  handleSettings({tableBytes, blockedStreams}: QpackSettings): void {
    const capacityBytes = Math.min(tableBytes, this.#mostTableBytes);
    this.#mostEntries = Math.floor(tableBytes / ENTRY_OVERHEAD_BYTES);
    this.#mostBlocked = blockedStreams;
    if (capacityBytes <= this.#table.capacityBytes) return;
    this.#table.resize(capacityBytes);
    pushInteger(this.#instructions, 0x20, 5, capacityBytes); // Set Dynamic Table Capacity, RFC 9204 §4.3.1
  }

  /** Encodes a field section of a stream (RFC 9204 §4.5). */
  encode(stream: number, fields: readonly Field[]): Uint8Array {
    if (this.#table.capacityBytes === 0) return encodeStatic(fields);
    const references = {required: 0, first: Number.POSITIVE_INFINITY};
    const mayBlock = this.#mayBlock(stream);
    const lines = fields.map(field => this.#lineOf(field, mayBlock, references));
    if (references.required > 0) {
      const sections = this.#unacknowledged.get(stream);
      if (sections === undefined) this.#unacknowledged.set(stream, [references]);
      else sections.push(references);
    }
    return encodeLines(lines, references.required, this.#mostEntries);
  }

  /** Returns the instructions for the decoder since the last call, or undefined if there are none. */
  takeInstructions(): Uint8Array | undefined {
    if (this.#instructions.length === 0) return undefined;
    const bytes = Uint8Array.from(this.#instructions);
    this.#instructions = [];
    return bytes;
  }

  /** Handles bytes of the peer's decoder stream (RFC 9204 §4.4). @throws QpackError */
  handleDecoderStream(bytes: Uint8Array): void {
    this.#decoderStream.read(bytes, reader => {
      const first = reader.peek();
      if (first >= 0x80) this.#acknowledge(reader.integer(7));
      else if (first >= 0x40)
        this.#unacknowledged.delete(reader.integer(6)); // Stream Cancellation, §4.4.2
      else this.#increaseKnown(reader.integer(6));
    });
  }

  /** Handles a Section Acknowledgment (RFC 9204 §4.4.1). */
  #acknowledge(stream: number): void {
    const sections = this.#unacknowledged.get(stream);
    const section = sections?.shift();
    if (sections === undefined || section === undefined)
      throw new QpackError(
        'QPACK_DECODER_STREAM_ERROR',
        `acknowledgement of stream ${stream}, which has no unacknowledged section`,
      );
    if (sections.length === 0) this.#unacknowledged.delete(stream);
    this.#known = Math.max(this.#known, section.required);
  }

  /** Handles an Insert Count Increment (RFC 9204 §4.4.3). */
  #increaseKnown(by: number): void {
    const [known, inserted] = [this.#known + by, this.#table.inserted];
    if (by === 0 || known > inserted)
      throw new QpackError(
        'QPACK_DECODER_STREAM_ERROR',
        `increment by ${by} to ${known} entries, but ${inserted} were inserted`,
      );
    this.#known = known;
  }

  /** Whether a section of the stream may refer to entries that are not acknowledged (RFC 9204 §2.1.2). */
  #mayBlock(stream: number): boolean {
    let blocked = 0;
    for (const [id, sections] of this.#unacknowledged) {
      if (!sections.some(({required}) => required > this.#known)) continue;
      if (id === stream) return true;
      blocked += 1;
    }
    return blocked < this.#mostBlocked;
  }

  /**
   * Returns how a field is encoded. Inserts the field into the table if that is worth it. If the encoded field refers
   * to an entry, the entry is added to `references`.
   */
  #lineOf(field: Field, mayBlock: boolean, references: References): Line {
    const [name, value] = field;
    const values = STATIC_INDEX.get(name);
    const whole = values?.get(value);
    if (whole !== undefined) return {kind: 'static', index: whole, field};
    const index = this.#indexOf(field, mayBlock, references);
    if (index !== undefined) return {kind: 'dynamic', index: noted(index, references), field};
    const named = values?.values().next().value;
    if (named !== undefined) return {kind: 'static-name', index: named, field};
    const newest = this.#names.get(name)?.newest;
    if (newest === undefined || !this.#mayRefer(newest, mayBlock)) return {kind: 'literal', index: 0, field};
    return {kind: 'dynamic-name', index: noted(newest, references), field};
  }

  /**
   * Returns the index of an entry to which a section can refer for this field, or undefined if there is none. The entry
   * may be a new one.
   */
  #indexOf(field: Field, mayBlock: boolean, references: References): number | undefined {
    const index = this.#names.get(field[0])?.values.get(field[1]);
    if (index === undefined) return mayBlock && this.#canInsert(field, references) ? this.#insert(field) : undefined;
    if (!this.#isDraining(index)) return this.#mayRefer(index, mayBlock) ? index : undefined;
    // An entry that will soon be evicted is inserted again. New references are to the copy, so they do not delay the
    // eviction of the old entry (RFC 9204 §2.1.1.1).
    if (!mayBlock || !this.#canInsert(field, references)) return undefined;
    pushInteger(this.#instructions, 0x00, 5, this.#table.inserted - 1 - index); // Duplicate, §4.3.4
    return this.#add(field);
  }

  #mayRefer(index: number, mayBlock: boolean): boolean {
    return (mayBlock || index < this.#known) && !this.#isDraining(index);
  }

  /** Whether the entry would be evicted if a quarter of the table had to be free. */
  #isDraining(index: number): boolean {
    return index < this.#table.evictedForRoom(this.#table.capacityBytes / DRAINING_SHARE);
  }

  /**
   * Whether a field is worth an entry, and no entry that must stay has to be evicted for it. An entry must stay until
   * it is acknowledged and no unacknowledged section refers to it (RFC 9204 §2.1.1).
   */
  #canInsert(field: Field, {first}: References): boolean {
    if (isRarelyRepeated(field[0], fieldBytes(field), this.#table.capacityBytes)) return false;
    const evicted = this.#table.evictedForRoom(fieldBytes(field));
    if (evicted === this.#table.evicted) return true;
    if (evicted > Math.min(this.#known, first)) return false;
    for (const sections of this.#unacknowledged.values()) {
      if (sections.some(section => section.first < evicted)) return false;
    }
    return true;
  }

  #insert(field: Field): number {
    const [name, value] = field;
    const into = this.#instructions;
    const named = STATIC_INDEX.get(name)?.values().next().value;
    const newest = this.#names.get(name)?.newest;
    if (named !== undefined) pushInteger(into, 0xc0, 6, named);
    else if (newest !== undefined) pushInteger(into, 0x80, 6, this.#table.inserted - 1 - newest);
    else pushString(into, name, 0x40, 5);
    pushString(into, value);
    return this.#add(field);
  }

  #add(field: Field): number {
    const index = this.#table.inserted;
    const oldest = this.#table.evicted;
    for (const [i, gone] of this.#table.insert(field).entries()) this.#forget(gone, oldest + i);
    const named = this.#names.get(field[0]);
    if (named === undefined) this.#names.set(field[0], {newest: index, values: new Map([[field[1], index]])});
    else {
      named.newest = index;
      named.values.set(field[1], index);
    }
    return index;
  }

  #forget([name, value]: Field, index: number): void {
    const named = this.#names.get(name);
    if (named === undefined) return;
    // A duplicate of the entry has a larger index.
    if (named.values.get(value) === index) named.values.delete(value);
    if (named.newest === index) this.#names.delete(name);
  }
}

/** The settings with which a decoder limits the encoder of its peer (RFC 9204 §5). */
export interface QpackSettings {
  /** SETTINGS_QPACK_MAX_TABLE_CAPACITY. */
  readonly tableBytes: number;
  /** SETTINGS_QPACK_BLOCKED_STREAMS. */
  readonly blockedStreams: number;
}

/** The entries of one name. */
interface Named {
  newest: number;
  /** The newest index of each value. */
  readonly values: Map<string, number>;
}

/** What a section refers to. */
interface References {
  /** The Required Insert Count (RFC 9204 §2.1.2). It is 0 if the section refers to no entry. */
  required: number;
  /** The index of the oldest entry that the section refers to. It is infinite if the section refers to no entry. */
  first: number;
}

interface Line {
  readonly kind: 'static' | 'dynamic' | 'static-name' | 'dynamic-name' | 'literal';
  readonly index: number;
  readonly field: Field;
}

function noted(index: number, references: References): number {
  references.required = Math.max(references.required, index + 1);
  references.first = Math.min(references.first, index);
  return index;
}

/** Encodes a section without a dynamic table. Each list of fields is encoded only once. */
function encodeStatic(fields: readonly Field[]): Uint8Array {
  let bytes = staticSections.get(fields);
  if (bytes === undefined) {
    bytes = encodeLines(fields.map(staticLine), 0, 0);
    staticSections.set(fields, bytes);
  }
  return bytes;
}

const staticSections = new WeakMap<readonly Field[], Uint8Array>();

function staticLine(field: Field): Line {
  const values = STATIC_INDEX.get(field[0]);
  const whole = values?.get(field[1]);
  if (whole !== undefined) return {kind: 'static', index: whole, field};
  const named = values?.values().next().value;
  return named === undefined ? {kind: 'literal', index: 0, field} : {kind: 'static-name', index: named, field};
}

/**
 * Encodes the lines of a section. Its Base is the Required Insert Count, so no index is post-base (RFC 9204 §4.5.1).
 */
function encodeLines(lines: readonly Line[], required: number, mostEntries: number): Uint8Array {
  const into: number[] = [];
  pushInteger(into, 0, 8, required === 0 ? 0 : (required % (2 * mostEntries)) + 1);
  into.push(0);
  for (const {kind, index, field} of lines) {
    if (kind === 'static') pushInteger(into, 0xc0, 6, index);
    else if (kind === 'dynamic') pushInteger(into, 0x80, 6, required - 1 - index);
    else {
      if (kind === 'static-name') pushInteger(into, 0x50, 4, index);
      else if (kind === 'dynamic-name') pushInteger(into, 0x40, 4, required - 1 - index);
      else pushString(into, field[0], 0x20, 3);
      pushString(into, field[1]);
    }
  }
  return new Uint8Array(into);
}

/**
 * As in Chromium's encoder, sections do not refer to entries that would be evicted if 1 / DRAINING_SHARE of the table
 * had to be free.
 */
const DRAINING_SHARE = 4;
