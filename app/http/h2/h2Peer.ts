import {joinedBytes, Slices} from '../buffers.ts';
import type {Field} from '../hpack/field.ts';
import {HpackDecoder} from '../hpack/hpackDecoder.ts';
import {HpackEncoder} from '../hpack/hpackEncoder.ts';
import {HpackError} from '../hpack/primitives.ts';
import {MessageError} from '../messageRules.ts';
import type {Dependency} from '../responseOrder.ts';
import {type ErrorCode, errorCode, H2ConnectionError, StreamError} from './h2Error.ts';
import {
  dependencyAt,
  encodeDependency,
  encodeFrame,
  encodeGoaway,
  encodeHeaders,
  encodePriorityUpdate,
  encodeRstStream,
  encodeSettings,
  encodeWindowUpdate,
  FLAG,
  FRAME,
  type Frame,
  H2FrameReader,
  MOST_FRAME_BYTES,
  PREFACE,
  SETTING,
  uint31At,
  uint32At,
  unpadded,
} from './h2Frame.ts';
import {ReceiveWindow, SendWindow, USUAL_WINDOW_BYTES, windowSetting} from './h2Window.ts';

/**
 * The options of an endpoint. Its `settings` are announced to the peer at the start of the connection. Each of the
 * limits `tableBytes`, `listBytes` and `streamWindowBytes` must equal the setting with the same meaning, or that
 * setting's default (RFC 9113 §6.5.2) if `settings` does not contain it.
 */
export interface H2PeerOptions {
  readonly role: 'client' | 'server';
  readonly settings: readonly (readonly [id: number, value: number])[];
  /** The largest size of HPACK's table for the fields that the peer sends (SETTINGS_HEADER_TABLE_SIZE). */
  readonly tableBytes: number;
  /** The largest size of a list of fields that the peer sends (SETTINGS_MAX_HEADER_LIST_SIZE). */
  readonly listBytes: number;
  /** The receive window of each stream (SETTINGS_INITIAL_WINDOW_SIZE). */
  readonly streamWindowBytes: number;
  /** The receive window of the connection. It is announced by a WINDOW_UPDATE if it is larger than the default. */
  readonly connectionWindowBytes: number;
  readonly owner: H2PeerOwner;
}

/**
 * The client or server that owns an {@link H2Peer}. Its functions, except for `objectOf`, are called for the frames of
 * the other end, in order of arrival.
 */
export interface H2PeerOwner {
  /** Returns the object to which the frames of a stream belong. */
  objectOf(stream: number): number | null;
  /** Handles the head or the trailers of a message. @throws MessageError if the fields are invalid */
  handleFields(stream: number, fields: readonly Field[], isEnd: boolean): void;
  /** Handles the next bytes of a message's body. @throws MessageError if the body does not fit the message's head */
  handleData(stream: number, bytes: Uint8Array, isEnd: boolean): void;
  /** Called when either end has reset the stream. */
  handleReset(stream: number, code: ErrorCode): void;
  /** Called when the other end accepts no more streams with numbers above `last`. */
  handleGoaway(last: number, code: ErrorCode): void;
  /** Called when an error has ended the connection. No frame is handled after that. */
  handleBroken(error: H2ConnectionError): void;
  /** Handles the dependency that a HEADERS or PRIORITY frame states (RFC 7540 §5.3). */
  handleDependency(stream: number, dependency: Dependency): void;
  /** Handles a PRIORITY_UPDATE frame (RFC 9218 §7.1). `text` is the value of its priority field. */
  handlePriority(stream: number, text: string): void;
}

/** Bytes to write. All of them belong to `object`, or to no object if it is null. */
export interface OutgoingFrames {
  readonly bytes: Uint8Array;
  readonly object: number | null;
}

/**
 * One end of an HTTP/2 connection (RFC 9113), sans-IO. It handles frames, field blocks, settings, windows, stream
 * states and errors. It passes the fields and data of messages to its owner.
 *
 * After each call, write the bytes that {@link H2Peer.pollFrames} returns, until it returns undefined.
 */
