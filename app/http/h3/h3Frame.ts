import {joinedBytes} from '../buffers.ts';
import {encodeVarint, readVarint} from './varint.ts';

/** Frame types (RFC 9114 §7.2; PRIORITY_UPDATE: RFC 9218 §7.2). */
export const FRAME = {
  data: 0x0,
  headers: 0x1,
  cancelPush: 0x3,
  settings: 0x4,
  pushPromise: 0x5,
  goaway: 0x7,
  maxPushId: 0xd,
  priorityUpdate: 0xf0700,
} as const;

/** Types of unidirectional streams (RFC 9114 §6.2; QPACK's: RFC 9204 §4.2). */
export const STREAM = {control: 0x0, push: 0x1, qpackEncoder: 0x2, qpackDecoder: 0x3} as const;

/** Encodes the type and length at the start of a frame. */
export function frameHead(type: number, bytes: number): Uint8Array {
  return joinedBytes([encodeVarint(type), encodeVarint(bytes)]);
}

/** Encodes a complete frame. */
export function frame(type: number, payload: Uint8Array): Uint8Array {
  return joinedBytes([frameHead(type, payload.length), payload]);
}

/** Encodes a SETTINGS frame (RFC 9114 §7.2.4). */
export function settingsFrame(settings: readonly (readonly [identifier: number, value: number])[]): Uint8Array {
  return frame(FRAME.settings, joinedBytes(settings.flat().map(encodeVarint)));
}

/** Returns a map from the identifiers in a SETTINGS frame to their values, or undefined if the payload ends early. */
export function readSettings(payload: Uint8Array): ReadonlyMap<number, number> | undefined {
  const settings = new Map<number, number>();
  for (let at = 0; at < payload.length; ) {
    const identifier = readVarint(payload, at);
    const value = identifier === undefined ? undefined : readVarint(payload, identifier.end);
    if (identifier === undefined || value === undefined) return undefined;
    settings.set(identifier.value, value.value);
    at = value.end;
  }
  return settings;
}

/** A frame of a stream, or a part of a frame. Parts are reported in order. */
export type FramePart =
  /** A complete frame other than DATA. Frames of unknown types are ignored (RFC 9114 §9). */
  | {readonly kind: 'frame'; readonly type: number; readonly payload: Uint8Array}
  /** The start of a DATA frame with a payload of `bytes` bytes. */
  | {readonly kind: 'data-head'; readonly bytes: number}
  /** The next bytes of the DATA frame. */
  | {readonly kind: 'data'; readonly bytes: Uint8Array}
  /** A frame whose payload of `bytes` bytes exceeds the reader's limit. Nothing after it is read. */
  | {readonly kind: 'excessive'; readonly type: number; readonly bytes: number};

/**
 * Reads the frames of one stream. The payload of DATA frames is returned as it arrives. Other frames are returned when
 * they are complete.
 */
export class H3FrameReader {
  readonly #mostBytes: number;
  #held: Uint8Array = NOTHING;
  /** Number of bytes of the current DATA frame or unknown frame that have not arrived yet. */
  #left = 0;
  #isData = false;
  #isStopped = false;

  /** `mostBytes` is the largest payload of a frame that is neither DATA nor of an unknown type. */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** Number of bytes that the reader holds until a frame is complete. */
  get heldBytes(): number {
    return this.#held.length;
  }

  /** Whether the reader is between two frames, so that the stream may end here. */
  get isAtBorder(): boolean {
    return this.#left === 0 && this.#held.length === 0;
  }

  /** Returns the parts in these bytes. The parts are valid until the next bytes arrive. */
  read(bytes: Uint8Array): readonly FramePart[] {
    const parts: FramePart[] = [];
    let rest = bytes;
    while (!this.#isStopped && rest.length > 0) {
      if (this.#left > 0) {
        const part = rest.subarray(0, this.#left);
        this.#left -= part.length;
        rest = rest.subarray(part.length);
        if (this.#isData) parts.push({kind: 'data', bytes: part});
      } else {
        this.#held = this.#held.length === 0 ? rest : joinedBytes([this.#held, rest]);
        const taken = this.#readHead(parts);
        if (taken === 0) {
          this.#held = this.#held.slice();
          break;
        }
        rest = this.#held.subarray(taken);
        this.#held = NOTHING;
      }
    }
    return parts;
  }

  /**
   * Reads a frame from the held bytes. Only the type and length are read if the frame is DATA or unknown. Returns the
   * number of bytes read, or 0 if more bytes are needed.
   */
  #readHead(parts: FramePart[]): number {
    const held = this.#held;
    const type = readVarint(held, 0);
    const length = type === undefined ? undefined : readVarint(held, type.end);
    if (type === undefined || length === undefined) return 0;
    const isData = type.value === FRAME.data;
    if (isData || !KNOWN.has(type.value)) {
      this.#isData = isData;
      this.#left = length.value;
      if (isData) parts.push({kind: 'data-head', bytes: length.value});
      return length.end;
    }
    if (length.value > this.#mostBytes) {
      this.#isStopped = true;
      parts.push({kind: 'excessive', type: type.value, bytes: length.value});
      return held.length;
    }
    const end = length.end + length.value;
    if (end > held.length) return 0;
    parts.push({kind: 'frame', type: type.value, payload: held.subarray(length.end, end)});
    return end;
  }
}

const NOTHING = new Uint8Array(0);
/**
 * Types of frames that are not ignored. Frame types of HTTP/2 are included, because they are errors in HTTP/3 (RFC 9114
 * §7.2.8).
 */
const KNOWN: ReadonlySet<number> = new Set([...Object.values(FRAME), 0x2, 0x6, 0x8, 0x9]);
