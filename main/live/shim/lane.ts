import {Duplex} from 'node:stream';
import {joinedBytes} from '../../../app/http/buffers.ts';

/** What a lane calls on the {@link Lanes} of its association. */
export interface LaneHost {
  /** Called when the lane has something to send. */
  wake(lane: Lane): void;
  /** Called when this many bytes of the lane have been read. The peer may be granted as many anew. */
  granted(lane: Lane, bytes: number): void;
  /** Called if the lane is closed before both ends have finished sending. */
  gaveUp(lane: Lane, reason: string): void;
  /** Called when the lane is closed. */
  gone(lane: Lane): void;
}

export interface LaneOptions {
  readonly stream: number;
  readonly life: number;
  /** Bytes that either end may send before it is granted more. */
  readonly windowBytes: number;
  /** Most bytes that may have come without having been read. */
  readonly unreadBytes: number;
}

/** One life of a stream, as a connection that Node's HTTP can use. */
export class Lane extends Duplex {
  readonly stream: number;
  readonly life: number;
  readonly #host: LaneHost;
  readonly #options: LaneOptions;
  #unread: Uint8Array[] = [];
  #unreadBytes = 0;
  /** Whether the reader of the lane wants more. */
  #wantsMore = false;
  /** Bytes that were read, but not granted to the peer anew. */
  #readBytes = 0;
  /** Bytes that were written to the lane but not sent. */
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
   * Called by Node's HTTP, as for a socket, when it has finished with the connection. Whatever still comes is read and
   * dropped.
   */
  destroySoon(): void {
    this.end();
    this.resume();
  }

  /** Whether anything was sent, so that the peer knows of this life. */
  get hasSent(): boolean {
    return this.#hasSent;
  }

  /** Bytes that came but were not read. */
  get unreadBytes(): number {
    return this.#unreadBytes;
  }

  /** Handles bytes from the peer. False if there is no room for them. */
  handleBytes(bytes: Uint8Array): boolean {
    if (this.#hasPeerEnded || this.#unreadBytes + bytes.length > this.#options.unreadBytes) return false;
    const last = this.#unread.at(-1);
    // small pieces are joined, because single bytes would need a hundred times as much memory
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

  /** What is to be sent next: at most `mostBytes`, or 'end'. Undefined if nothing can be sent now. */
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

  /** Joins pieces, so that a head is sent in the same message as the bytes that follow it. */
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

  /** Reports to the writer that everything it wrote has been sent. */
  #settle(): void {
    const taken = this.#taken;
    this.#taken = undefined;
    taken?.();
  }

  /** Gives the reader as much as it wants. The rest stays in this lane, and the peer is not granted as much anew. */
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