export class H2Peer {
  readonly #options: H2PeerOptions;
  readonly #reader = new H2FrameReader();
  readonly #decoder: HpackDecoder;
  readonly #encoder = new HpackEncoder();
  readonly #outgoing: OutgoingFrames[] = [];
  /** Allocates the memory of DATA frames. */
  readonly #slices = new Slices();
  readonly #streams = new Map<number, Stream>();
  /**
   * The last {@link MOST_STREAMS} streams that this end has reset. Frames that the peer sent on such a stream before it
   * knew of the reset are not an error (RFC 9113 §5.1).
   */
  readonly #reset = new Set<number>();
  readonly #sendWindow = new SendWindow(USUAL_WINDOW_BYTES);
  readonly #receiveWindow: ReceiveWindow;
  /** The field block of which only some frames have arrived, or undefined if there is none. */
  #block: {readonly stream: number; readonly isEnd: boolean; bytes: Uint8Array; frames: number} | undefined;
  /** Number of bytes of the client's preface that have arrived. */
  #prefaceBytes = 0;
  #hasSettings = false;
  #isBroken = false;
  #peerWindowBytes = USUAL_WINDOW_BYTES;
  #peerFrameBytes = MOST_FRAME_BYTES;
  #lastPeerStream = 0;
  #lastOwnStream: number;
  /** The peer's limit on concurrent streams. */
  mostStreams = Number.POSITIVE_INFINITY;

  constructor(options: H2PeerOptions) {
    this.#options = options;
    this.#decoder = new HpackDecoder(options.tableBytes, options.listBytes);
    this.#receiveWindow = new ReceiveWindow(options.connectionWindowBytes);
    this.#lastOwnStream = options.role === 'client' ? -1 : 0;
  }

  /**
   * Queues the first frames of this end: the preface if it is a client, then the settings (RFC 9113 §3.4), then a
   * WINDOW_UPDATE if the connection's window is larger than the default.
   */
  start(): void {
    const {role, settings, connectionWindowBytes} = this.#options;
    const first = [encodeSettings(settings)];
    const more = connectionWindowBytes - USUAL_WINDOW_BYTES;
    if (more > 0) first.push(encodeWindowUpdate(0, more));
    // Chromium writes its preface and these frames in a single write (`SpdySession::SendInitialData`)
    if (role === 'client') this.#push(joinedBytes([PREFACE, ...first]), null);
    else for (const frame of first) this.#push(frame, null);
  }

