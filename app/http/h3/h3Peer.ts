import {bytesOf} from '../../base/bytes.ts';
import {joinedBytes} from '../buffers.ts';
import type {Field} from '../hpack/field.ts';
import {MessageError} from '../messageRules.ts';
import {QpackDecoder} from '../qpack/qpackDecoder.ts';
import {QpackEncoder, type QpackSettings} from '../qpack/qpackEncoder.ts';
import {QpackError} from '../qpack/qpackError.ts';
import type {StreamPiece} from '../transports.ts';
import {type ErrorName, H3ConnectionError} from './h3Error.ts';
import {FRAME, frame, STREAM, settingsFrame} from './h3Frame.ts';
import {MessageReader} from './messageReader.ts';
import {type OneWayOwner, OneWayReader} from './oneWayReader.ts';
import {encodeVarint} from './varint.ts';

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
  /**
   * Called when the other end announces that it accepts no more messages: a server accepts no requests from stream `id`
   * on, and a client accepts no pushes from push `id` on (RFC 9114 §5.2).
   */
  handleGoaway(id: number): void;
  /** Called when the message on this stream cannot be read. */
  handleBadStream(stream: number, code: ErrorName): void;
  /** Called when an error has ended the connection. No other function is called after this one. */
  handleBroken(error: H3ConnectionError): void;
}

export interface H3PeerOptions {
  readonly role: 'client' | 'server';
  /** Limit for the fields of a message that this end receives, in bytes. */
  readonly mostFieldsBytes: number;
  /** The settings of QPACK that this end announces. */
  readonly qpack: QpackSettings;
  /** Largest size in bytes of the dynamic table with which this end encodes the fields that it sends. */
  readonly mostTableBytes: number;
}

/** Returns the first bytes of an end's control stream: the stream's type and the SETTINGS frame (RFC 9114 §6.2.1). */
export function controlStreamStart({mostFieldsBytes, qpack}: Pick<H3PeerOptions, 'mostFieldsBytes' | 'qpack'>) {
  const hasTable = qpack.tableBytes > 0;
  const settings: readonly (readonly [identifier: number, value: number])[] = [
    ...(hasTable ? [[SETTING.qpackMaxTableCapacity, qpack.tableBytes] as const] : []),
    [SETTING.maxFieldSectionSize, mostFieldsBytes],
    ...(hasTable ? [[SETTING.qpackBlockedStreams, qpack.blockedStreams] as const] : []),
  ];
  return joinedBytes([encodeVarint(STREAM.control), settingsFrame(settings)]);
}

/**
 * One end of an HTTP/3 connection (RFC 9114), sans-IO. It parses the bytes of streams into messages, and encodes the
 * heads of the messages that its owner sends. After each call, write the pieces that {@link H3Peer.poll} returns.
 */
export class H3Peer implements OneWayOwner {
  readonly role: 'client' | 'server';
  readonly #owner: H3PeerOwner;
  readonly #mostFieldsBytes: number;
  readonly #streams = new Map<number, StreamReader>();
  readonly #encoder: QpackEncoder;
  readonly #decoder: QpackDecoder;
  readonly #outgoing: StreamPiece[] = [];
  readonly #controlStream: number;
  /** This end's next unidirectional stream (RFC 9000 §2.1). */
  #nextStream: number;
  /** Maps the types of QPACK's streams to this end's streams, which are opened when they are needed (RFC 9204 §4.2). */
  readonly #qpackStreams = new Map<number, number>();
  #isBroken = false;

  constructor(owner: H3PeerOwner, options: H3PeerOptions) {
    this.role = options.role;
    this.#owner = owner;
    this.#mostFieldsBytes = options.mostFieldsBytes;
    this.#encoder = new QpackEncoder(options.mostTableBytes);
    this.#decoder = new QpackDecoder(options.qpack, options.mostFieldsBytes);
    this.#nextStream = options.role === 'client' ? 2 : 3;
    const bytes = controlStreamStart(options);
    this.#controlStream = this.#openStream();
    this.#outgoing.push({stream: this.#controlStream, bytes, object: null, isEnd: false});
  }

  /** Uses the QPACK settings that the server announced on an earlier connection (RFC 9114 §7.2.4.2). */
  remember(settings: QpackSettings): void {
    this.#encoder.handleSettings(settings);
  }

