import {FLAG, FRAME, PREFACE} from '../../http/h2/h2Frame.ts';
import {HpackDecoder} from '../../http/hpack/hpackDecoder.ts';
import {type FieldSection, lineFields, requestName, type StreamNames, sectionOf, streamText} from './fieldLines.ts';
import {readPayload, typeName} from './http2Payloads.ts';
import {ByteReader, flagsText, hexText, type Part, partOf} from './part.ts';
import {isContinued, remainder, type Slice, shareFields, type Unit, unitsIn} from './streamSlice.ts';

/** Whether a stream belongs to HTTP/2: it begins with the preface, or with SETTINGS (RFC 9113 §3.4). */
export function isHttp2(stream: Uint8Array): boolean {
  return hasPreface(stream) || (stream[0] === 0 && stream[1] === 0 && isSettings(stream));
}

/** Decodes the HTTP/2 frames (RFC 9113 §4) in a packet. `peer` is the other end's stream. */
export function decodeHttp2(slice: Slice, peer: Uint8Array): readonly Part[] {
  const frames = readFrames(slice.stream);
  const names = requestNames(hasPreface(slice.stream) ? slice.stream : peer);
  const sections = fieldSections(slice.stream, frames);
  const parts = unitsIn(frames, slice).map(frame => {
    const own = streamText(frame.stream, names);
    const about = frame.stream === 0 ? '' : own;
    return isContinued(frame, slice)
      ? continued(frame, slice, about)
      : framePart(frame, slice, about, sections.get(frame.from));
  });
  const end = frames.at(-1)?.to ?? startOf(slice.stream);
  return [...prefacePart(slice), ...parts, ...remainder(slice, end, 'the beginning of a frame')];
}

interface H2Frame extends Unit {
  readonly length: number;
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
}

function continued(frame: H2Frame, slice: Slice, about: string): Part {
  const name = `continues ${typeName(frame.type)}${about === '' ? '' : ` of ${about}`}`;
  return {name, fields: shareFields(frame, slice), parts: []};
}

function framePart(frame: H2Frame, slice: Slice, about: string, section: FieldSection | undefined): Part {
  const {from, to, type, flags, length, stream} = frame;
  const name = `${typeName(type)}${about === '' ? '' : `, ${about}`}`;
  const payload = new ByteReader(slice.stream.subarray(from + HEADER_BYTES, to));
  const part = partOf(name, payload, (bytes, {fields}) => {
    const add = (field: string, text: string | number): unknown => fields.push({name: field, text: String(text)});
    add('Length', `${length} B`);
    add('Type', hexText(type, 1));
    add('Flags', flagsText(flags, FLAGS[type] ?? []));
    add('Stream Identifier', stream);
    fields.push(...shareFields(frame, slice));
    readPayload({type, flags, bytes, length}, add);
  });
  if (section === undefined) return part;
  const fault = part.fault ?? section.fault;
  return {...part, fields: [...part.fields, ...lineFields(section)], ...(fault === undefined ? {} : {fault})};
}

/** Reads the frames of a stream (RFC 9113 §4.1). A frame with an incomplete header is left out. */
function readFrames(stream: Uint8Array): readonly H2Frame[] {
  const frames: H2Frame[] = [];
  for (let from = startOf(stream); from + HEADER_BYTES <= stream.length; ) {
    const header = new ByteReader(stream.subarray(from, from + HEADER_BYTES));
    const length = header.number(3, 'Length');
    const [type, flags] = [header.number(1, 'Type'), header.number(1, 'Flags')];
    // The reserved bit is ignored.
    const id = header.number(4, 'Stream Identifier') % 2 ** 31;
    const to = from + HEADER_BYTES + length;
    frames.push({from, to, length, type, flags, stream: id});
    from = to;
  }
  return frames;
}

/**
 * Returns the field sections of a stream by the offsets of their HEADERS frames. The result ends with the first invalid
 * section, or before the first incomplete one. The whole stream is decoded, because a section can refer to HPACK's
 * table, which depends on all earlier sections (RFC 7541 §2.3.2).
 */