  /** Handles the next bytes of the connection. */
  handleBytes(bytes: Uint8Array): void {
    if (this.#isBroken) return;
    try {
      for (const frame of this.#reader.push(this.#skipPreface(bytes))) this.#handleFrameOrReset(frame);
    } catch (error) {
      this.#break(error instanceof HpackError ? new H2ConnectionError('COMPRESSION_ERROR', error.message) : error);
    }
  }

  pollFrames(): OutgoingFrames | undefined {
    return this.#outgoing.shift();
  }

  /** Opens the client's next stream and returns its number. The client must then send a request on it. */
  openStream(): number {
    this.#lastOwnStream += 2;
    this.#streams.set(this.#lastOwnStream, this.#newStream());
    return this.#lastOwnStream;
  }

  /** Number of open streams. */
  get streams(): number {
    return this.#streams.size;
  }

  /** Whether a preface, frame or field block has arrived only in part. */
  get isReading(): boolean {
    const isPreface = this.#prefaceBytes > 0 && this.#prefaceBytes < PREFACE.length;
    return isPreface || this.#block !== undefined || this.#reader.isInside;
  }

  /** Number of bytes of incomplete frames and field blocks. */
  get heldBytes(): number {
    return this.#reader.heldBytes + (this.#block?.bytes.length ?? 0);
  }

  sendFields(stream: number, fields: readonly Field[], isEnd: boolean, dependency?: Dependency): void {
    const block = this.#encoder.encode(fields);
    const bytes = encodeHeaders(stream, block, isEnd, this.#peerFrameBytes, dependency);
    this.#push(bytes, this.#options.owner.objectOf(stream));
    if (isEnd) this.#endLocal(stream);
  }

  /** Sends a PRIORITY frame with a dependency (RFC 7540 §6.3). */
  sendDependency(stream: number, dependency: Dependency): void {
    this.#push(encodeDependency(stream, dependency), this.#options.owner.objectOf(stream));
  }

  /** Sends a PRIORITY_UPDATE frame. `text` is the value of its priority field (RFC 9218 §7.1). */
  sendPriority(stream: number, text: string): void {
    this.#push(encodePriorityUpdate(stream, text), this.#options.owner.objectOf(stream));
  }

  /** Returns the largest number of bytes that a DATA frame of the stream can carry now. */
  dataRoom(stream: number): number {
    const window = this.#streams.get(stream)?.sendWindow.bytes ?? 0;
    return Math.max(0, Math.min(window, this.#sendWindow.bytes, this.#peerFrameBytes));
  }

  /**
   * Returns a DATA frame with `bytes`, of which there are at most {@link H2Peer.dataRoom}. The caller must write the
   * frame before it calls any other function.
   */
  sealData(stream: number, bytes: Uint8Array, isEnd: boolean): OutgoingFrames {
    this.#sendWindow.take(bytes.length);
    this.#streams.get(stream)?.sendWindow.take(bytes.length);
    const frame = encodeFrame(FRAME.data, isEnd ? FLAG.endStream : 0, stream, bytes, this.#slices);
    const object = this.#options.owner.objectOf(stream);
    if (isEnd) this.#endLocal(stream);
    return {bytes: frame, object};
  }

  #skipPreface(bytes: Uint8Array): Uint8Array {
    if (this.#options.role === 'client') return bytes;
    const at = this.#prefaceBytes;
    const expected = PREFACE.subarray(at, at + bytes.length);
    if (expected.some((byte, i) => byte !== bytes[i]))
      throw new H2ConnectionError('PROTOCOL_ERROR', 'the connection does not begin with the preface');
    this.#prefaceBytes += expected.length;
    return bytes.subarray(expected.length);
  }

  #handleFrameOrReset(frame: Frame): void {
    try {
      this.#handleFrame(frame);
    } catch (error) {
      if (error instanceof MessageError) this.#resetStream(frame.stream, 'PROTOCOL_ERROR');
      else if (error instanceof StreamError) this.#resetStream(error.stream, error.code);
      else throw error;
    }
  }

  #handleFrame(frame: Frame): void {
    const {type, stream, payload} = frame;
    // RFC 9113 §3.4, §6.10
    if (!this.#hasSettings && type !== FRAME.settings) throw protocolError('the first frame is not SETTINGS');
    const isContinued = type === FRAME.continuation && this.#block?.stream === stream;
    if (this.#block !== undefined && !isContinued)
      throw protocolError(`frame ${type} of stream ${stream} interrupts a field block`);
    if (this.#block === undefined && type === FRAME.continuation)
      throw protocolError(`CONTINUATION on stream ${stream}, which has no open field block`);
    if (OF_STREAM.has(type) && stream === 0) throw protocolError(`frame ${type} on stream 0`);
    if (OF_CONNECTION.has(type) && stream !== 0)
      throw protocolError(`frame ${type} on stream ${stream} (must be on stream 0)`);
    checkSize(frame);
    if (type === FRAME.data) this.#handleData(frame);
    else if (type === FRAME.headers) this.#handleHeaders(frame);
    else if (type === FRAME.continuation) this.#handleBlock(frame, payload);
    else if (type === FRAME.settings) this.#handleSettings(frame);
    else if (type === FRAME.priority) this.#options.owner.handleDependency(stream, dependencyAt(payload));
    else if (type === FRAME.windowUpdate) this.#handleWindowUpdate(stream, uint31At(payload, 0));
    else if (type === FRAME.rstStream) this.#handleRstStream(stream, errorCode(uint32At(payload, 0)));
    else if (type === FRAME.goaway)
      this.#options.owner.handleGoaway(uint31At(payload, 0), errorCode(uint32At(payload, 4)));
    else if (type === FRAME.pushPromise)
      throw protocolError('PUSH_PROMISE although pushes are disabled'); // RFC 9113 §8.4
    else if (type === FRAME.priorityUpdate) this.#handlePriorityUpdate(payload);
    else if (type === FRAME.ping && (frame.flags & FLAG.ack) === 0)
      this.#reply(encodeFrame(FRAME.ping, FLAG.ack, 0, payload));
  }

  #handleData(frame: Frame): void {
    const {stream: id, flags} = frame;
    const bytes = frame.payload.length;
    const data = unpadded(frame);
    // Padding counts towards the windows. Frames of streams that have been reset count towards the connection's window
    // (RFC 9113 §6.9, §5.1).
    if (!this.#receiveWindow.take(bytes))
      throw new H2ConnectionError('FLOW_CONTROL_ERROR', `DATA of ${bytes} bytes exceeds the connection’s window`);
    const update = this.#receiveWindow.pollUpdate();
    if (update > 0) this.#push(encodeWindowUpdate(0, update), null);
    const stream = this.#openToPeer(id);
    if (stream === undefined) return;
    if (!stream.receiveWindow.take(bytes))
      throw new StreamError(id, 'FLOW_CONTROL_ERROR', `DATA of ${bytes} bytes exceeds the stream’s window`);
    const isEnd = (flags & FLAG.endStream) !== 0;
    const more = isEnd ? 0 : stream.receiveWindow.pollUpdate();
    if (more > 0) this.#push(encodeWindowUpdate(id, more), this.#options.owner.objectOf(id));
    this.#options.owner.handleData(id, data, isEnd);
    if (isEnd) this.#endRemote(id);
  }

  #handleHeaders(frame: Frame): void {
    const block = unpadded(frame);
    const hasPriority = (frame.flags & FLAG.priority) !== 0;
    if (hasPriority && block.length < 5)
      throw new H2ConnectionError(
        'FRAME_SIZE_ERROR',
        `HEADERS with ${block.length} bytes of priority fields (must be 5)`,
      );
    if (hasPriority) this.#options.owner.handleDependency(frame.stream, dependencyAt(block));
    const isEnd = (frame.flags & FLAG.endStream) !== 0;
    this.#block = {stream: frame.stream, isEnd, bytes: new Uint8Array(0), frames: 0};
    this.#handleBlock(frame, hasPriority ? block.subarray(5) : block);
  }

  #handleBlock({stream, flags}: Frame, bytes: Uint8Array): void {
    const before = this.#block;
    if (before === undefined) return;
    const isFirst = before.frames === 0;
    before.frames += 1;
    // A block in a single frame is decoded without a copy.
    const all = isFirst && (flags & FLAG.endHeaders) !== 0 ? bytes : joinedBytes([before.bytes, bytes]);
    // A malicious peer could continue a block endlessly (RFC 9113 §10.5.1).
    if (all.length > this.#options.listBytes || before.frames > MOST_BLOCK_FRAMES)
      throw new H2ConnectionError('ENHANCE_YOUR_CALM', `field block of ${all.length} bytes in ${before.frames} frames`);
    before.bytes = all;
    if ((flags & FLAG.endHeaders) === 0) return;
    this.#block = undefined;
    const {fields, isTooLarge} = this.#decoder.decode(all);
    this.#handleFields(stream, isTooLarge ? undefined : fields, before.isEnd);
  }

  /** Handles a decoded field block. `fields` is undefined if the fields are larger than this end accepts. */
  #handleFields(id: number, fields: readonly Field[] | undefined, isEnd: boolean): void {
    if (this.#options.role === 'server' && id > this.#lastPeerStream) this.#openPeerStream(id);
    if (this.#openToPeer(id) === undefined) return;
    if (fields === undefined) throw new StreamError(id, 'ENHANCE_YOUR_CALM', 'the fields are too large');
    this.#options.owner.handleFields(id, fields, isEnd);
    if (isEnd) this.#endRemote(id);
  }

  #openPeerStream(id: number): void {
    if (id % 2 === 0) throw protocolError(`a client opened stream ${id} (must be odd)`); // RFC 9113 §5.1.1
    this.#lastPeerStream = id;
    if (this.#streams.size >= MOST_STREAMS) {
      this.#resetStream(id, 'REFUSED_STREAM'); // RFC 9113 §5.1.2
      return;
    }
    this.#streams.set(id, this.#newStream());
  }

  /**
   * Returns the stream if the peer may send on it, or undefined if this end has reset it.
   * @throws H2ConnectionError if the peer must not send on it
   */
  #openToPeer(id: number): Stream | undefined {
    if (this.#isIdle(id)) throw protocolError(idleText(id));
    const stream = this.#streams.get(id);
    if (stream !== undefined && !stream.isRemoteEnded) return stream;
    if (this.#reset.has(id)) return undefined;
    throw new H2ConnectionError('STREAM_CLOSED', `frame on stream ${id}, which has ended`); // RFC 9113 §5.1
  }

  #isIdle(id: number): boolean {
    const isOwn = (id % 2 === 1) === (this.#options.role === 'client');
    return id > (isOwn ? this.#lastOwnStream : this.#lastPeerStream);
  }

  #handleSettings({flags, payload}: Frame): void {
    if ((flags & FLAG.ack) !== 0) {
      if (!this.#hasSettings) throw protocolError('the first SETTINGS frame is an acknowledgement');
      return;
    }
    this.#hasSettings = true;
    for (let at = 0; at < payload.length; at += 6) {
      this.#handleSetting((payload[at] ?? 0) * 256 + (payload[at + 1] ?? 0), uint32At(payload, at + 2));
    }
    this.#reply(encodeFrame(FRAME.settings, FLAG.ack, 0, new Uint8Array(0)));
  }

  #handleSetting(id: number, value: number): void {
    if (id === SETTING.headerTableSize) this.#encoder.limit(value);
    else if (id === SETTING.maxConcurrentStreams) this.mostStreams = value;
    else if (id === SETTING.enablePush) {
      // A server never allows push (RFC 9113 §6.5.2).
      if (value > (this.#options.role === 'client' ? 0 : 1)) throw protocolError(`SETTINGS_ENABLE_PUSH is ${value}`);
    } else if (id === SETTING.maxFrameSize) {
      if (value < MOST_FRAME_BYTES || value >= 2 ** 24)
        throw protocolError(`SETTINGS_MAX_FRAME_SIZE is ${value} (must be ${MOST_FRAME_BYTES} to ${2 ** 24 - 1})`);
      this.#peerFrameBytes = value;
    } else if (id === SETTING.initialWindowSize) {
      const more = windowSetting(value) - this.#peerWindowBytes;
      this.#peerWindowBytes = value;
      // A change of the initial window changes the windows of all open streams (RFC 9113 §6.9.2).
      for (const {sendWindow} of this.#streams.values()) {
        if (!sendWindow.grow(more))
          throw new H2ConnectionError(
            'FLOW_CONTROL_ERROR',
            `SETTINGS_INITIAL_WINDOW_SIZE of ${value} overflows a window`,
          );
      }
    }
  }

  #handleWindowUpdate(id: number, bytes: number): void {
    const what = `WINDOW_UPDATE by ${bytes}`;
    if (id === 0) {
      if (bytes === 0) throw protocolError(what);
      if (!this.#sendWindow.grow(bytes)) throw new H2ConnectionError('FLOW_CONTROL_ERROR', what);
      return;
    }
    if (this.#isIdle(id)) throw protocolError(idleText(id));
    const stream = this.#streams.get(id);
    if (stream === undefined) return; // the stream has ended
    if (bytes === 0) throw new StreamError(id, 'PROTOCOL_ERROR', what);
    if (!stream.sendWindow.grow(bytes)) throw new StreamError(id, 'FLOW_CONTROL_ERROR', what);
  }

  #handleRstStream(id: number, code: ErrorCode): void {
    if (this.#isIdle(id)) throw protocolError(idleText(id));
    if (this.#streams.delete(id)) this.#options.owner.handleReset(id, code);
  }

  #handlePriorityUpdate(payload: Uint8Array): void {
    const id = uint31At(payload, 0);
    // RFC 9218 §7.1
    if (this.#options.role === 'client' || id === 0)
      throw protocolError(
        `PRIORITY_UPDATE for stream ${id} from a ${this.#options.role === 'client' ? 'server' : 'client'}`,
      );
    this.#options.owner.handlePriority(id, String.fromCharCode(...payload.subarray(4, 4 + MOST_PRIORITY_BYTES)));
  }

  #resetStream(id: number, code: ErrorCode): void {
    const wasOpen = this.#streams.delete(id);
    this.#reset.add(id);
    const [oldest] = this.#reset;
    if (this.#reset.size > MOST_STREAMS && oldest !== undefined) this.#reset.delete(oldest);
    this.#reply(encodeRstStream(id, code), this.#options.owner.objectOf(id));
    if (wasOpen) this.#options.owner.handleReset(id, code);
  }

  #break(error: unknown): void {
    if (!(error instanceof H2ConnectionError)) throw error;
    this.#isBroken = true;
    this.#push(encodeGoaway(this.#lastPeerStream, error.code), null);
    this.#streams.clear();
    this.#options.owner.handleBroken(error);
  }

  #endLocal(id: number): void {
    const stream = this.#streams.get(id);
    if (stream !== undefined) stream.isLocalEnded = true;
    if (stream?.isRemoteEnded) this.#streams.delete(id);
  }

  #endRemote(id: number): void {
    const stream = this.#streams.get(id);
    if (stream !== undefined) stream.isRemoteEnded = true;
    if (stream?.isLocalEnded) this.#streams.delete(id);
  }

  #newStream(): Stream {
    return {
      sendWindow: new SendWindow(this.#peerWindowBytes),
      receiveWindow: new ReceiveWindow(this.#options.streamWindowBytes),
      isLocalEnded: false,
      isRemoteEnded: false,
    };
  }

  /**
   * Queues a reply to a frame. The number of queued frames is limited, because a malicious peer could request replies
   * endlessly (RFC 9113 §10.5).
   */
  #reply(bytes: Uint8Array, object: number | null = null): void {
    if (this.#outgoing.length >= MOST_REPLIES)
      throw new H2ConnectionError('ENHANCE_YOUR_CALM', `${this.#outgoing.length} frames wait to be written`);
    this.#push(bytes, object);
  }

  #push(bytes: Uint8Array, object: number | null): void {
    this.#outgoing.push({bytes, object});
  }
}

function checkSize({type, stream, flags, payload: {length}}: Frame): void {
  const isAck = type === FRAME.settings && (flags & FLAG.ack) !== 0;
  const isWrong =
    (SIZES[type] !== undefined && length !== SIZES[type]) ||
    (type === FRAME.settings && (isAck ? length > 0 : length % 6 !== 0)) ||
    (type === FRAME.goaway && length < 8) ||
    (type === FRAME.priorityUpdate && length < 4);
  if (!isWrong) return;
  const message = `frame ${type} has a payload of ${length} bytes, which is not a valid size`;
  if (type === FRAME.priority) throw new StreamError(stream, 'FRAME_SIZE_ERROR', message); // RFC 9113 §6.3
  throw new H2ConnectionError('FRAME_SIZE_ERROR', message);
}

function idleText(stream: number): string {
  return `frame on stream ${stream}, which has not been opened`;
}

function protocolError(message: string): H2ConnectionError {
  return new H2ConnectionError('PROTOCOL_ERROR', message);
}

interface Stream {
  readonly sendWindow: SendWindow;
  readonly receiveWindow: ReceiveWindow;
  isLocalEnded: boolean;
  isRemoteEnded: boolean;
}

const OF_STREAM: ReadonlySet<number> = new Set([
  FRAME.data,
  FRAME.headers,
  FRAME.priority,
  FRAME.rstStream,
  FRAME.continuation,
  FRAME.pushPromise,
]);
const OF_CONNECTION: ReadonlySet<number> = new Set([FRAME.settings, FRAME.ping, FRAME.goaway, FRAME.priorityUpdate]);
/** Payload sizes of the frame types whose payload has a fixed size, in bytes. */
const SIZES: {readonly [type: number]: number} = {
  [FRAME.priority]: 5,
  [FRAME.rstStream]: 4,
  [FRAME.ping]: 8,
  [FRAME.windowUpdate]: 4,
};
/** The number of concurrent streams that a server allows. It is nginx's default (`http2_max_concurrent_streams`). */
export const MOST_STREAMS = 128;
/** If this many frames wait to be written, another reply is an error, which ends the connection. */
const MOST_REPLIES = 10_000;
/**
 * The largest number of frames of one field block. Full frames of 16 KB reach the limit on the block's bytes long
 * before this limit.
 */
const MOST_BLOCK_FRAMES = 100;
/** The largest number of bytes of a PRIORITY_UPDATE's text that are read. */
const MOST_PRIORITY_BYTES = 100;
