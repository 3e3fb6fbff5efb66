import {Duplex} from 'node:stream';
import {joinedBytes} from '../../../app/http/buffers.ts';

/** The callbacks of a lane. {@link AssociationLanes} implements them. */
export interface LaneHost {
  /** Called when the lane has something to send. */
  wake(lane: Lane): void;
  /** Called when `bytes` more bytes of the lane have been read. The peer may then send `bytes` more bytes. */
  granted(lane: Lane, bytes: number): void;
  /** Called if the lane closes before both ends have finished sending. */
  gaveUp(lane: Lane, reason: string): void;
  /** Called when the lane has closed. */
  gone(lane: Lane): void;
}

export interface LaneOptions {
  readonly stream: number;
  readonly life: number;
  /** How many bytes each end may send before the other end grants more. */
  readonly windowBytes: number;
  /** How many bytes may be received but not read. */
  readonly unreadBytes: number;
}

/**
 * One HTTP/1.1 connection on a stream of an association. Node's HTTP uses it like a socket. A stream carries one lane
 * after another. `life` is the lane's number on its stream, modulo 256. If the peer is not a shim, `life` is always 0.
 */
export class Lane extends Duplex {
  readonly stream: number;
  readonly life: number;
  readonly #host: LaneHost;
  readonly #options: LaneOptions;
  #unread: Uint8Array[] = [];
  #unreadBytes = 0;
  /** Whether Node has asked for more bytes. */
  #wantsMore = false;
  /** Bytes that were read, but for which the peer has not been granted new credit yet. */
  #readBytes = 0;
  /** Bytes that were written to the lane but not yet sent. */
  #written: Uint8Array = NOTHING;
  #taken: (() => void) | undefined;
  #ended: (() => void) | undefined;
  #creditBytes: number;
  #hasSent = false;
  #hasEnded = false;
  #hasPeerEnded = false;

  constructor(options: LaneOptions, host: LaneHost) {
    super({allowHalfOpen: true});
    this.#options = options;
    this.#host = host;
    this.stream = options.stream;
    this.life = options.life;
    this.#creditBytes = options.windowBytes;
    this.once('close', () => host.gone(this));
  }

  /**
   * Node's HTTP calls this when it no longer needs the connection. Further bytes from the peer are read and dropped.
   */
  destroySoon(): void {
    this.end();
    this.resume();
  }

  /** Whether this end has sent anything. If not, the peer knows the lane only if the peer opened it. */
  get hasSent(): boolean {
    return this.#hasSent;
  }

  /** Bytes that were received but not read. */
  get unreadBytes(): number {
    return this.#unreadBytes;
  }

  /**
   * Handles bytes from the peer. Returns false if there is no room for them, or if the peer had already ended the lane.
   */
  handleBytes(bytes: Uint8Array): boolean {
    if (this.#hasPeerEnded || this.#unreadBytes + bytes.length > this.#options.unreadBytes) return false;
    const last = this.#unread.at(-1);
    // Small pieces are joined, because pieces of one byte would occupy a hundred times as much memory.
    if (last !== undefined && last.length + bytes.length <= PIECE_BYTES)
      this.#unread[this.#unread.length - 1] = joinedBytes([last, bytes]);
    else this.#unread.push(bytes);
    this.#unreadBytes += bytes.length;
    this.#deliver();
    return true;
  }

  handleEnd(): void {
    this.#hasPeerEnded = true;
    this.#deliver();
  }

  handleCredit(bytes: number): void {
    this.#creditBytes += bytes;
    this.#host.wake(this);
  }

  /**
   * Returns what to send next. It is a piece of at most `mostBytes`, or 'end' after all bytes. Undefined if nothing can
   * be sent now.
   */
  peek(mostBytes: number): Uint8Array | 'end' | undefined {
    if (this.destroyed) return undefined;
    if (this.#written.length > 0) {
      const bytes = this.#written.subarray(0, Math.min(mostBytes, this.#creditBytes));
      return bytes.length > 0 ? bytes : undefined;
    }
    return this.#ended === undefined ? undefined : 'end';
  }

  /** Call this when the piece from {@link Lane.peek} has been sent. */
  handleSent(piece: Uint8Array | 'end'): void {
    this.#hasSent = true;
    if (piece === 'end') {
      this.#hasEnded = true;
      this.#ended?.();
      this.#ended = undefined;
      return;
    }
    this.#creditBytes -= piece.length;
    this.#written = this.#written.subarray(piece.length);
    if (this.#written.length === 0) this.#settle();
  }

  override _write(bytes: Uint8Array, _: BufferEncoding, taken: () => void): void {
    this.#written = bytes;
    this.#taken = taken;
    if (bytes.length === 0) this.#settle();
    else this.#host.wake(this);
  }

  /** Joins pieces, so that one message can contain a head and the bytes that follow it. */
  override _writev(pieces: {chunk: Uint8Array}[], taken: () => void): void {
    this._write(Buffer.concat(pieces.map(({chunk}) => chunk)), 'binary', taken);
  }

  override _final(ended: () => void): void {
    this.#ended = ended;
    this.#host.wake(this);
  }

  override _read(): void {
    this.#wantsMore = true;
    this.#deliver();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (!this.#hasEnded || !this.#hasPeerEnded) this.#host.gaveUp(this, error?.message ?? '');
    this.#unread = [];
    this.#unreadBytes = 0;
    this.#written = NOTHING;
    done(error);
  }

  /** Tells Node that everything that was written has been sent. */
  #settle(): void {
    const taken = this.#taken;
    this.#taken = undefined;
    taken?.();
  }

  /**
   * Passes received bytes to Node while Node asks for more. The peer is granted credit only for bytes that were passed.
   */
  #deliver(): void {
    while (this.#wantsMore && !this.destroyed) {
      const next = this.#unread.shift();
      if (next === undefined) break;
      this.#unreadBytes -= next.length;
      this.#readBytes += next.length;
      this.#wantsMore = this.push(next);
    }
    if (this.#readBytes >= this.#options.windowBytes / GRANTS) {
      this.#host.granted(this, this.#readBytes);
      this.#readBytes = 0;
    }
    if (this.#hasPeerEnded && this.#unread.length === 0) this.push(null);
  }
}

/** How often credit is granted per window. */
const GRANTS = 4;
/** Pieces are joined up to this size. */
const PIECE_BYTES = 1024;
const NOTHING = new Uint8Array(0);
