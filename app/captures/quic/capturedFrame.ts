import type {Json} from '../../base/json.ts';

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

/** Reads a frame with the names of qlog: of its drafts, and of its earlier versions. */
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

/** Returns the fields of a JSON object. Returns no fields for any other value. */
export function objectOf(value: Json | undefined): {readonly [key: string]: Json} {
  return isObject(value) ? value : NO_FIELDS;
}

function isObject(value: Json | undefined): value is {readonly [key: string]: Json} {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the items of a JSON list. Returns none for any other value. */
export function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/**
 * Returns a number from 0 on, which earlier versions of qlog write as a text. Undefined for other values, and for
 * numbers that JavaScript cannot represent exactly.
 */
export function numberOf(value: Json | undefined): number | undefined {
  const number = typeof value === 'string' && value !== '' ? Number(value) : value;
  return typeof number === 'number' && number >= 0 && number <= Number.MAX_SAFE_INTEGER ? number : undefined;
}

/** Returns the size of the data of a frame. Newer drafts have it only in `raw`. */
function lengthIn(raw: Json | undefined): number | undefined {
  const {payload_length, length} = objectOf(raw);
  return numberOf(payload_length) ?? numberOf(length);
}

function rangesOf(value: Json | undefined): readonly (readonly [number, number])[] {
  return listOf(value).flatMap(range => {
    const [first, last = first] = listOf(range).map(numberOf);
    return first === undefined || last === undefined || last < first ? [] : [[first, last] as const];
  });
}

/** Whether a connection ended without an error: NO_ERROR (RFC 9000 §20.1), or H3_NO_ERROR (RFC 9114 §8.1). */
function isNormalClose(frame: {readonly [key: string]: Json}): boolean {
  // Some programs write the name of a code that they know instead of its number.
  const code = frame['error_code'] ?? frame['raw_error_code'] ?? frame['error'];
  if (typeof code === 'string') return /^(h3_)?no_error$/i.test(code);
  return code === 0 || (code === H3_NO_ERROR && frame['error_space'] !== 'transport');
}

const H3_NO_ERROR = 0x100;
const NO_FIELDS = {};
