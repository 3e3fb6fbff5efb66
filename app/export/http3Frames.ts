import type {Json} from '../base/json.ts';
import {readSettings} from '../http/h3/h3Frame.ts';
import {
  frameKind,
  type H3Frame,
  isUnidirectional,
  readFrames,
  streamKind,
  streamType,
} from '../run/packets/http3Frames.ts';
import {ByteReader, partOf} from '../run/packets/part.ts';
import type {SentSections} from '../run/packets/sentSections.ts';

/** The frames that an end sent on a stream, with the names of draft-ietf-quic-qlog-h3-events-13. */
export interface LoggedStream {
  /** The stream's type. It is undefined for request streams, and for streams with too few bytes to read the type. */
  readonly type: string | undefined;
  /** The frames of a request stream or control stream. Empty for all other streams. */
  readonly frames: readonly LoggedFrame[];
}

export interface LoggedFrame {
  /** The offset in the stream at which the frame begins. */
  readonly from: number;
  /**
   * The offset in the stream up to which bytes must arrive before the receiver can read the frame. For DATA this is the
   * end of the frame's head, and for other frames the end of the frame.
   */
  readonly readAt: number;
  /** The offset in QPACK's encoder stream up to which bytes must arrive as well. It is 0 if the frame needs none. */
  readonly needsEncoderBytes: number;
  readonly bytes: number;
  readonly payloadBytes: number;
  readonly frame: {readonly [field: string]: Json};
}

/**
 * Reads the frames of stream `id`. `whole` contains all bytes that were sent on the stream. `sections` contains the
 * field sections of the sender.
 */
export function loggedStream(id: number, whole: Uint8Array, sections: SentSections): LoggedStream {
  const own = isUnidirectional(id) ? streamType(whole) : undefined;
  const kind = own === undefined ? undefined : streamKind(own.value);
  if (isUnidirectional(id) && kind !== 'control')
    return {type: own === undefined ? undefined : (STREAM_TYPES.get(kind) ?? 'unknown'), frames: []};
  const frames = readFrames(whole, own?.to ?? 0).map((frame): LoggedFrame => {
    const {from, payload, to} = frame;
    const readAt = frameKind(frame) === 'data' ? payload : to;
    const {needsEncoderBytes} = sections.of(id, frame);
    const content = contentOf(id, frame, whole, sections);
    return {from, readAt, needsEncoderBytes, bytes: to - from, payloadBytes: to - payload, frame: content};
  });
  return {type: kind, frames};
}

function contentOf(
  id: number,
  frame: H3Frame,
  whole: Uint8Array,
  sections: SentSections,
): {readonly [field: string]: Json} {
  const content = whole.subarray(frame.payload, frame.to);
  switch (frameKind(frame)) {
    case 'data':
      return {frame_type: 'data'};
    case 'headers': {
      const headers = sections.of(id, frame).lines.map(([name, value]) => ({name, value}));
      return {frame_type: 'headers', headers};
    }
    case 'settings':
      return {frame_type: 'settings', settings: settingsOf(content)};
    case 'goaway':
      return {frame_type: 'goaway', id: numbersOf(content)[0] ?? 0};
    case 'maxPushId':
      return {frame_type: 'max_push_id', push_id: numbersOf(content)[0] ?? 0};
    case 'cancelPush':
      return {frame_type: 'cancel_push', push_id: numbersOf(content)[0] ?? 0};
    default:
      return {frame_type: 'unknown', frame_type_bytes: frame.type};
  }
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

/** The type of QPACK's encoder stream. */
export const ENCODER_STREAM = 'qpack_encode';
const STREAM_TYPES: ReadonlyMap<ReturnType<typeof streamKind>, string> = new Map([
  ['push', 'push'],
  ['qpackEncoder', ENCODER_STREAM],
  ['qpackDecoder', 'qpack_decode'],
]);
/** The names of settings (RFC 9114 §7.2.4.1, RFC 9204 §5). */
const SETTINGS: ReadonlyMap<number, string> = new Map([
  [0x1, 'settings_qpack_max_table_capacity'],
  [0x6, 'settings_max_field_section_size'],
  [0x7, 'settings_qpack_blocked_streams'],
]);
