import {FRAME, readSettings, STREAM} from '../../http/h3/h3Frame.ts';
import type {Field} from '../../http/hpack/field.ts';
import {BlockReader, EndsEarlyError, HpackError} from '../../http/hpack/primitives.ts';
import {type Instruction, readInstruction, readLine, readSectionStart} from '../../http/qpack/reading.ts';
import {type FieldSection, sectionOf} from './fieldLines.ts';
import {type H3Frame, isUnidirectional, readFrames, streamType} from './http3Frames.ts';
import type {Unit} from './streamSlice.ts';

/** The bytes that one end has sent on each of its streams, by stream id. */
export type WholeStreams = ReadonlyMap<number, Uint8Array>;

/** An instruction of QPACK's encoder, with the offsets of its bytes in the encoder stream. */
export interface SentInstruction extends Unit {
  readonly instruction: Instruction;
}

/** A field section, and the offset in the encoder stream up to which it needs the instructions. */
export interface SentSection extends FieldSection {
  readonly needsEncoderBytes: number;
}

/**
 * The field sections of all messages that an end has sent over HTTP/3. A section can refer to any entry that the end
 * has ever inserted into QPACK's dynamic table (RFC 9204), so no entry is forgotten.
 */
export class SentSections {
  readonly #entries: Field[] = [];
  /** For each entry: the offset in the encoder stream at which its instruction ends. */
  readonly #insertEnds: number[] = [];
  readonly #tableBytes: number;
  /** The sections by stream, and by the offset of the frame. */
  readonly #sections = new Map<number, ReadonlyMap<number, SentSection>>();
  /** The instructions on the encoder stream, up to the first one that is incomplete or invalid. */
  readonly instructions: readonly SentInstruction[];

  /** `own` are the streams of the end, and `peer` those of the other end, which has announced the size of the table. */
  constructor(own: WholeStreams, peer: WholeStreams) {
    this.#tableBytes = announcedTableBytes(peer);
    this.instructions = this.#readInstructions(own.get(oneWayStream(own, STREAM.qpackEncoder) ?? -1) ?? NOTHING);
    let near = 0;
    for (const [id, stream] of [...own].sort(([a], [b]) => a - b)) {
      if (isUnidirectional(id)) continue;
      const sections = new Map<number, SentSection>();
      for (const frame of readFrames(stream, 0)) {
        if (frame.type !== FRAME.headers) continue;
        let needsEncoderBytes = 0;
        const section = sectionOf(() => {
          const {lines, required} = this.#readSection(stream.subarray(frame.payload, frame.to), near);
          near = Math.max(near, required);
          needsEncoderBytes = this.#insertEnds[required - 1] ?? 0;
          return lines;
        });
        sections.set(frame.from, {...section, needsEncoderBytes});
      }
      this.#sections.set(id, sections);
    }
  }

  /** Returns the field section of a HEADERS frame. Any other frame has an empty one. */
  of(stream: number, {from}: H3Frame): SentSection {
    return this.#sections.get(stream)?.get(from) ?? {lines: [], needsEncoderBytes: 0};
  }

  #readInstructions(stream: Uint8Array): readonly SentInstruction[] {
    const found: SentInstruction[] = [];
    const start = streamType(stream)?.to ?? 0;
    const reader = new BlockReader(stream.subarray(start));
    try {
      while (!reader.isDone) {
        const from = start + reader.at;
        const newestAt = (age: number) => this.#entryAt(this.#entries.length - 1 - age);
        const instruction = readInstruction(reader, newestAt, Number.POSITIVE_INFINITY);
        const to = start + reader.at;
        if (instruction.kind !== 'Set Dynamic Table Capacity') {
          this.#entries.push(instruction.field);
          this.#insertEnds.push(to);
        }
        found.push({from, to, instruction});
      }
    } catch (error) {
      if (!(error instanceof EndsEarlyError || error instanceof HpackError)) throw error;
    }
    return found;
  }

  /**
   * Reads a section. Its Required Insert Count is sent modulo twice the largest number of entries that the table can
   * have. `near` is the largest count so far, which is close to the count of this section.
   */
  #readSection(section: Uint8Array, near: number) {
    const reader = new BlockReader(section);
    const start = readSectionStart(reader, near, this.#tableBytes);
    const lines: Field[] = [];
    while (!reader.isDone) lines.push(readLine(reader, start, index => this.#entryAt(index)));
    return {lines, required: start.required};
  }

  #entryAt(index: number): Field {
    const entry = this.#entries[index];
    if (entry === undefined) throw new HpackError(`entry ${index} was not inserted`);
    return entry;
  }
}

/** Returns the SETTINGS_QPACK_MAX_TABLE_CAPACITY that an end has announced, or 0 if it has announced none. */
function announcedTableBytes(streams: WholeStreams): number {
  const control = streams.get(oneWayStream(streams, STREAM.control) ?? -1) ?? NOTHING;
  const [first] = readFrames(control, streamType(control)?.to ?? 0);
  if (first?.type !== FRAME.settings) return 0;
  return readSettings(control.subarray(first.payload, first.to))?.get(MAX_TABLE_CAPACITY) ?? 0;
}

/** Returns the id of the unidirectional stream of this type, or undefined if there is no such stream. */
function oneWayStream(streams: WholeStreams, type: number): number | undefined {
  for (const [id, stream] of streams) {
    if (isUnidirectional(id) && streamType(stream)?.value === type) return id;
  }
  return undefined;
}

const NOTHING = new Uint8Array(0);
const MAX_TABLE_CAPACITY = 0x1;
