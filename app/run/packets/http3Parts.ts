import {FRAME, readSettings as readSettingsFrame, STREAM} from '../../http/h3/h3Frame.ts';
import {decodeFields} from '../../http/h3/qpack.ts';
import {type FieldSection, lineFields, requestName, sectionOf} from './fieldLines.ts';
import {ByteReader, type Field, hexText, type Part, partOf} from './part.ts';
import {isContinued, remainder, type Slice, shareFields, type Unit, unitsIn} from './streamSlice.ts';

/** Decodes the HTTP/3 frames (RFC 9114 §7) that a packet carries on one QUIC stream. */
export function decodeHttp3(slice: Slice, streamId: number): readonly Part[] {
  const type = isUnidirectional(streamId) ? streamType(slice.stream) : undefined;
  if (isUnidirectional(streamId) && type === undefined) return remainder(slice, 0, 'the beginning of a stream type');
  const start = type?.to ?? 0;
  const header = type === undefined || slice.from > 0 ? [] : [typePart(type.value)];
  // The streams of QPACK (RFC 9204 §4.2) carry no frames.
  if (type !== undefined && type.value !== STREAM.control)
    return [...header, ...remainder(slice, start, 'stream data')];
  const frames = readFrames(slice.stream, start);
  const end = frames.at(-1)?.to ?? start;
  return [
    ...header,
    ...unitsIn(frames, slice).map(frame => framePart(frame, slice)),
    ...remainder(slice, end, 'the beginning of a frame'),
  ];
}

/**
 * Returns the name of the object that is requested on a stream. Undefined if the stream does not begin with a request.
 */
export function http3RequestName(stream: Uint8Array): string | undefined {
  const [first] = readFrames(stream, 0);
  if (first?.type !== FRAME.headers) return undefined;
  return requestName(sectionOfFrame(stream, first));
}

/** Whether a QUIC stream is unidirectional (RFC 9000 §2.1). */
export function isUnidirectional(streamId: number): boolean {
  return streamId % 4 >= 2;
}

export interface H3Frame extends Unit {
  readonly type: number;
  readonly payload: number;
}

/** Reads the frames of a stream (RFC 9114 §7.1). A frame with an incomplete type or length is left out. */
export function readFrames(stream: Uint8Array, start: number): readonly H3Frame[] {
  const frames: H3Frame[] = [];
  const bytes = new ByteReader(stream.subarray(start));
  partOf('frames', bytes, () => {
    while (bytes.left > 0) {
      const from = stream.length - bytes.left;
      const [type, length] = [bytes.varint('Type'), bytes.varint('Length')];
      const payload = stream.length - bytes.left;
      frames.push({type, from, payload, to: payload + length});
      bytes.take(length, 'payload');
    }
  });
  return frames;
}

function framePart(frame: H3Frame, slice: Slice): Part {
  const name = TYPES.get(frame.type)?.name ?? `frame type ${hexText(frame.type, 1)}`;
  if (isContinued(frame, slice)) return {name: `continues ${name}`, fields: shareFields(frame, slice), parts: []};
  const bytes = new ByteReader(slice.stream.subarray(frame.payload, frame.to));
  const part = partOf(name, bytes, (payload, {fields}) => {
    const add = (field: string, text: string | number): unknown => fields.push({name: field, text: String(text)});
    add('Type', hexText(frame.type, 1));
    add('Length', `${frame.to - frame.payload} B`);
    fields.push(...shareFields(frame, slice));
    TYPES.get(frame.type)?.read(payload, add);
  });
  return frame.type === FRAME.headers ? withSection(part, sectionOfFrame(slice.stream, frame)) : part;
}

function withSection(part: Part, section: FieldSection): Part {
  const fields: readonly Field[] = [...part.fields, ...lineFields(section)];
  return {...part, fields, ...(section.fault === undefined ? {} : {fault: section.fault})};
}

/** The kind of a frame. Undefined if its type is unknown. */
export type H3FrameKind = keyof typeof FRAME | undefined;

export function frameKind({type}: H3Frame): H3FrameKind {
  return (Object.keys(FRAME) as (keyof typeof FRAME)[]).find(kind => FRAME[kind] === type);
}