  /** Sends a message's head, which belongs to `object`. */
  sendFields(stream: number, fields: readonly Field[], object: number | null, isEnd: boolean): void {
    const bytes = frame(FRAME.headers, this.#encoder.encode(stream, fields));
    // New entries of QPACK's table precede the section that refers to them, so that usually no stream is blocked.
    this.#pushInstructions(STREAM.qpackEncoder, this.#encoder.takeInstructions());
    this.#outgoing.push({stream, bytes, object, isEnd});
  }

  /** Sends a PRIORITY_UPDATE frame for a request. `text` is the value of its priority field (RFC 9218 §7.2). */
  sendPriority(stream: number, text: string): void {
    const bytes = frame(FRAME.priorityUpdate, joinedBytes([encodeVarint(stream), bytesOf(text)]));
    this.#outgoing.push({stream: this.#controlStream, bytes, object: null, isEnd: false});
  }

  /** Sends a GOAWAY frame (RFC 9114 §5.2). */
  sendGoaway(id: number): void {
    const bytes = frame(FRAME.goaway, encodeVarint(id));
    this.#outgoing.push({stream: this.#controlStream, bytes, object: null, isEnd: false});
  }

  /** Returns the next piece to write, or undefined if there is none. */
  poll(): StreamPiece | undefined {
    if (this.#outgoing.length === 0) this.#pushInstructions(STREAM.qpackDecoder, this.#decoder.takeInstructions());
    return this.#outgoing.shift();
  }

  handleBytes(stream: number, bytes: Uint8Array): void {
    this.#guard(stream, () => this.#readerOf(stream).read(bytes));
  }

  /** Called when all bytes that the peer sends on this stream have arrived. */
  handleFinished(stream: number): void {
    this.#guard(stream, () => this.#readerOf(stream).end());
    const reader = this.#streams.get(stream);
    if (!(reader instanceof MessageReader) || reader.isDone) this.#streams.delete(stream);
  }

  /** Called when the peer has reset the stream. */
  handleReset(stream: number): void {
    this.#guard(stream, () => this.#streams.get(stream)?.reset());
    this.#streams.delete(stream);
  }

  /** Whether a message is incomplete, or waits for an entry of the dynamic table. */
  get isReading(): boolean {
    for (const reader of this.#streams.values()) if (reader instanceof MessageReader) return true;
    return false;
  }

  /**
   * Number of bytes of messages that wait for the rest of a frame, or for an entry of the dynamic table. The frames
   * behind a blocked one are included.
   */
  get heldBytes(): number {
    let bytes = 0;
    for (const reader of this.#streams.values()) if (reader instanceof MessageReader) bytes += reader.heldBytes;
    return bytes;
  }

  handleSettings(settings: ReadonlyMap<number, number>): void {
    const tableBytes = settings.get(SETTING.qpackMaxTableCapacity) ?? 0;
    const blockedStreams = settings.get(SETTING.qpackBlockedStreams) ?? 0;
    this.#encoder.handleSettings({tableBytes, blockedStreams});
  }

  handlePriority(stream: number, text: string): void {
    this.#owner.handlePriority(stream, text);
  }

  handleGoaway(id: number): void {
    this.#owner.handleGoaway(id);
  }

  handleEncoderStream(bytes: Uint8Array): void {
    this.#decoder.handleEncoderStream(bytes);
    for (let stream = this.#decoder.pollUnblocked(); stream !== undefined; stream = this.#decoder.pollUnblocked())
      this.#resume(stream);
  }

  handleDecoderStream(bytes: Uint8Array): void {
    this.#encoder.handleDecoderStream(bytes);
  }

  hasStream(type: number): boolean {
    return [...this.#streams.values()].some(reader => reader instanceof OneWayReader && reader.type === type);
  }

  /** Continues to read a stream whose section was blocked. */
  #resume(stream: number): void {
    const reader = this.#streams.get(stream);
    if (!(reader instanceof MessageReader)) return;
    this.#guard(stream, () => reader.resume());
    if (reader.isDone) this.#streams.delete(stream);
  }

  #openStream(): number {
    const stream = this.#nextStream;
    this.#nextStream += 4;
    return stream;
  }

  #pushInstructions(type: number, instructions: Uint8Array | undefined): void {
    if (instructions === undefined) return;
    let stream = this.#qpackStreams.get(type);
    const head = stream === undefined ? [encodeVarint(type)] : [];
    stream ??= this.#openStream();
    this.#qpackStreams.set(type, stream);
    // An entry of the table serves all later messages, so it belongs to no object.
    this.#outgoing.push({stream, bytes: joinedBytes([...head, instructions]), object: null, isEnd: false});
  }

  #readerOf(stream: number): StreamReader {
    let reader = this.#streams.get(stream);
    if (reader === undefined) {
      // A server must not open bidirectional streams (RFC 9114 §6.1).
      if (stream % 4 === 1)
        throw new H3ConnectionError('H3_STREAM_CREATION_ERROR', `a server opened bidirectional stream ${stream}`);
      reader = isRequest(stream)
        ? new MessageReader(stream, this.#owner, this.#decoder, this.#mostFieldsBytes)
        : new OneWayReader(this);
      this.#streams.set(stream, reader);
    }
    return reader;
  }

  /**
   * Calls `read`. If it throws a MessageError, the message on the stream is given up. An H3ConnectionError or a
   * QpackError ends the connection.
   */
  #guard(stream: number, read: () => void): void {
    if (this.#isBroken) return;
    try {
      read();
    } catch (error) {
      if (error instanceof MessageError) {
        this.#streams.set(stream, IGNORED);
        this.#decoder.cancel(stream);
        this.#owner.handleBadStream(stream, 'H3_MESSAGE_ERROR');
        return;
      }
      const known = error instanceof QpackError ? new H3ConnectionError(error.code, error.message) : error;
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

/** Returns whether a stream is bidirectional and was opened by the client (RFC 9000 §2.1). */
function isRequest(stream: number): boolean {
  return stream % 4 === 0;
}

/** Identifiers of settings (RFC 9114 §7.2.4.1, RFC 9204 §5). */
const SETTING = {qpackMaxTableCapacity: 0x01, maxFieldSectionSize: 0x06, qpackBlockedStreams: 0x07} as const;
