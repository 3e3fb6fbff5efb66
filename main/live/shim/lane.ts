import {Duplex} from 'node:stream';
import {joined} from '../../../app/http/bytes.ts';

/** What a lane has its association do. */
export interface LaneHost {
  /** It has something to send. */
  wake(lane: Lane): void;
  /** It has read so many bytes. */
  granted(lane: Lane, bytes: number): void;
  /** It goes before both ends have said that they end. */
  gaveUp(lane: Lane, reason: string): void;
  /** Nothing more comes of it. */
  gone(lane: Lane): void;
}

export interface LaneOptions {
  readonly stream: number;
  readonly life: number;
  /** What either end may send before it is granted more. */
  readonly windowBytes: number;
  /** What may have come and not be read. */
  readonly unreadBytes: number;
}

/** One life of a stream, as Node's HTTP takes it for a connection. */
export class Lane extends Duplex {
  readonly stream: number;
  readonly life: number;
  readonly #host: LaneHost;
  readonly #options: LaneOptions;
  #unread: Uint8Array[] = [];
  #unreadBytes = 0;
  /** Its reader does. */
  #wantsMore = false;
  /** Read, and not granted anew. */
  #readBytes = 0;
  /** Still to be sent, of what was written. */
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

  /** As a socket's: HTTP is done with it. What still comes is read, up to its end, and dropped. */
  destroySoon(): void {
    this.end();
    this.resume();
  }

  /** The peer knows of it. */
  get hasSent(): boolean {
    return this.#hasSent;
  }

  /** Came, and is not read. */
  get unreadBytes(): number {
    return this.#unreadBytes;
  }

  /** False: there is no room for it. */
  handleBytes(bytes: Uint8Array): boolean {
    if (this.#hasPeerEnded || this.#unreadBytes + bytes.length > this.#options.unreadBytes) return false;
    const last = this.#unread.at(-1);
    // of single bytes each would take a hundred times as much memory
    if (last !== undefined && last.length + bytes.length <= PIECE_BYTES)
      this.#unread[this.#unread.length - 1] = joined([last, bytes]);
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

  /** Of what is to be sent now at most `mostBytes`, or that it ends; undefined: nothing. */
  peek(mostBytes: number): Uint8Array | 'end' | undefined {
    if (this.destroyed) return undefined;
    if (this.#written.length > 0) {
      const bytes = this.#written.subarray(0, Math.min(mostBytes, this.#creditBytes));
      return bytes.length > 0 ? bytes : undefined;
    }
    return this.#ended === undefined ? undefined : 'end';
  }

  /** What {@link Lane.peek} gave was taken. */
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

  /** A head and what follows it share a message. */
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

  /** What was written is taken. */
  #settle(): void {
    const taken = this.#taken;
    this.#taken = undefined;
    taken?.();
  }

  /** As much as is wanted: the rest waits here, and no more is granted. */
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

/** To a window. */
const GRANTS = 4;
/** Up to which what came is kept together. */
const PIECE_BYTES = 1024;
const NOTHING = new Uint8Array(0);
