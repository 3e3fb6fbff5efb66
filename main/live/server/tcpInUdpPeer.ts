import type {AppEvent, TcpConnection} from '../../../native/addon/index.js';
import {HttpEnd, type Served} from './httpEnd.ts';
import {PeerEnd} from './peerEnd.ts';
import {HTTP1_OVER_TCP, STEP_BYTES} from './tcpServer.ts';

export interface TcpInUdpPeerOptions {
  /** The peer's address. */
  readonly address: string;
  readonly send: (segments: readonly Uint8Array[]) => void;
  /** Called when the handshake is complete. */
  readonly onOpen: () => void;
  readonly onEnd: () => void;
}

/** The server's end of one connection of TCP in UDP. Call {@link TcpInUdpPeer.go} after creating it. */
export class TcpInUdpPeer {
  readonly #connection: TcpConnection;
  readonly #served: Served;
  readonly #options: TcpInUdpPeerOptions;
  readonly #end: HttpEnd;
  readonly #transport: PeerEnd;
  readonly #startNs: number;
  #isOpen = false;
  #isReadable = false;
  /** Bytes that were read from the connection but not handled yet, because too many requests wait. */
  #unread: Uint8Array = NOTHING;
  /** Whether the peer has finished sending. */
  #hasPeerClosed = false;
  /** Whether this end has finished sending. */
  #isClosing = false;
  /** How many segments were received that may occupy memory until the connection ends. */
  #segments = 0;

  constructor(connection: TcpConnection, served: Served, options: TcpInUdpPeerOptions) {
    this.#connection = connection;
    this.#served = served;
    this.#options = options;
    this.#startNs = served.clock();
    const send = (_: number, bytes: Uint8Array): number => (this.#isClosing ? 0 : connection.write(bytes));
    this.#end = new HttpEnd(served, {...HTTP1_OVER_TCP, send, address: options.address, giveUp: () => this.abort()});
    this.#transport = new PeerEnd(connection, {
      clock: served.clock,
      send: options.send,
      onEnd: () => this.#forget(),
      onEvent: event => this.#handle(event),
      write: () => this.#serve(),
    });
  }

  get isIdle(): boolean {
    return !this.#isOpen || this.#end.patience.isIdle;
  }

  /**
   * Ends the connection. If its handshake is not complete, nothing is sent, because the peer's address may be forged.
   */
  giveUp(): void {
    if (this.#isOpen) this.abort();
    else this.end();
  }

  handleSegment(segment: Uint8Array, hasData: boolean): void {
    if (hasData) this.#segments += 1;
    if (this.#segments > this.#served.limits.packets) this.abort();
    this.#transport.handlePacket(segment);
  }

  go(): void {
    this.#transport.go();
  }

  /**
   * Closes a connection that has been idle for `idleMs`. The peer then has `idleMs` once more to finish. If the
   * handshake took too long, the connection ends and nothing is sent. A connection that exceeds any other time limit is
   * aborted.
   */
  sweep(): void {
    const {clock, limits} = this.#served;
    if (!this.#isOpen && clock() - this.#startNs > limits.handshakeMs * 1e6) this.end();
    else if (!this.#isOpen || !this.#end.patience.isLate) return;
    else if (this.#isClosing || !this.#end.patience.isIdle) this.abort();
    else {
      this.#end.patience.restart();
      this.#transport.call(() => this.#close());
    }
  }

  abort(): void {
    this.#transport.abort();
  }

  end(): void {
    this.#transport.end();
  }

  #forget(): void {
    this.#end.forget();
    this.#options.onEnd();
  }

  #close(): void {
    this.#isClosing = true;
    this.#connection.close();
  }

  #handle(event: AppEvent): void {
    if (event.type === 'connected') {
      this.#isOpen = true;
      this.#end.patience.restart();
      this.#options.onOpen();
    } else if (event.type === 'readable') this.#isReadable = true;
    else if (event.type === 'peer-closed') this.#hasPeerClosed = true;
  }

  /**
   * Handles a few requests at a time. Further requests wait while too many answers are incomplete. Unread bytes fill
   * the receive window, so that the peer stops sending.
   */
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
    const hasRead = this.#hasPeerClosed && !this.#isReadable && this.#unread.length === 0;
    const hasAll = this.#end.isOver || hasRead;
    if (hasAll && this.#end.patience.isIdle && !this.#isClosing) this.#close();
  }
}

const NOTHING = new Uint8Array(0);
