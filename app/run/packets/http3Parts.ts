import {FRAME, STREAM} from '../../http/h3/h3Frame.ts';
import {type FieldSection, lineFields} from './fieldLines.ts';
import {type H3Frame, isUnidirectional, readFrames, streamType} from './http3Frames.ts';
import {ByteReader, type Field, hexText, type Part, partOf} from './part.ts';
import type {SentInstruction, SentSections} from './sentSections.ts';
import {isContinued, remainder, type Slice, shareFields, unitsIn} from './streamSlice.ts';

/**
 * Decodes the HTTP/3 frames (RFC 9114 §7) that a packet carries on one QUIC stream. `sections` has the field sections
 * of the sender.
 */
export function decodeHttp3(slice: Slice, streamId: number, sections: SentSections): readonly Part[] {
  const type = isUnidirectional(streamId) ? streamType(slice.stream) : undefined;
  if (isUnidirectional(streamId) && type === undefined) return remainder(slice, 0, 'the beginning of a stream type');
  const start = type?.to ?? 0;
  const header = type === undefined || slice.from > 0 ? [] : [typePart(type.value)];
  // Among the unidirectional streams, only the control stream is decoded into frames. The streams of QPACK (RFC 9204
  // §4.2) carry no frames. The instructions on the encoder stream are decoded, those on the decoder stream are not.
  if (type?.value === STREAM.qpackEncoder) return [...header, ...instructionParts(slice, start, sections.instructions)];
  if (type !== undefined && type.value !== STREAM.control)
    return [...header, ...remainder(slice, start, 'stream data')];
  const frames = readFrames(slice.stream, start);
  const end = frames.at(-1)?.to ?? start;
  return [
    ...header,
    ...unitsIn(frames, slice).map(frame => framePart(frame, slice, sections.of(streamId, frame))),
    ...remainder(slice, end, 'the beginning of a frame'),
  ];
}

function framePart(frame: H3Frame, slice: Slice, section: FieldSection): Part {
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
  return frame.type === FRAME.headers ? withSection(part, section) : part;
}

function withSection(part: Part, section: FieldSection): Part {
  const fields: readonly Field[] = [...part.fields, ...lineFields(section)];
  return {...part, fields, ...(section.fault === undefined ? {} : {fault: section.fault})};
}

function typePart(type: number): Part {
  const text = `${hexText(type, 1)} (${STREAMS.get(type) ?? 'unknown'})`;
  return {name: 'stream header', fields: [{name: 'Stream Type', text}], parts: []};
}

/** Returns a part for each instruction of QPACK's encoder in the slice (RFC 9204 §4.3). */
function instructionParts(slice: Slice, start: number, instructions: readonly SentInstruction[]): readonly Part[] {
  const parts = unitsIn(instructions, slice).map(({instruction, ...unit}): Part => {
    if (isContinued(unit, slice))
      return {name: `continues ${instruction.kind}`, fields: shareFields(unit, slice), parts: []};
    const content =
      instruction.kind === 'Set Dynamic Table Capacity'
        ? [{name: 'Capacity', text: `${instruction.bytes} B`}]
        : lineFields({lines: [instruction.field]});
    return {name: instruction.kind, fields: [...content, ...shareFields(unit, slice)], parts: []};
  });
  return [...parts, ...remainder(slice, instructions.at(-1)?.to ?? start, 'the beginning of an instruction')];
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

const MOST_SHOWN = 100;
