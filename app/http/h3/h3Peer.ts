import {joinedBytes} from '../buffers.ts';
import type {Field} from '../hpack/field.ts';
import {HpackError} from '../hpack/primitives.ts';
import {MessageError} from '../messageRules.ts';
import {FRAME, type FramePart, frame, H3FrameReader, readSettings, STREAM, settingsFrame} from './h3Frame.ts';
import {decodeFields, encodeFields} from './qpack.ts';
import {encodeVarint, readVarint} from './varint.ts';

/** Receives the messages of a connection's end. */
export interface H3PeerOwner {
  /** A message's head or trailers. @throws MessageError */
  handleFields(stream: number, fields: readonly Field[]): void;
  /** @throws MessageError */
  handleData(stream: number, bytes: Uint8Array): void;
  /** The peer's message is complete. @throws MessageError */
  handleEnd(stream: number): void;
  /** A PRIORITY_UPDATE (RFC 9218 §7.2). */
  handlePriority(stream: number, text: string): void;
  /** The message on this stream cannot be read. */
  handleBadStream(stream: number, code: ErrorName): void;
  /** The connection is broken, and nothing more of it is read. */
  handleBroken(error: H3ConnectionError): void;
}

/** The bytes that each end sends first, on a control stream of its own (RFC 9114 §6.2.1). */
export function controlStreamStart(mostFieldsBytes: number): Uint8Array {
  return joinedBytes([encodeVarint(STREAM.control), settingsFrame([[MAX_FIELD_SECTION_SIZE, mostFieldsBytes]])]);
}

/** Reasons why a stream or connection ends (RFC 9114 §8.1, RFC 9204 §6), as far as they occur here. */
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

/** A HEADERS frame (RFC 9114 §7.2.2). It is made once for each list of fields. */
export function headersFrame(fields: readonly Field[]): Uint8Array {
  let bytes = frames.get(fields);
  if (bytes === undefined) {
    bytes = frame(FRAME.headers, encodeFields(fields));
    frames.set(fields, bytes);
  }
  return bytes;
}

const frames = new WeakMap<readonly Field[], Uint8Array>();

/** The reading half of an HTTP/3 endpoint (RFC 9114), sans-IO. It turns the bytes of streams into messages. */
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

  /** All bytes of the peer on this stream have arrived. */
  handleFinished(stream: number): void {
    this.#guard(stream, () => this.#readerOf(stream).end());
    this.#streams.delete(stream);
  }

  /** The peer reset the stream. */
  handleReset(stream: number): void {
    this.#guard(stream, () => this.#streams.get(stream)?.reset());
    this.#streams.delete(stream);
  }

  /** Whether a message has begun and not ended. */
  get isReading(): boolean {
    for (const reader of this.#streams.values()) if (reader instanceof MessageReader) return true;
    return false;
  }

  /** Bytes of messages' frames that have arrived in part. */
  get heldBytes(): number {
    let bytes = 0;
    for (const reader of this.#streams.values()) if (reader instanceof MessageReader) bytes += reader.heldBytes;
    return bytes;
  }

  #readerOf(stream: number): StreamReader {
    let reader = this.#streams.get(stream);
    if (reader === undefined) {
      // Servers open no bidirectional streams (RFC 9114 §6.1).
      if (stream % 4 === 1) throw new H3ConnectionError('H3_STREAM_CREATION_ERROR', `stream ${stream}`);
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

  /** An error ends the stream or the connection. */
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

/** Reader of a stream that was given up, or whose type is unknown (RFC 9114 §9). */
const IGNORED: StreamReader = {read: () => {}, end: () => {}, reset: () => {}};

/** Reads a request stream, in either direction (RFC 9114 §4.1). */
class MessageReader implements StreamReader {
  readonly #stream: number;
  readonly #owner: H3PeerOwner;
  readonly #frames: H3FrameReader;
  readonly #mostFieldsBytes: number;
  #hasHead = false;
  /** Whether fields followed a body. Nothing may follow them (RFC 9114 §4.1). */
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
    if (!this.#frames.isAtBorder) throw new H3ConnectionError('H3_FRAME_ERROR', 'a frame that ends early');
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

/** Reads a unidirectional stream, which begins with its type (RFC 9114 §6.2). */
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
      // We send no MAX_PUSH_ID, and clients never push (RFC 9114 §4.6, §6.2.2).
      if (kind.value === STREAM.push) throw new H3ConnectionError('H3_STREAM_CREATION_ERROR', 'a push');
      this.#kind = kind.value;
      rest = this.#held.subarray(kind.end);
    }
    if (!this.isControl) return;
    for (const part of this.#frames.read(rest)) this.#handle(part);
  }

  end(): void {
    if (CRITICAL.has(this.#kind ?? -1))
      throw new H3ConnectionError('H3_CLOSED_CRITICAL_STREAM', `stream of kind ${this.#kind} ended`);
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
    if (settings === undefined) throw new H3ConnectionError('H3_FRAME_ERROR', 'SETTINGS that end early');
    // Settings of HTTP/2 (RFC 9114 §7.2.4.1).
    const reserved = [2, 3, 4, 5].find(identifier => settings.has(identifier));
    if (reserved !== undefined) throw new H3ConnectionError('H3_SETTINGS_ERROR', `setting ${reserved}`);
  }

  #handlePriority(payload: Uint8Array): void {
    const stream = readVarint(payload, 0);
    if (stream === undefined) throw new H3ConnectionError('H3_FRAME_ERROR', 'a PRIORITY_UPDATE that ends early');
    this.#owner.handlePriority(stream.value, String.fromCharCode(...payload.subarray(stream.end)));
  }
}

/** Whether a stream is bidirectional and was opened by the client (RFC 9000 §2.1). */
function isRequest(stream: number): boolean {
  return stream % 4 === 0;
}

function unexpected(type: number): H3ConnectionError {
  return new H3ConnectionError('H3_FRAME_UNEXPECTED', `frame ${type} where there is none`);
}

const OF_CONTROL: ReadonlySet<number> = new Set([FRAME.cancelPush, FRAME.goaway, FRAME.maxPushId]);
const CRITICAL: ReadonlySet<number> = new Set([STREAM.control, STREAM.qpackEncoder, STREAM.qpackDecoder]);
/** RFC 9114 §7.2.4.1. */
const MAX_FIELD_SECTION_SIZE = 0x06;
const MOST_CONTROL_BYTES = 4096;