/** Returns the purpose of a unidirectional stream of this type. Undefined if the type is unknown. */
export function streamKind(type: number): keyof typeof STREAM | undefined {
  return (Object.keys(STREAM) as (keyof typeof STREAM)[]).find(kind => STREAM[kind] === type);
}

/** Returns the field lines of a HEADERS frame. Empty if they cannot be read. */
export function frameFieldLines(stream: Uint8Array, frame: H3Frame): FieldSection['lines'] {
  return sectionOfFrame(stream, frame).lines;
}

/** Returns the settings of a SETTINGS frame by identifier. Empty if the frame is truncated. */
export function frameSettings(payload: Uint8Array): ReadonlyMap<number, number> {
  return readSettingsFrame(payload) ?? new Map();
}

function sectionOfFrame(stream: Uint8Array, {payload, to}: H3Frame): FieldSection {
  return sectionOf(() => decodeFields(stream.subarray(payload, to), MOST_FIELDS_BYTES) ?? []);
}

export function streamType(stream: Uint8Array): {readonly value: number; readonly to: number} | undefined {
  let type: {readonly value: number; readonly to: number} | undefined;
  partOf('stream type', new ByteReader(stream), bytes => {
    const value = bytes.varint('Stream Type');
    type = {value, to: stream.length - bytes.left};
  });
  return type;
}

function typePart(type: number): Part {
  const text = `${hexText(type, 1)} (${STREAMS.get(type) ?? 'unknown'})`;
  return {name: 'stream header', fields: [{name: 'Stream Type', text}], parts: []};
}

type Read = (payload: ByteReader, add: (name: string, text: string | number) => unknown) => void;

const readSettings: Read = (payload, add) => {
  while (payload.left > 0) {
    const identifier = payload.varint('Identifier');
    const name = SETTINGS.get(identifier) ?? `Identifier ${hexText(identifier, 2)}`;
    add(name, payload.varint('Value'));
  }
};

const readId =
  (name: string): Read =>
  (payload, add) =>
    add(name, payload.varint(name));

/** Decodes a PRIORITY_UPDATE frame (RFC 9218 §7.2). */
const readPriority: Read = (payload, add) => {
  add('Prioritized Element ID', payload.varint('Prioritized Element ID'));
  add('Priority Field Value', String.fromCharCode(...payload.take(Math.min(payload.left, MOST_SHOWN), 'value')));
};

const readPush: Read = (payload, add) => {
  add('Push ID', payload.varint('Push ID'));
  add('Encoded Field Section', `${payload.left} B`);
};

const TYPES: ReadonlyMap<number, {readonly name: string; readonly read: Read}> = new Map<
  number,
  {readonly name: string; readonly read: Read}
>([
  [FRAME.data, {name: 'DATA', read: () => undefined}],
  [FRAME.headers, {name: 'HEADERS', read: () => undefined}],
  [FRAME.cancelPush, {name: 'CANCEL_PUSH', read: readId('Push ID')}],
  [FRAME.settings, {name: 'SETTINGS', read: readSettings}],
  [FRAME.pushPromise, {name: 'PUSH_PROMISE', read: readPush}],
  [FRAME.goaway, {name: 'GOAWAY', read: readId('Stream ID/Push ID')}],
  [FRAME.maxPushId, {name: 'MAX_PUSH_ID', read: readId('Push ID')}],
  [FRAME.priorityUpdate, {name: 'PRIORITY_UPDATE', read: readPriority}],
]);

/** The names of settings by their identifiers (RFC 9114 §7.2.4.1, RFC 9204 §5). */
const SETTINGS: ReadonlyMap<number, string> = new Map([
  [0x1, 'SETTINGS_QPACK_MAX_TABLE_CAPACITY'],
  [0x6, 'SETTINGS_MAX_FIELD_SECTION_SIZE'],
  [0x7, 'SETTINGS_QPACK_BLOCKED_STREAMS'],
]);

const STREAMS: ReadonlyMap<number, string> = new Map([
  [STREAM.control, 'control'],
  [STREAM.push, 'push'],
  [STREAM.qpackEncoder, 'QPACK encoder'],
  [STREAM.qpackDecoder, 'QPACK decoder'],
]);

const MOST_FIELDS_BYTES = 2 ** 20;
const MOST_SHOWN = 100;
