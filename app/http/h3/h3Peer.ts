import {bytesOf} from '../../base/bytes.ts';
import {joinedBytes} from '../buffers.ts';
import type {Field} from '../hpack/field.ts';
import {HpackError} from '../hpack/primitives.ts';
import {MessageError} from '../messageRules.ts';
import {FRAME, type FramePart, frame, H3FrameReader, readSettings, STREAM, settingsFrame} from './h3Frame.ts';
import {decodeFields, encodeFields} from './qpack.ts';
import {encodeVarint, readVarint} from './varint.ts';

/** The client or server that owns an {@link H3Peer}. Its functions are called for the messages of the other end. */
export interface H3PeerOwner {
  /** Handles a message's head or trailers. @throws MessageError */
  handleFields(stream: number, fields: readonly Field[]): void;
  /** Handles the next bytes of a message's body. @throws MessageError */
  handleData(stream: number, bytes: Uint8Array): void;
  /** Called when a message is complete. @throws MessageError */
  handleEnd(stream: number): void;
  /** Handles a PRIORITY_UPDATE frame (RFC 9218 §7.2). `text` is the value of its priority field. */
  handlePriority(stream: number, text: string): void;
  /** Called when the message on this stream cannot be read. */
  handleBadStream(stream: number, code: ErrorName): void;
  /** Called when an error has ended the connection. No other function is called after this one. */
  handleBroken(error: H3ConnectionError): void;
}

/** Returns the first bytes of an end's control stream: the stream's type and the SETTINGS frame (RFC 9114 §6.2.1). */
export function controlStreamStart(mostFieldsBytes: number): Uint8Array {
  return joinedBytes([encodeVarint(STREAM.control), settingsFrame([[MAX_FIELD_SECTION_SIZE, mostFieldsBytes]])]);
}

/** The reasons for which our code ends a stream or connection (RFC 9114 §8.1, RFC 9204 §6). */
export type ErrorName =
  | 'H3_STREAM_CREATION_ERROR'
  | 'H3_CLOSED_CRITICAL_STREAM'
  | 'H3_FRAME_UNEXPECTED'
  | 'H3_FRAME_ERROR'
  | 'H3_EXCESSIVE_LOAD'
  | 'H3_SETTINGS_ERROR'
  | 'H3_MISSING_SETTINGS'
  | 'H3_MESSAGE_ERROR'
  | 'QPACK_DECOMPRESSION_FAILED';

/** An error that ends the connection (RFC 9114 §8). */
export class H3ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly code: ErrorName;

  constructor(code: ErrorName, message: string) {
    super(message);
    this.code = code;
  }
}

/** Returns a HEADERS frame (RFC 9114 §7.2.2). Each list of fields is encoded only once. */
export function headersFrame(fields: readonly Field[]): Uint8Array {
  let bytes = frames.get(fields);
  if (bytes === undefined) {
    bytes = frame(FRAME.headers, encodeFields(fields));
    frames.set(fields, bytes);
  }
  return bytes;
}

const frames = new WeakMap<readonly Field[], Uint8Array>();

/** Encodes a PRIORITY_UPDATE frame for a request. `text` is the value of its priority field (RFC 9218 §7.2). */
export function priorityUpdateFrame(stream: number, text: string): Uint8Array {
  return frame(FRAME.priorityUpdate, joinedBytes([encodeVarint(stream), bytesOf(text)]));
}

/** The reading half of an HTTP/3 endpoint (RFC 9114), sans-IO. It parses the bytes of streams into messages. */
export class H3Peer {
  readonly #owner: H3PeerOwner;
  readonly #mostFieldsBytes: number;
  readonly #streams = new Map<number, StreamReader>();
  #isBroken = false;

  constructor(owner: H3PeerOwner, mostFieldsBytes: number) {
    this.#owner = owner;
    this.#mostFieldsBytes = mostFieldsBytes;
  }

  handleBytes(stream: number, bytes: Uint8Array): void {
    this.#guard(stream, () => this.#readerOf(stream).read(bytes));
  }

