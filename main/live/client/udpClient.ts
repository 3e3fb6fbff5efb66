import {createSocket, type Socket} from 'node:dgram';
import {isIPv6} from 'node:net';
import type {AppEvent} from '../../../native/addon/index.js';
import type {Clock} from '../../net/clock.ts';

/** A client's end of a transport in UDP: of the addon's classes. */
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
  /** An IP address, and UDP's port. */
  readonly host: string;
  readonly port: number;
  readonly clock: Clock;
  /** What the end tells; in it {@link UdpClient.go} may not be called. */
  readonly onEvents: (events: readonly AppEvent[]) => void;
  /** The system says that nobody is there, or that the socket is of no use; or the end has failed. */
  readonly onError: (error: Error) => void;
}

/** A client's end on a socket of its own, with its timer. After calls of the end, call {@link UdpClient.go}. */
export class UdpClient<E extends UdpEnd> {
  readonly end: E;
  readonly #options: UdpClientOptions;
  readonly #socket: Socket;
  #timer: NodeJS.Timeout | undefined;
  /** Of the socket: what is sent has a place to go. */
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

  /** Begins the handshake. */
  connect(): void {
    this.end.connect();
    const {host, port} = this.#options;
    // without a callback, which would be told of errors in their event's place
    this.#socket.connect(port, host);
  }

  /** Does what is to be done now, and again when a timer has run off. */
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

  /** Tells the peer, and ends. What was recorded stays. */
  close(): void {
    if (this.#isClosed) return;
    this.end.abort();
    const last = this.#isOpen ? this.end.pollTransmit(this.#options.clock()) : [];
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#socket.removeAllListeners('message');
    const end = (): void => void this.#socket.close();
    // the abort is the last: an acknowledgement may be due
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

  /** Of the socket and the timer: nobody else is there to catch what a packet may bring about. */
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

/** It is over whether they arrive or not. */
function ignore(): void {}

/** Of the socket, if the system allows it: a window of packets while this process does something else. */
const RECEIVE_BYTES = 4 * 1024 * 1024;
