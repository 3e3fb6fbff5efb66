import {H2Server} from '../../../app/http/h2/h2Server.ts';
import type {Clock} from '../../net/clock.ts';
import type {HeadBudget, HeadSender} from './headBudget.ts';
import type {ConnectionEndOptions, HttpConnectionEnd, Served} from './httpEnd.ts';
import {Patience} from './patience.ts';

/**
 * The server's end of HTTP/2 over one connection. It also measures how long the client takes to send requests and to
 * read answers. Responses share the connection by the priorities of their requests (RFC 9218).
 */
export class H2End implements HttpConnectionEnd {
  readonly patience: Patience;
  readonly #clock: Clock;
  readonly #streamBytes: number;
  readonly #server: H2Server;
  readonly #send: (bytes: Uint8Array) => number;
  /** Bytes that were received. They count towards the limit `streamBytes`. */
  #bytes = 0;
  /** Bytes that the transport did not accept. */
  #unsent: Uint8Array = NOTHING;

  readonly #heads: HeadBudget;
  readonly #sender: HeadSender;

  constructor(served: Served, {address, send, giveUp}: ConnectionEndOptions) {
    const {respond, clock, limits} = served;
    const refuse = (head: Parameters<Served['refuse']>[0]) => served.refuse(head, address);
    this.patience = new Patience(limits, clock);
    this.#clock = clock;
    this.#streamBytes = limits.streamBytes;
    this.#server = new H2Server({respond, refuse, thinkNs: 0, scheduler: 'round-robin'});
    this.#send = send;
    this.#heads = served.heads;
    this.#sender = {giveUp};
    this.#server.handleConnected();
  }

  handleBytes(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    this.#server.handleBytes(bytes, this.#clock());
    this.#heads.settle(this.#sender, this.#server.headBytes);
    this.patience.settle(this.#server);
  }

  write(): void {
    for (let bytes = this.#next(); bytes.length > 0; bytes = this.#next()) {
      this.#unsent = bytes.subarray(this.#send(bytes));
      if (this.#unsent.length > 0) break;
    }
    this.patience.settle(this.#server);
  }

  /**
   * Whether the server should not read more now, because too many requests wait or the transport has not accepted all
   * bytes yet. Even a PING or SETTINGS frame would need an answer, which would have to be held in memory.
   */
  get isFull(): boolean {
    return this.#unsent.length > 0 || this.patience.isFull;
  }

  /**
   * Whether the peer has broken the protocol or exceeded the limit `streamBytes`. The server then ends the connection
   * without the remaining answers.
   */
  get isOver(): boolean {
    const spent = this.#bytes + this.#server.requests * STREAM_BYTES;
    return this.#server.isBroken || spent > this.#streamBytes;
  }

  get isDone(): boolean {
    return this.isOver;
  }

  forget(): void {
    this.#heads.settle(this.#sender, 0);
  }

  /**
   * The bytes to write next. These are the bytes that the transport has not accepted yet. If there are none, these are
   * new bytes, about as many as fit in one TLS record.
   */
  #next(): Uint8Array {
    if (this.#unsent.length > 0) return this.#unsent;
    const pieces: Uint8Array[] = [];
    const nowNs = this.#clock();
    for (let bytes = 0; bytes < RECORD_BYTES; ) {
      const frames = this.#server.pollFrames(nowNs) ?? this.#server.pollData(nowNs);
      if (frames === undefined) break;
      pieces.push(frames.bytes);
      bytes += frames.bytes.length;
    }
    // The frames are copied, because the HTTP/2 server reuses their memory while the socket may still hold unsent
    // bytes.
    return Buffer.concat(pieces);
  }
}

/** Roughly how many bytes of memory a finished stream still occupies. */
const STREAM_BYTES = 256;
/** The longest TLS record (RFC 8446 §5.1). */
const RECORD_BYTES = 16_384;
const NOTHING = new Uint8Array(0);
