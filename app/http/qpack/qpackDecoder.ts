import {type Field, fieldBytes} from '../hpack/field.ts';
import {BlockReader, HpackError, pushInteger} from '../hpack/primitives.ts';
import {KnownBytes} from '../knownBytes.ts';
import {DynamicTable} from './dynamicTable.ts';
import {InstructionReader} from './instructionReader.ts';
import type {QpackSettings} from './qpackEncoder.ts';
import {QpackError} from './qpackError.ts';
import {readInstruction, readLine, readSectionStart} from './reading.ts';

/** The result of decoding a field section. */
export type DecodedSection =
  | {readonly state: 'decoded'; readonly fields: readonly Field[]}
  /** The fields exceed the limit (RFC 9114 §4.2.2). */
  | {readonly state: 'too-large'}
  /** The section refers to entries that have not arrived. {@link QpackDecoder.pollUnblocked} says when to try again. */
  | {readonly state: 'blocked'};

/**
 * Decodes the field sections of a connection (QPACK, RFC 9204). After each call, send the result of {@link
 * QpackDecoder.takeInstructions} on the decoder stream.
 */
export class QpackDecoder {
  readonly #settings: QpackSettings;
  readonly #mostFieldsBytes: number;
  readonly #table = new DynamicTable();
  readonly #encoderStream: InstructionReader;
  /** Maps each stream with a blocked section to the section's Required Insert Count. */
  readonly #blocked = new Map<number, number>();
  /** Number of entries whose arrival has been reported to the encoder. */
  #reported = 0;
  #instructions: number[] = [];
  /** Returns the entry with an absolute index. It is passed to the reader of field lines. */
  readonly #entryAt = (index: number): Field => {
    const field = this.#table.at(index);
    if (field === undefined) throw new HpackError(`entry ${index} is not in the dynamic table`);
    return field;
  };

  /** `settings` are those that this end has announced. `mostFieldsBytes` is the limit for the fields of a section. */
  constructor(settings: QpackSettings, mostFieldsBytes: number) {
    this.#settings = settings;
    this.#mostFieldsBytes = mostFieldsBytes;
    this.#encoderStream = new InstructionReader('QPACK_ENCODER_STREAM_ERROR', 2 * mostEncodedBytes(settings));
  }

  /** Handles bytes of the peer's encoder stream (RFC 9204 §4.3). @throws QpackError */
  handleEncoderStream(bytes: Uint8Array): void {
    this.#encoderStream.read(bytes, reader => this.#instruct(reader));
  }

  /** Decodes a section of a stream. Sections of a stream must be decoded in order. @throws QpackError */
  decode(stream: number, section: Uint8Array): DecodedSection {
    const known = staticSections.get(section);
    if (known !== undefined) return this.#limited(known.fields, known.bytes);
    try {
      return this.#decode(stream, section);
    } catch (error) {
      throw error instanceof HpackError ? new QpackError('QPACK_DECOMPRESSION_FAILED', error.message) : error;
    }
  }

  /**
   * Returns a stream whose section is not blocked any more, or undefined if there is none. Each such stream is returned
   * once.
   */
  pollUnblocked(): number | undefined {
    for (const [stream, required] of this.#blocked) {
      if (required > this.#table.inserted) continue;
      this.#blocked.delete(stream);
      return stream;
    }
    return undefined;
  }

  /** Called when the sections of a stream are not decoded any more (RFC 9204 §2.2.2.2). */
  cancel(stream: number): void {
    const wasBlocked = this.#blocked.delete(stream);
    // Until the first entry has arrived, every section that refers to an entry is blocked. A stream without a blocked
    // section then refers to no entry, and the encoder need not be told.
    if (wasBlocked || this.#table.inserted > 0) pushInteger(this.#instructions, 0x40, 6, stream);
  }

  /**
   * Returns the instructions for the encoder since the last call, or undefined if there are none. An Insert Count
   * Increment reports the entries that have arrived and that no acknowledgement of a section has reported (RFC 9204
   * §4.4.3).
   */
  takeInstructions(): Uint8Array | undefined {
    const more = this.#table.inserted - this.#reported;
    if (more > 0) pushInteger(this.#instructions, 0x00, 6, more);
    this.#reported = this.#table.inserted;
    if (this.#instructions.length === 0) return undefined;
    const bytes = Uint8Array.from(this.#instructions);
    this.#instructions = [];
    return bytes;
  }

  #instruct(reader: BlockReader): void {
    const instruction = readInstruction(
      reader,
      age => this.#entryAt(this.#table.inserted - 1 - age),
      mostEncodedBytes(this.#settings),
    );
    if (instruction.kind === 'Set Dynamic Table Capacity') this.#resize(instruction.bytes);
    else this.#insert(instruction.field);
  }

  #insert(field: Field): void {
    const bytes = fieldBytes(field);
    if (bytes > this.#table.capacityBytes)
      throw new HpackError(`an entry of ${bytes} bytes (at most ${this.#table.capacityBytes})`);
    this.#table.insert(field);
  }

  #resize(bytes: number): void {
    if (bytes > this.#settings.tableBytes)
      throw new HpackError(`a table of ${bytes} bytes (at most ${this.#settings.tableBytes})`);
    this.#table.resize(bytes);
  }

  #decode(stream: number, section: Uint8Array): DecodedSection {
    const reader = new BlockReader(section);
    const start = readSectionStart(reader, this.#table.inserted, this.#settings.tableBytes);
    const {required} = start;
    if (required > this.#table.inserted) return this.#block(stream, required);
    const fields: Field[] = [];
    let bytes = 0;
    while (!reader.isDone) {
      const field = readLine(reader, start, this.#entryAt);
      bytes += fieldBytes(field);
      // The fields above the limit are read as well, because the section must be acknowledged.
      if (bytes <= this.#mostFieldsBytes) fields.push(field);
    }
    if (required > 0) {
      pushInteger(this.#instructions, 0x80, 7, stream); // Section Acknowledgment, RFC 9204 §4.4.1
      this.#reported = Math.max(this.#reported, required);
    } else if (bytes <= this.#mostFieldsBytes) staticSections.keep(section, {fields, bytes});
    return this.#limited(fields, bytes);
  }

  #limited(fields: readonly Field[], bytes: number): DecodedSection {
    return bytes > this.#mostFieldsBytes ? TOO_LARGE : {state: 'decoded', fields};
  }

  #block(stream: number, required: number): DecodedSection {
    this.#blocked.set(stream, required);
    if (this.#blocked.size > this.#settings.blockedStreams)
      throw new HpackError(`${this.#blocked.size} streams are blocked (at most ${this.#settings.blockedStreams})`);
    return BLOCKED;
  }
}

/**
 * Returns the largest encoded size, in bytes, of a Huffman-coded string whose decoded text fits into the table. The
 * longest codes have 30 bits (RFC 7541 appendix B).
 */
function mostEncodedBytes({tableBytes}: QpackSettings): number {
  return Math.ceil((tableBytes * 30) / 8);
}

/**
 * Decoded sections that refer to no dynamic table, each with the size of its fields in bytes. Equal sections are
 * decoded to the same list.
 */
const staticSections = new KnownBytes<{readonly fields: readonly Field[]; readonly bytes: number}>();
const TOO_LARGE: DecodedSection = {state: 'too-large'};
const BLOCKED: DecodedSection = {state: 'blocked'};
