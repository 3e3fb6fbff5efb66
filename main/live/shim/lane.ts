import {Duplex} from 'node:stream';
import {joinedBytes} from '../../../app/http/buffers.ts';

/** What a lane tells its association. */
export interface LaneHost {
  /** The lane has something to send. */
  wake(lane: Lane): void;
  /** The lane has read so many bytes, which the peer may be granted anew. */
  granted(lane: Lane, bytes: number): void;
  /** The lane is closed before both ends have ended. */
  gaveUp(lane: Lane, reason: string): void;
  /** Nothing more comes of it. */
  gone(lane: Lane): void;
}

export interface LaneOptions {
  readonly stream: number;
  readonly life: number;
  /** Bytes that either end may send before it is granted more. */
  readonly windowBytes: number;
  /** Most bytes that may have come without being read. */
  readonly unreadBytes: number;
}

/** One life of a stream, as a connection for Node's HTTP. */
export class Lane extends Duplex {
  readonly stream: number;
  readonly life: number;
  readonly #host: LaneHost;
  readonly #options: LaneOptions;
  #unread: Uint8Array[] = [];
  #unreadBytes = 0;
  /** The reader of the lane wants more. */
  #wantsMore = false;
  /** Bytes that were read and not granted anew. */
  #readBytes = 0;
  /** Bytes that were written and not yet sent. */
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

  /** As of a socket: HTTP is done with the connection. Whatever still comes is read to its end and dropped. */
  destroySoon(): void {
    this.end();
    this.resume();
  }

  /** Whether the peer knows of this life. */
  get hasSent(): boolean {
    return this.#hasSent;
  }

  /** Bytes that came and were not read. */
  get unreadBytes(): number {
    return this.#unreadBytes;
  }

  /** Takes bytes from the peer. False if there is no room for them. */
  handleBytes(bytes: Uint8Array): boolean {
    if (this.#hasPeerEnded || this.#unreadBytes + bytes.length > this.#options.unreadBytes) return false;
    const last = this.#unread.at(-1);
    // small pieces are joined: single bytes would take a hundred times as much memory
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

  /** What is to be sent now: at most `mostBytes`, or 'end', or undefined if nothing is. */
  peek(mostBytes: number): Uint8Array | 'end' | undefined {
    if (this.destroyed) return undefined;
    if (this.#written.length > 0) {
      const bytes = this.#written.subarray(0, Math.min(mostBytes, this.#creditBytes));
      return bytes.length > 0 ? bytes : undefined;
    }
    return this.#ended === undefined ? undefined : 'end';
  }

  /** To be called when the piece from {@link Lane.peek} was sent. */
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

  /** Joins pieces, so that a head and what follows it share a message. */
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

  /** All that was written is sent. */
  #settle(): void {
    const taken = this.#taken;
    this.#taken = undefined;
    taken?.();
  }

  /** Gives the reader as much as it wants. The rest waits here, and is not granted anew. */
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

/** How many times credit is granted per window. */
const GRANTS = 4;
/** Pieces are joined up to this size. */
const PIECE_BYTES = 1024;
const NOTHING = new Uint8Array(0);
