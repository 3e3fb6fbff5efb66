import {createSocket, type Socket} from 'node:dgram';
import {isIPv6} from 'node:net';
import type {AppEvent} from '../../../native/addon/index.js';
import type {Clock} from '../../net/clock.ts';

/** A client's end of a transport in UDP: one of the addon's classes. */
interface UdpEnd {
  connect(): void;
  handlePacket(bytes: Uint8Array, nowNs: number): void;
  handleTimeout(nowNs: number): void;
  pollTransmit(nowNs: number): Uint8Array[];
  pollEvents(): AppEvent[];
  readonly nextTimeoutNs: number;
  abort(): void;
}

export interface UdpClientOptions {
  /** The server's IP address and UDP port. */
  readonly host: string;
  readonly port: number;
  readonly clock: Clock;
  /** Called with the end's events. It must not call {@link UdpClient.go}. */
  readonly onEvents: (events: readonly AppEvent[]) => void;
  /** Called if nobody listens at the server's port, if the socket fails, or if the end fails. */
  readonly onError: (error: Error) => void;
}

/**
 * A transport's client end with its own socket and timer. After calling the end's methods, call {@link UdpClient.go}.
 */
export class UdpClient<E extends UdpEnd> {
  readonly end: E;
  readonly #options: UdpClientOptions;
  readonly #socket: Socket;
  #timer: NodeJS.Timeout | undefined;
  /** Whether the socket is connected, so that packets can be sent. */
  #isOpen = false;
  #isClosed = false;

  constructor(end: E, options: UdpClientOptions) {
    this.end = end;
    this.#options = options;
    this.#socket = createSocket({
      type: isIPv6(options.host) ? 'udp6' : 'udp4',
      recvBufferSize: RECEIVE_BYTES,
    });
    this.#socket.on('message', packet => this.#call(() => this.end.handlePacket(packet, options.clock())));
    this.#socket.on('error', options.onError);
    this.#socket.once('connect', () => {
      this.#isOpen = true;
      this.#call(() => undefined);
    });
  }

  /** Starts the handshake. */
  connect(): void {
    this.end.connect();
    const {host, port} = this.#options;
    // no callback is given, because it would receive the errors instead of the 'error' event
    this.#socket.connect(port, host);
  }

  /** Sends and reports all that is due now, and sets the timer for what is due later. */
  go(): void {
    if (this.#isClosed || !this.#isOpen) return;
    const {clock, onEvents, onError} = this.#options;
    for (let isLeft = true; isLeft && !this.#isClosed; ) {
      const packets = this.end.pollTransmit(clock());
      for (const packet of packets) this.#socket.send(packet, error => error && onError(error));
      const events = this.end.pollEvents();
      if (events.length > 0) onEvents(events);
      isLeft = packets.length + events.length > 0;
    }
    this.#schedule();
  }

  /** Aborts the connection, and sends the peer an abort. What was recorded stays available. */
  close(): void {
    if (this.#isClosed) return;
    this.end.abort();
    const last = this.#isOpen ? this.end.pollTransmit(this.#options.clock()) : [];
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#socket.removeAllListeners('message');
    const end = (): void => void this.#socket.close();
    // the abort is always the last packet, but an acknowledgement may be due before it
    if (last.length === 0) end();
    for (const [i, packet] of last.entries()) this.#socket.send(packet, i === last.length - 1 ? end : ignore);
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    const {clock} = this.#options;
    const {nextTimeoutNs} = this.end;
    if (nextTimeoutNs === Number.POSITIVE_INFINITY) return;
    const waitMs = Math.max(0, Math.ceil((nextTimeoutNs - clock()) / 1e6));
    this.#timer = setTimeout(() => this.#call(() => this.end.handleTimeout(clock())), waitMs);
  }

  /**
   * Makes a call for the socket or the timer, and handles what it throws: these have no caller that could catch an
   * error that a packet causes.
   */
  #call(call: () => void): void {
    try {
      call();
      this.go();
    } catch (error) {
      if (this.#isClosed) return;
      this.#isClosed = true;
      clearTimeout(this.#timer);
      this.#socket.close();
      this.#options.onError(error as Error);
    }
  }
}

/** Handles errors after the connection has ended, which do not matter: its last packets need not arrive. */
function ignore(): void {}

/** Size of the receive buffer, if the system allows it: room for a window of packets while this process is busy. */
const RECEIVE_BYTES = 4 * 1024 * 1024;
