import {bytesOf} from '../../base/bytes.ts';
import {joinedBytes, type Slices, Unread} from '../buffers.ts';
import type {Dependency} from '../responseOrder.ts';
import {ERROR_CODES, type ErrorCode, H2ConnectionError} from './h2Error.ts';

/** Frame types (RFC 9113 §6; RFC 9218 §7.1). */
export const FRAME = {
  data: 0,
  headers: 1,
  priority: 2,
  rstStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
  priorityUpdate: 16,
} as const;

export const FLAG = {ack: 0x1, endStream: 0x1, endHeaders: 0x4, padded: 0x8, priority: 0x20} as const;

/** Settings (RFC 9113 §6.5.2; RFC 9218 §2.1). */
export const SETTING = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
  maxHeaderListSize: 6,
  noRfc7540Priorities: 9,
} as const;

/** A complete frame. */
export interface Frame {
  /** A type of `FRAME`, or an unknown one. */
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Uint8Array;
}

export function encodeFrame(
  type: number,
  flags: number,
  stream: number,
  payload: Uint8Array,
  slices?: Slices,
): Uint8Array {
  const bytes = FRAME_HEADER_BYTES + payload.length;
  const frame = slices?.take(bytes) ?? new Uint8Array(bytes);
  frame[0] = payload.length >> 16;
  frame[1] = payload.length >> 8;
  frame[2] = payload.length;
  frame[3] = type;
  frame[4] = flags;
  frame[5] = stream >>> 24;
  frame[6] = stream >>> 16;
  frame[7] = stream >>> 8;
  frame[8] = stream;
  frame.set(payload, FRAME_HEADER_BYTES);
  return frame;
}

/**
 * Encodes a field block as a HEADERS frame and as many CONTINUATION frames as it needs (RFC 9113 §6.2, §6.10). The
 * payload of each frame has at most `mostBytes`. `dependency` is stated in the HEADERS frame if it is defined.
 */
export function encodeHeaders(
  stream: number,
  block: Uint8Array,
  isEnd: boolean,
  mostBytes: number,
  dependency?: Dependency,
): Uint8Array {
  const content = dependency === undefined ? block : joinedBytes([dependencyFields(dependency), block]);
  const frames: Uint8Array[] = [];
  for (let at = 0; at === 0 || at < content.length; at += mostBytes) {
    const first = (isEnd ? FLAG.endStream : 0) | (dependency === undefined ? 0 : FLAG.priority);
    const flags = (at === 0 ? first : 0) | (at + mostBytes >= content.length ? FLAG.endHeaders : 0);
    const type = at === 0 ? FRAME.headers : FRAME.continuation;
    frames.push(encodeFrame(type, flags, stream, content.subarray(at, at + mostBytes)));
  }
  return joinedBytes(frames);
}

/** Encodes a PRIORITY frame (RFC 9113 §6.3). */
export function encodeDependency(stream: number, dependency: Dependency): Uint8Array {
  return encodeFrame(FRAME.priority, 0, stream, dependencyFields(dependency));
}

/** Reads the priority fields of a HEADERS or PRIORITY frame (RFC 7540 §6.2). */
export function dependencyAt(bytes: Uint8Array): Dependency {
  return {parent: uint31At(bytes, 0), weight: (bytes[4] ?? 0) + 1, isExclusive: (bytes[0] ?? 0) >= 128};
}

function dependencyFields({parent, weight, isExclusive}: Dependency): Uint8Array {
  const fields = new Uint8Array(5);
  setUint32(fields, 0, parent + (isExclusive ? 2 ** 31 : 0));
  fields[4] = weight - 1;
  return fields;
}

/** Encodes a PRIORITY_UPDATE frame (RFC 9218 §7.1). `text` is the value of its priority field. */
export function encodePriorityUpdate(stream: number, text: string): Uint8Array {
  return encodeFrame(FRAME.priorityUpdate, 0, 0, joinedBytes([uint32(stream), bytesOf(text)]));
}

export function encodeSettings(settings: readonly (readonly [number, number])[]): Uint8Array {
  const payload = new Uint8Array(6 * settings.length);
  for (const [i, [id, value]] of settings.entries()) {
    payload[6 * i] = id >> 8;
    payload[6 * i + 1] = id;
    setUint32(payload, 6 * i + 2, value);
  }
  return encodeFrame(FRAME.settings, 0, 0, payload);
}