function fieldSections(stream: Uint8Array, frames: readonly H2Frame[]): ReadonlyMap<number, FieldSection> {
  const decoder = new HpackDecoder(MOST_TABLE_BYTES, MOST_FIELDS_BYTES);
  const sections = new Map<number, FieldSection>();
  let block: number[] = [];
  let begins: number | undefined;
  for (const {from, to, type, flags, length} of frames) {
    if (type !== FRAME.headers && type !== FRAME.continuation) continue;
    if (type === FRAME.headers) [block, begins] = [[], from];
    // If a block is incomplete, the table is unknown from there on.
    if (begins === undefined || to > stream.length) break;
    const bytes = new ByteReader(stream.subarray(from + HEADER_BYTES, to));
    partOf('block', bytes, () => {
      for (const byte of readPayload({type, flags, bytes, length}, () => undefined)) block.push(byte);
    });
    if ((flags & FLAG.endHeaders) === 0) continue;
    const section = sectionOf(() => decoder.decode(Uint8Array.from(block)).fields);
    sections.set(begins, section);
    if (section.fault !== undefined) break;
    begins = undefined;
  }
  return sections;
}

function requestNames(stream: Uint8Array): StreamNames {
  if (!hasPreface(stream)) return new Map();
  const frames = readFrames(stream);
  const sections = fieldSections(stream, frames);
  const names = new Map<number, string>();
  for (const {from, stream: id} of frames) {
    const section = sections.get(from);
    const name = section === undefined ? undefined : requestName(section);
    if (name !== undefined) names.set(id, name);
  }
  return names;
}

function prefacePart(slice: Slice): readonly Part[] {
  if (!hasPreface(slice.stream) || slice.from >= PREFACE.length) return [];
  const preface = {from: 0, to: PREFACE.length};
  const name = slice.from === 0 ? 'connection preface' : 'continues connection preface';
  return [{name, fields: shareFields(preface, slice), parts: []}];
}

function hasPreface(stream: Uint8Array): boolean {
  return stream.length > 0 && PREFACE.every((byte, i) => i >= stream.length || stream[i] === byte);
}

/** Returns the offset of the first frame of a stream. It follows the preface, if there is one. */
function startOf(stream: Uint8Array): number {
  return hasPreface(stream) ? PREFACE.length : 0;
}

function isSettings(stream: Uint8Array): boolean {
  const [type, ...rest] = stream.subarray(3, HEADER_BYTES);
  return type === FRAME.settings && rest.length === 5 && rest.slice(1).every(byte => byte === 0);
}

/** Flags by frame type (RFC 9113 §6). */
const FLAGS: {readonly [type: number]: readonly (readonly [bit: number, name: string])[]} = {
  [FRAME.data]: [
    [FLAG.padded, 'PADDED'],
    [FLAG.endStream, 'END_STREAM'],
  ],
  [FRAME.headers]: [
    [FLAG.priority, 'PRIORITY'],
    [FLAG.padded, 'PADDED'],
    [FLAG.endHeaders, 'END_HEADERS'],
    [FLAG.endStream, 'END_STREAM'],
  ],
  [FRAME.settings]: [[FLAG.ack, 'ACK']],
  [FRAME.ping]: [[FLAG.ack, 'ACK']],
  [FRAME.pushPromise]: [
    [FLAG.padded, 'PADDED'],
    [FLAG.endHeaders, 'END_HEADERS'],
  ],
  [FRAME.continuation]: [[FLAG.endHeaders, 'END_HEADERS']],
};

const HEADER_BYTES = 9;
/**
 * The limits of this decoder for HPACK's table and for a field section, in bytes. They are larger than the limits of
 * this program's clients and servers, so that the decoder shows every field section that these accept.
 */
const [MOST_TABLE_BYTES, MOST_FIELDS_BYTES] = [2 ** 24, 2 ** 20];
