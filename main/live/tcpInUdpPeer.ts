import type {AppEvent, TcpConnection} from '../../native/addon/index.js';
import {HttpEnd, type Served} from './httpEnd.ts';
import {STEP_BYTES, TCP_FRAMING} from './tcpServer.ts';

export interface TcpInUdpPeerOptions {
  readonly send: (segments: readonly Uint8Array[]) => void;
  /** The handshake is done. */
  readonly onOpen: () => void;
  readonly onEnd: () => void;
}

/** A server's end of one connection of TCP in UDP, with its timer. */
export class TcpInUdpPeer {
  readonly #connection: TcpConnection;
  readonly #served: Served;
  readonly #options: TcpInUdpPeerOptions;
  readonly #end: HttpEnd;
  readonly #startNs: number;
  #timer: NodeJS.Timeout | undefined;
  #isOpen = false;
  #isReadable = false;
  /** Came, and is not read: too many requests wait. */
  #unread: Uint8Array = NOTHING;
  /** The peer sends no more. */
  #hasPeerClosed = false;
  /** This end does not. */
  #isClosing = false;
  #hasEnded = false;
  /** That came, and may leave something behind. */
  #segments = 0;

  constructor(connection: TcpConnection, served: Served, options: TcpInUdpPeerOptions) {
    this.#connection = connection;
    this.#served = served;
    this.#options = options;
    this.#startNs = served.clock();
    this.#end = new HttpEnd(served, TCP_FRAMING, (_, bytes) =>
      this.#isClosing ? 0 : connection.write(bytes),
    );
  }

  handleSegment(segment: Uint8Array, hasData: boolean): void {
    if (hasData) this.#segments += 1;
    if (this.#segments > this.#served.limits.packets) this.abort();
    this.#call(() => this.#connection.handlePacket(segment, this.#served.clock()));
  }

  /** Does what is to be done now, and again when a timer has run off. */
  go(): void {
    this.#call(() => undefined);
  }

  /** One that is idle is closed, and has as long again for that; of one that never opened nobody is told. */
  sweep(): void {
    const {clock, limits} = this.#served;
    if (!this.#isOpen && clock() - this.#startNs > limits.handshakeMs * 1e6) this.end();
    else if (!this.#isOpen || !this.#end.patience.isLate) return;
    else if (this.#isClosing || !this.#end.patience.isIdle) this.abort();
    else {
      this.#end.patience.restart();
      this.#call(() => this.#close());
    }
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
    this.#connection.close();
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
      if (this.#hasEnded) return;
      const isClosed = events.some(({type}) => type === 'closed');
      if (!isClosed) this.#serve();
      const segments = this.#connection.pollTransmit(clock());
      this.#options.send(segments);
      isLeft = events.length + segments.length > 0;
      if (isClosed) this.end();
      if (this.#hasEnded) return;
    }
    this.#schedule();
  }

  #handle(event: AppEvent): void {
    if (event.type === 'connected') {
      this.#isOpen = true;
      this.#end.patience.restart();
      this.#options.onOpen();
    } else if (event.type === 'readable') this.#isReadable = true;
    else if (event.type === 'peer-closed') this.#hasPeerClosed = true;
  }

  /** Reads requests a few at a time, as answers go: what is not read closes the peer's window. */
  #serve(): void {
    while ((this.#isReadable || this.#unread.length > 0) && !this.#end.patience.isFull) {
      if (this.#unread.length === 0) {
        this.#unread = this.#connection.read();
        this.#isReadable = false;
      }
      this.#end.handleBytes(0, this.#unread.subarray(0, STEP_BYTES));
      this.#unread = this.#unread.subarray(STEP_BYTES);
      this.#end.write();
    }
    this.#end.write();
    const hasAll = this.#hasPeerClosed && !this.#isReadable && this.#unread.length === 0;
    if (hasAll && this.#end.patience.isIdle && !this.#isClosing) this.#close();
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

const NOTHING = new Uint8Array(0);