export function encodeRstStream(stream: number, code: ErrorCode): Uint8Array {
  return encodeFrame(FRAME.rstStream, 0, stream, uint32(ERROR_CODES.indexOf(code)));
}

export function encodeGoaway(lastStream: number, code: ErrorCode): Uint8Array {
  return encodeFrame(FRAME.goaway, 0, 0, joinedBytes([uint32(lastStream), uint32(ERROR_CODES.indexOf(code))]));
}

export function encodeWindowUpdate(stream: number, bytes: number): Uint8Array {
  return encodeFrame(FRAME.windowUpdate, 0, stream, uint32(bytes));
}

/** Reads the four bytes from `at` on as a big-endian number. */
export function uint32At(bytes: Uint8Array, at: number): number {
  const high = (bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0);
  return high * 65_536 + (bytes[at + 2] ?? 0) * 256 + (bytes[at + 3] ?? 0);
}

/** Reads the same number as {@link uint32At}, but without the reserved highest bit (RFC 9113 §4.1). */
export function uint31At(bytes: Uint8Array, at: number): number {
  return uint32At(bytes, at) % 2 ** 31;
}

/** Splits the bytes of a connection into frames. A frame's payload is valid until the next bytes arrive. */
export class H2FrameReader {
  readonly #unread = new Unread();

  /** Whether a frame has arrived only in part. */
  get isInside(): boolean {
    return this.#unread.bytes > 0;
  }

  /** Number of bytes of an incomplete frame. */
  get heldBytes(): number {
    return this.#unread.bytes;
  }

  /**
   * Yields the frames that these bytes complete. @throws H2ConnectionError if a frame is too large; the frames before
   * it are yielded first
   */
  *push(bytes: Uint8Array): Generator<Frame> {
    const all = this.#unread.with(bytes);
    let at = 0;
    while (all.length >= at + FRAME_HEADER_BYTES) {
      const length = Math.floor(uint32At(all, at) / 256);
      // RFC 9113 §4.2 allows a stream error for some frames. We always end the connection.
      if (length > MOST_FRAME_BYTES)
        throw new H2ConnectionError('FRAME_SIZE_ERROR', `frame of ${length} bytes (at most ${MOST_FRAME_BYTES})`);
      const end = at + FRAME_HEADER_BYTES + length;
      if (all.length < end) break;
      const payload = all.subarray(at + FRAME_HEADER_BYTES, end);
      yield {type: all[at + 3] ?? 0, flags: all[at + 4] ?? 0, stream: uint31At(all, at + 5), payload};
      at = end;
    }
    this.#unread.keep(all, at);
  }
}

/**
 * Returns a frame's payload without its padding (RFC 9113 §6.1). @throws H2ConnectionError if the padding does not fit
 * in the payload, or if the field with the length of the padding is missing
 */
export function unpadded({flags, payload}: Frame): Uint8Array {
  if ((flags & FLAG.padded) === 0) return payload;
  const padding = payload[0];
  if (padding === undefined) throw new H2ConnectionError('FRAME_SIZE_ERROR', 'padded frame without a padding length');
  if (padding >= payload.length)
    throw new H2ConnectionError(
      'PROTOCOL_ERROR',
      `${padding} bytes of padding in a payload of ${payload.length} bytes`,
    );
  return payload.subarray(1, payload.length - padding);
}

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  setUint32(bytes, 0, value);
  return bytes;
}

/** Writes a number below 2^32 as four bytes from `at` on, as {@link uint32At} reads it. */
function setUint32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24;
  bytes[at + 1] = value >>> 16;
  bytes[at + 2] = value >>> 8;
  bytes[at + 3] = value;
}

/** The client's connection preface, which precedes its SETTINGS frame (RFC 9113 §3.4). */
export const PREFACE = Uint8Array.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', character => character.charCodeAt(0));

const FRAME_HEADER_BYTES = 9;
/** The largest payload that we accept. It is the initial limit, and we never raise it (RFC 9113 §4.2). */
export const MOST_FRAME_BYTES = 16_384;
