import type {AppEvent, QuicConnection} from '../../native/addon/index.js';
import {H3End} from './h3End.ts';
import type {Served} from './httpEnd.ts';

export interface QuicPeerOptions {
  readonly send: (datagrams: readonly Uint8Array[]) => void;
  /** The handshake is done: the peer is where it says. */
  readonly onConnected: () => void;
  readonly onEnd: () => void;
}

/** A server's end of one QUIC connection, with its timer. After it was made, call {@link QuicPeer.go}. */
export class QuicPeer {
  readonly #connection: QuicConnection;
  readonly #served: Served;
  readonly #options: QuicPeerOptions;
  readonly #end: H3End;
  readonly #sinceNs: number;
  #timer: NodeJS.Timeout | undefined;
  #isConnected = false;
  #isClosing = false;
  #hasEnded = false;
  /** That came on streams, and what these leave behind. */
  #bytes = 0;

  constructor(connection: QuicConnection, served: Served, options: QuicPeerOptions) {
    this.#connection = connection;
    this.#served = served;
    this.#options = options;
    this.#end = new H3End(served, connection);
    this.#sinceNs = served.clock();
  }

  get isConnected(): boolean {
    return this.#isConnected;
  }

  handlePacket(datagram: Uint8Array): void {
    this.#call(() => this.#connection.handlePacket(datagram, this.#served.clock()));
  }

  /** Does what is to be done now, and again when a timer has run off. */
  go(): void {
    this.#call(() => undefined);
  }

  /** One that is idle is closed; one that does not finish its handshake, or takes too long, is given up. */
  sweep(): void {
    const {clock, limits} = this.#served;
    const isSlow = !this.#isConnected && clock() - this.#sinceNs > limits.handshakeMs * 1e6;
    const {isLate, isIdle} = this.#end.patience;
    if (isSlow || (isLate && (this.#isClosing || !isIdle))) this.abort();
    else if (isLate) this.#close();
  }

  abort(): void {
    this.#call(() => this.#connection.abort());
  }

  /** Without a word to the peer. */
  end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    clearTimeout(this.#timer);
    this.#connection.free();
    this.#options.onEnd();
  }

  #close(): void {
    this.#isClosing = true;
    this.#end.patience.restart();
    this.#call(() => this.#connection.close());
  }

  /** A connection that fails is given up, and no other with it. */
  #call(call: () => void): void {
    if (this.#hasEnded) return;
    try {
      call();
      this.#settle();
    } catch {
      this.end();
    }
  }

  #settle(): void {
    const {clock} = this.#served;
    for (let isLeft = true; isLeft; ) {
      const events = this.#connection.pollEvents();
      for (const event of events) this.#handle(event);
      const isOver = events.some(({type}) => type === 'closed');
      if (this.#isConnected && !this.#isClosing && !isOver) this.#end.write();
      const datagrams = this.#connection.pollTransmit(clock());
      this.#options.send(datagrams);
      isLeft = events.length + datagrams.length > 0;
      if (isOver) this.end();
      if (this.#hasEnded) return;
    }
    this.#schedule();
  }

  #handle(event: AppEvent): void {
    if (event.type === 'connected') {
      this.#isConnected = true;
      this.#options.onConnected();
    }
    if (event.type === 'peer-closed') this.#isClosing = true;
    if (this.#isClosing) return;
    const {streamBytes} = this.#served.limits;
    this.#bytes += this.#end.handle(event);
    if (event.type === 'finished' || event.type === 'reset') this.#bytes += STREAM_BYTES;
    if (this.#end.isBroken || this.#end.patience.isFull || this.#bytes > streamBytes)
      this.#connection.abort();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    const {nextTimeoutNs} = this.#connection;
    if (nextTimeoutNs === Number.POSITIVE_INFINITY) return;
    const waitMs = Math.max(0, Math.ceil((nextTimeoutNs - this.#served.clock()) / 1e6));
    this.#timer = setTimeout(() => {
      this.#call(() => this.#connection.handleTimeout(this.#served.clock()));
    }, waitMs);
  }
}

/** About as many are kept here of a stream that is done. */
const STREAM_BYTES = 256;
