import type {Json} from '../../base/json.ts';
import {listOf, numberOf, objectOf} from '../jsonFields.ts';

/** A frame of a QUIC packet, as far as a capture needs it. */
export type CapturedFrame =
  | {
      readonly kind: 'stream';
      readonly stream: number;
      readonly first: number;
      readonly bytes: number;
      readonly isEnd: boolean;
    }
  /** The packets that are acknowledged, by the first and last number of each range. */
  | {readonly kind: 'ack'; readonly ranges: readonly (readonly [first: number, last: number])[]}
  | {readonly kind: 'close'; readonly isNormal: boolean}
  /** A frame of the handshake. */
  | {readonly kind: 'setUp'}
  | {readonly kind: 'padding'}
  | {readonly kind: 'control'};

/** Reads a frame whose fields have the names of qlog's drafts or of its earlier versions. */
export function capturedFrame(fields: Json): CapturedFrame {
  const frame = objectOf(fields);
  switch (frame['frame_type']) {
    case 'stream':
      return {
        kind: 'stream',
        stream: numberOf(frame['stream_id']) ?? numberOf(frame['id']) ?? 0,
        first: numberOf(frame['offset']) ?? 0,
        bytes: numberOf(frame['length']) ?? lengthIn(frame['raw']) ?? 0,
        isEnd: frame['fin'] === true,
      };
    case 'ack':
      return {kind: 'ack', ranges: rangesOf(frame['acked_ranges'])};
    case 'connection_close':
      return {kind: 'close', isNormal: isNormalClose(frame)};
    case 'crypto':
    case 'handshake_done':
      return {kind: 'setUp'};
    case 'padding':
      return {kind: 'padding'};
    default:
      return {kind: 'control'};
  }
}

/** Returns the size of the data of a frame. Newer drafts have it only in `raw`. */
function lengthIn(raw: Json | undefined): number | undefined {
  const {payload_length, length} = objectOf(raw);
  return numberOf(payload_length) ?? numberOf(length);
}

/** Returns the ranges of an acknowledgement, by the first and last number of each. */
export function rangesOf(value: Json | undefined): readonly (readonly [number, number])[] {
  return listOf(value).flatMap(range => {
    const [one, other = one] = listOf(range).map(numberOf);
    return one === undefined || other === undefined ? [] : [[Math.min(one, other), Math.max(one, other)] as const];
  });
}

/** Whether a connection ended without an error: NO_ERROR (RFC 9000 §20.1), or H3_NO_ERROR (RFC 9114 §8.1). */
function isNormalClose(frame: {readonly [key: string]: Json}): boolean {
  // Some programs write the name of a known code instead of its number.
  const code = frame['error_code'] ?? frame['raw_error_code'] ?? frame['error'];
  if (typeof code === 'string') return /^(h3_)?no_error$/i.test(code);
  return code === 0 || (code === H3_NO_ERROR && frame['error_space'] !== 'transport');
}

const H3_NO_ERROR = 0x100;
