import {joined} from '../bytes.ts';
import {encodeVarint, readVarint} from './varint.ts';

/** Types of frames (RFC 9114 §7.2; PRIORITY_UPDATE: RFC 9218 §7.2). */
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

/** The type and length that a frame begins with. */
export function frameHead(type: number, bytes: number): Uint8Array {
  return joined([encodeVarint(type), encodeVarint(bytes)]);
}

/** A whole frame. */
export function frame(type: number, payload: Uint8Array): Uint8Array {
  return joined([frameHead(type, payload.length), payload]);
}

/** SETTINGS (RFC 9114 §7.2.4). */
export function settingsFrame(settings: readonly (readonly [identifier: number, value: number])[]): Uint8Array {
  return frame(FRAME.settings, joined(settings.flat().map(encodeVarint)));
}

/** Identifiers and values; undefined for what is cut. */
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

/** What comes of a stream's frames, in order. */
export type FramePart =
  /** A frame other than DATA, whole; one of a type that nobody knows is left out (RFC 9114 §9). */
  | {readonly kind: 'frame'; readonly type: number; readonly payload: Uint8Array}
  /** A DATA frame begins. */
  | {readonly kind: 'data-head'; readonly bytes: number}
  /** The next bytes of it. */
  | {readonly kind: 'data'; readonly bytes: Uint8Array}
  /** A frame is larger than its kind may be here: nothing after it is read. */
  | {readonly kind: 'excessive'; readonly type: number; readonly bytes: number};

/** Reads the frames of one stream. DATA comes as it arrives, others when they are whole. */
export class FrameReader {
  readonly #mostBytes: number;
  #held: Uint8Array = NOTHING;
  /** Of a DATA or an unknown frame, bytes to come. */
  #left = 0;
  #isData = false;
  #isStopped = false;

  /** Frames other than DATA have at most `mostBytes`. */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** Of a frame that has come in part. */
  get heldBytes(): number {
    return this.#held.length;
  }

  /** Between frames: nothing is cut here. */
  get isAtBorder(): boolean {
    return this.#left === 0 && this.#held.length === 0;
  }

  /** What comes with these; it holds until the next bytes come. */
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
        this.#held = this.#held.length === 0 ? rest : joined([this.#held, rest]);
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

  /** Of what is held, the bytes of a frame's head, with its payload where that is wanted whole; 0 if they are not there yet. */
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
/** With HTTP/2's types, which are errors (RFC 9114 §7.2.8). */
const KNOWN: ReadonlySet<number> = new Set([...Object.values(FRAME), 0x2, 0x6, 0x8, 0x9]);