  /** Called when all bytes that the peer sends on this stream have arrived. */
  handleFinished(stream: number): void {
    this.#guard(stream, () => this.#readerOf(stream).end());
    this.#streams.delete(stream);
  }

  /** Called when the peer has reset the stream. */
  handleReset(stream: number): void {
    this.#guard(stream, () => this.#streams.get(stream)?.reset());
    this.#streams.delete(stream);
  }

  /** Whether a message has arrived only in part. */
  get isReading(): boolean {
    for (const reader of this.#streams.values()) if (reader instanceof MessageReader) return true;
    return false;
  }

  /** Number of bytes of incomplete frames of messages. */
  get heldBytes(): number {
    let bytes = 0;
    for (const reader of this.#streams.values()) if (reader instanceof MessageReader) bytes += reader.heldBytes;
    return bytes;
  }

  #readerOf(stream: number): StreamReader {
    let reader = this.#streams.get(stream);
    if (reader === undefined) {
      // A server must not open bidirectional streams (RFC 9114 §6.1).
      if (stream % 4 === 1)
        throw new H3ConnectionError('H3_STREAM_CREATION_ERROR', `a server opened bidirectional stream ${stream}`);
      reader = isRequest(stream)
        ? new MessageReader(stream, this.#owner, this.#mostFieldsBytes)
        : new OneWayReader(this.#owner, () => this.#hasControl());
      this.#streams.set(stream, reader);
    }
    return reader;
  }

  #hasControl(): boolean {
    return [...this.#streams.values()].some(reader => reader instanceof OneWayReader && reader.isControl);
  }

  /** Calls `read`. If it throws, the error ends the stream or the connection. */
  #guard(stream: number, read: () => void): void {
    if (this.#isBroken) return;
    try {
      read();
    } catch (error) {
      if (error instanceof MessageError) {
        this.#streams.set(stream, IGNORED);
        this.#owner.handleBadStream(stream, 'H3_MESSAGE_ERROR');
        return;
      }
      const known =
        error instanceof HpackError ? new H3ConnectionError('QPACK_DECOMPRESSION_FAILED', error.message) : error;
      if (!(known instanceof H3ConnectionError)) throw error;
      this.#isBroken = true;
      this.#owner.handleBroken(known);
    }
  }
}

interface StreamReader {
  read(bytes: Uint8Array): void;
  end(): void;
  reset(): void;
}

/** Ignores the bytes of a stream whose message was invalid. */
const IGNORED: StreamReader = {read: () => {}, end: () => {}, reset: () => {}};

/** Reads one direction of a request stream (RFC 9114 §4.1). */
class MessageReader implements StreamReader {
  readonly #stream: number;
  readonly #owner: H3PeerOwner;
  readonly #frames: H3FrameReader;
  readonly #mostFieldsBytes: number;
  #hasHead = false;
  /** Whether trailers have arrived. No frame may follow them (RFC 9114 §4.1). */
  #hasTrailers = false;
  #hasBody = false;
  #isGivenUp = false;

  constructor(stream: number, owner: H3PeerOwner, mostFieldsBytes: number) {
    this.#stream = stream;
    this.#owner = owner;
    this.#mostFieldsBytes = mostFieldsBytes;
    this.#frames = new H3FrameReader(mostFieldsBytes);
  }

  get heldBytes(): number {
    return this.#frames.heldBytes;
  }

  read(bytes: Uint8Array): void {
    if (this.#isGivenUp) return;
    for (const part of this.#frames.read(bytes)) {
      this.#handle(part);
      if (this.#isGivenUp) return;
    }
  }

  end(): void {
    if (this.#isGivenUp) return;
    // RFC 9114 §7.1.
    if (!this.#frames.isAtBorder)
      throw new H3ConnectionError('H3_FRAME_ERROR', `stream ${this.#stream} ends inside a frame`);
    this.#owner.handleEnd(this.#stream);
  }

  reset(): void {}

  #handle(part: FramePart): void {
    if (part.kind === 'data') this.#owner.handleData(this.#stream, part.bytes);
    else if (part.kind === 'data-head') {
      if (!this.#hasHead || this.#hasTrailers) throw unexpected(FRAME.data);
      this.#hasBody = true;
    } else if (part.kind === 'excessive') this.#giveUp();
    else if (part.type !== FRAME.headers) throw unexpected(part.type);
    else {
      if (this.#hasTrailers) throw unexpected(FRAME.headers);
      this.#hasTrailers = this.#hasBody;
      this.#hasHead = true;
      const fields = decodeFields(part.payload, this.#mostFieldsBytes);
      if (fields === undefined) this.#giveUp();
      else this.#owner.handleFields(this.#stream, fields);
    }
  }

  #giveUp(): void {
    this.#isGivenUp = true;
    this.#owner.handleBadStream(this.#stream, 'H3_EXCESSIVE_LOAD');
  }
}

/** Reads a unidirectional stream, which begins with its type (RFC 9114 §6.2). Only control streams are read further. */
class OneWayReader implements StreamReader {
  readonly #owner: H3PeerOwner;
  readonly #hasControl: () => boolean;
  readonly #frames = new H3FrameReader(MOST_CONTROL_BYTES);
  /** Bytes that arrived before the type was known. */
  #held: Uint8Array = new Uint8Array(0);
  #kind: number | undefined;
  #hasSettings = false;

  constructor(owner: H3PeerOwner, hasControl: () => boolean) {
    this.#owner = owner;
    this.#hasControl = hasControl;
  }

  get isControl(): boolean {
    return this.#kind === STREAM.control;
  }

  read(bytes: Uint8Array): void {
    let rest = bytes;
    if (this.#kind === undefined) {
      this.#held = joinedBytes([this.#held, bytes]);
      const kind = readVarint(this.#held, 0);
      if (kind === undefined) return;
      if (kind.value === STREAM.control && this.#hasControl())
        throw new H3ConnectionError('H3_STREAM_CREATION_ERROR', 'a second control stream');
      // Servers must not push, because we send no MAX_PUSH_ID. Clients must never push (RFC 9114 §4.6, §6.2.2).
      if (kind.value === STREAM.push) throw new H3ConnectionError('H3_STREAM_CREATION_ERROR', 'a push stream');
      this.#kind = kind.value;
      rest = this.#held.subarray(kind.end);
    }
    if (!this.isControl) return;
    for (const part of this.#frames.read(rest)) this.#handle(part);
  }

  end(): void {
    if (CRITICAL.has(this.#kind ?? -1))
      throw new H3ConnectionError('H3_CLOSED_CRITICAL_STREAM', `stream of type ${this.#kind} has ended`);
  }

  reset(): void {
    this.end();
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
  }

  #handlePriority(payload: Uint8Array): void {
    const stream = readVarint(payload, 0);
    if (stream === undefined)
      throw new H3ConnectionError('H3_FRAME_ERROR', 'PRIORITY_UPDATE ends inside the stream number');
    this.#owner.handlePriority(stream.value, String.fromCharCode(...payload.subarray(stream.end)));
  }
}

/** Returns whether a stream is bidirectional and was opened by the client (RFC 9000 §2.1). */
function isRequest(stream: number): boolean {
  return stream % 4 === 0;
}

function unexpected(type: number): H3ConnectionError {
  return new H3ConnectionError('H3_FRAME_UNEXPECTED', `frame ${type} is not allowed here`);
}

const OF_CONTROL: ReadonlySet<number> = new Set([FRAME.cancelPush, FRAME.goaway, FRAME.maxPushId]);
const CRITICAL: ReadonlySet<number> = new Set([STREAM.control, STREAM.qpackEncoder, STREAM.qpackDecoder]);
/** The identifier of the setting SETTINGS_MAX_FIELD_SECTION_SIZE (RFC 9114 §7.2.4.1). */
const MAX_FIELD_SECTION_SIZE = 0x06;
const MOST_CONTROL_BYTES = 4096;
