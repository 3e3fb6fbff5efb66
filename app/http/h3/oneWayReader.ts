import {joinedBytes} from '../buffers.ts';
import {H3ConnectionError, unexpected} from './h3Error.ts';
import {FRAME, type FramePart, H3FrameReader, readSettings, STREAM} from './h3Frame.ts';
import {readVarint} from './varint.ts';

/** Handles what arrives on the peer's unidirectional streams. */
export interface OneWayOwner {
  readonly role: 'client' | 'server';
  /** Handles the peer's SETTINGS, which are a map from identifiers to values. */
  handleSettings(settings: ReadonlyMap<number, number>): void;
  /** Handles a PRIORITY_UPDATE frame (RFC 9218 §7.2). `text` is the value of its priority field. */
  handlePriority(stream: number, text: string): void;
  /** Handles a GOAWAY frame (RFC 9114 §5.2). */
  handleGoaway(id: number): void;
  /** Handles the instructions of the peer's encoder (RFC 9204 §4.3). @throws QpackError */
  handleEncoderStream(bytes: Uint8Array): void;
  /** Handles the instructions of the peer's decoder (RFC 9204 §4.4). @throws QpackError */
  handleDecoderStream(bytes: Uint8Array): void;
  /** Returns whether the peer has already opened a stream of this type. */
  hasStream(type: number): boolean;
}

/** Reads a unidirectional stream, which begins with its type (RFC 9114 §6.2). Streams of unknown types are ignored. */
export class OneWayReader {
  readonly #owner: OneWayOwner;
  readonly #frames = new H3FrameReader(MOST_CONTROL_BYTES);
  /** Bytes that arrived before the type was known. */
  #held: Uint8Array = new Uint8Array(0);
  #type: number | undefined;
  #hasSettings = false;
  /** The id of the last GOAWAY. Later ones must not have larger ids (RFC 9114 §5.2). */
  #goaway = Number.POSITIVE_INFINITY;

  constructor(owner: OneWayOwner) {
    this.#owner = owner;
  }

  /** The type of the stream. It is undefined until the type has arrived. */
  get type(): number | undefined {
    return this.#type;
  }

  read(bytes: Uint8Array): void {
    const rest = this.#type === undefined ? this.#readType(bytes) : bytes;
    if (rest.length === 0) return;
    if (this.#type === STREAM.control) for (const part of this.#frames.read(rest)) this.#handle(part);
    else if (this.#type === STREAM.qpackEncoder) this.#owner.handleEncoderStream(rest);
    else if (this.#type === STREAM.qpackDecoder) this.#owner.handleDecoderStream(rest);
  }

  /** Called when the stream has ended. */
  end(): void {
    if (CRITICAL.has(this.#type ?? -1))
      throw new H3ConnectionError('H3_CLOSED_CRITICAL_STREAM', `stream of type ${this.#type} has ended`);
  }

  reset(): void {
    this.end();
  }

  /** Reads the type of the stream. Returns the bytes after it. */
  #readType(bytes: Uint8Array): Uint8Array {
    this.#held = joinedBytes([this.#held, bytes]);
    const type = readVarint(this.#held, 0);
    if (type === undefined) return NOTHING;
    // Each of these streams may be opened only once (RFC 9114 §6.2.1, RFC 9204 §4.2).
    if (CRITICAL.has(type.value) && this.#owner.hasStream(type.value))
      throw new H3ConnectionError('H3_STREAM_CREATION_ERROR', `a second stream of type ${type.value}`);
    if (type.value === STREAM.push) {
      // Servers must not push, because we send no MAX_PUSH_ID (RFC 9114 §4.6). Clients must never push (§6.2.2).
      const code = this.#owner.role === 'client' ? 'H3_ID_ERROR' : 'H3_STREAM_CREATION_ERROR';
      throw new H3ConnectionError(code, 'a push stream');
    }
    this.#type = type.value;
    return this.#held.subarray(type.end);
  }

  #handle(part: FramePart): void {
    if (part.kind === 'data' || part.kind === 'data-head') throw unexpected(FRAME.data);
    const {type} = part;
    if (!this.#hasSettings && type !== FRAME.settings)
      throw new H3ConnectionError('H3_MISSING_SETTINGS', `frame ${type} before SETTINGS`);
    if (part.kind === 'excessive')
      throw new H3ConnectionError('H3_EXCESSIVE_LOAD', `frame ${type} of ${part.bytes} bytes`);
    if (type === FRAME.settings) this.#handleSettings(part.payload);
    else if (type === FRAME.priorityUpdate) this.#handlePriority(part.payload);
    else if (type === FRAME.goaway) this.#handleGoaway(part.payload);
    // A server must not send MAX_PUSH_ID (RFC 9114 §7.2.7).
    else if (type === FRAME.maxPushId && this.#owner.role === 'client') throw unexpected(type);
    else if (!OF_CONTROL.has(type)) throw unexpected(type);
  }

  #handleSettings(payload: Uint8Array): void {
    if (this.#hasSettings) throw unexpected(FRAME.settings);
    this.#hasSettings = true;
    const settings = readSettings(payload);
    if (settings === undefined) throw new H3ConnectionError('H3_FRAME_ERROR', 'SETTINGS ends inside a setting');
    // These settings of HTTP/2 are forbidden (RFC 9114 §7.2.4.1).
    const reserved = [2, 3, 4, 5].find(identifier => settings.has(identifier));
    if (reserved !== undefined) throw new H3ConnectionError('H3_SETTINGS_ERROR', `setting ${reserved} of HTTP/2`);
    this.#owner.handleSettings(settings);
  }

  #handlePriority(payload: Uint8Array): void {
    const stream = readVarint(payload, 0);
    if (stream === undefined)
      throw new H3ConnectionError('H3_FRAME_ERROR', 'PRIORITY_UPDATE ends inside the stream number');
    this.#owner.handlePriority(stream.value, String.fromCharCode(...payload.subarray(stream.end)));
  }

  #handleGoaway(payload: Uint8Array): void {
    const id = readVarint(payload, 0);
    if (id === undefined || id.end !== payload.length)
      throw new H3ConnectionError('H3_FRAME_ERROR', `GOAWAY of ${payload.length} bytes`);
    if (id.value > this.#goaway)
      throw new H3ConnectionError('H3_ID_ERROR', `GOAWAY with id ${id.value} after one with id ${this.#goaway}`);
    this.#goaway = id.value;
    this.#owner.handleGoaway(id.value);
  }
}

const NOTHING = new Uint8Array(0);
const OF_CONTROL: ReadonlySet<number> = new Set([FRAME.cancelPush, FRAME.maxPushId]);
const CRITICAL: ReadonlySet<number> = new Set([STREAM.control, STREAM.qpackEncoder, STREAM.qpackDecoder]);
const MOST_CONTROL_BYTES = 4096;
