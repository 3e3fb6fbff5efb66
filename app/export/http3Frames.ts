import {FRAME, readSettings, STREAM} from '../http/h3/frames.ts';
import {decodeFields} from '../http/h3/qpack.ts';
import {sectionOf} from '../packets/fieldLines.ts';
import {type H3Frame, isUnidirectional, readFrames, streamType} from '../packets/http3.ts';
import {ByteReader, partOf} from '../packets/part.ts';
import type {Json} from '../scenario/document.ts';

/** What an end sent on a stream, by draft-ietf-quic-qlog-h3-events-13. */
export interface LoggedStream {
  /** Undefined of one that carries a request, or too little. */
  readonly type: string | undefined;
  readonly frames: readonly LoggedFrame[];
}

export interface LoggedFrame {
  /** In its stream. */
  readonly from: number;
  /** Where its receiver has it: behind the head of DATA, which is read as it comes, or behind all of it. */
  readonly readAt: number;
  readonly bytes: number;
  readonly payloadBytes: number;
  readonly frame: {readonly [field: string]: Json};
}

/** `whole` is all that was sent on it. */
export function loggedStream(id: number, whole: Uint8Array): LoggedStream {
  const own = isUnidirectional(id) ? streamType(whole) : undefined;
  if (isUnidirectional(id) && own?.value !== STREAM.control)
    return {type: own === undefined ? undefined : (STREAM_TYPES.get(own.value) ?? 'unknown'), frames: []};
  const frames = readFrames(whole, own?.to ?? 0).map((frame): LoggedFrame => {
    const {type, from, payload, to} = frame;
    return {
      ...{from, readAt: type === FRAME.data ? payload : to, bytes: to - from, payloadBytes: to - payload},
      frame: contentOf(frame, whole),
    };
  });
  return {type: own === undefined ? undefined : 'control', frames};
}

function contentOf({type, payload, to}: H3Frame, whole: Uint8Array): {readonly [field: string]: Json} {
  const content = whole.subarray(payload, to);
  switch (type) {
    case FRAME.data:
      return {frame_type: 'data'};
    case FRAME.headers:
      return {frame_type: 'headers', headers: headersOf(content)};
    case FRAME.settings:
      return {frame_type: 'settings', settings: settingsOf(content)};
    case FRAME.goaway:
      return {frame_type: 'goaway', id: numbersOf(content)[0] ?? 0};
    case FRAME.maxPushId:
      return {frame_type: 'max_push_id', push_id: numbersOf(content)[0] ?? 0};
    case FRAME.cancelPush:
      return {frame_type: 'cancel_push', push_id: numbersOf(content)[0] ?? 0};
    default:
      return {frame_type: 'unknown', frame_type_bytes: type};
  }
}

/** None of a section that was not sent whole. */
function headersOf(section: Uint8Array): Json {
  const {lines} = sectionOf(() => decodeFields(section, MOST_FIELDS_BYTES) ?? []);
  return lines.map(([name, value]) => ({name, value}));
}

function settingsOf(payload: Uint8Array): Json {
  return [...(readSettings(payload) ?? [])].map(([identifier, value]) => {
    const name = SETTINGS.get(identifier);
    return name === undefined ? {name: 'unknown', name_bytes: identifier, value} : {name, value};
  });
}

function numbersOf(payload: Uint8Array): readonly number[] {
  const numbers: number[] = [];
  partOf('numbers', new ByteReader(payload), bytes => {
    while (bytes.left > 0) numbers.push(bytes.varint('number'));
  });
  return numbers;
}

const STREAM_TYPES: ReadonlyMap<number, string> = new Map([
  [STREAM.push, 'push'],
  [STREAM.qpackEncoder, 'qpack_encode'],
  [STREAM.qpackDecoder, 'qpack_decode'],
]);
/** RFC 9114 §7.2.4.1, RFC 9204 §5. */
const SETTINGS: ReadonlyMap<number, string> = new Map([
  [0x1, 'settings_qpack_max_table_capacity'],
  [0x6, 'settings_max_field_section_size'],
  [0x7, 'settings_qpack_blocked_streams'],
]);
const MOST_FIELDS_BYTES = 2 ** 20;
