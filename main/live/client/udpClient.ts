import {createSocket, type Socket} from 'node:dgram';
import {isIPv6} from 'node:net';
import {networkInterfaces} from 'node:os';
import type {AppEvent} from '../../../native/addon/index.js';
import type {Clock} from '../../net/clock.ts';

/** The client's end of a transport in UDP. The addon's transport classes implement this. */
interface UdpEnd {
  connect(): void;
  handlePacket(bytes: Uint8Array, nowNs: number): void;
  handleTimeout(nowNs: number): void;
  pollTransmit(nowNs: number): Uint8Array[];
  pollEvents(): AppEvent[];
  readonly nextTimeoutNs: number;
  abort(): void;
  /**
   * Tells the end that the client has another address. Returns false if the connection cannot go on from that address
   * now. The method is undefined if the connections of this transport can never change their address.
   */
  changeAddress?(nowNs: number): boolean;
}

export interface UdpClientOptions {
  /** The server's IP address and UDP port. */
  readonly host: string;
  readonly port: number;
  readonly clock: Clock;
  /** Called with the transport's events. It must not call {@link UdpClient.go}. */
  readonly onEvents: (events: readonly AppEvent[]) => void;
  /** Called if nobody listens at the server's port, if the socket fails, or if the transport throws. */
  readonly onError: (error: Error) => void;
}

/**
 * Runs the client's end of any transport in UDP, with a socket and a timer. Call {@link UdpClient.go} after calling
 * methods of `end`.
 */
export class UdpClient<E extends UdpEnd> {
  readonly end: E;
  readonly #options: UdpClientOptions;
  #socket: Socket;
  #timer: NodeJS.Timeout | undefined;
  /** The timer that checks repeatedly whether this machine still has the socket's address. */
  #watch: NodeJS.Timeout | undefined;
  /** The socket's address, if it is the address of one of this machine's interfaces. */
  #local: string | undefined;
  /** Whether the client has moved to another socket, which is not connected yet. */
  #isMoving = false;
  /** Whether the socket is connected. Packets can be sent only then. */
  #isOpen = false;
  #isClosed = false;

  constructor(end: E, options: UdpClientOptions) {
    this.end = end;
    this.#options = options;
    this.#socket = this.#opened();
  }

  /** Starts the handshake. */
  connect(): void {
    this.end.connect();
    const {host, port} = this.#options;
    // `connect` gets no callback. If it had one, an error would go to the callback, and not to the event 'error'.
    this.#socket.connect(port, host);
    if (this.end.changeAddress === undefined) return;
    this.#watch = setInterval(() => {
      if (this.#isLost()) this.move();
    }, WATCH_MS).unref();
  }

  /**
   * Moves to another socket, and so to another port or address. The connection survives this only if its transport has
   * the method `changeAddress`.
   */
  move(): void {
    if (this.#isClosed) return;
    const {host, port} = this.#options;
    this.#socket.removeAllListeners('message');
    this.#socket.close();
    [this.#isOpen, this.#isMoving] = [false, true];
    this.#socket = this.#opened();
    this.#socket.connect(port, host);
  }

  /** Whether the machine has lost the address of the socket, and no other socket is connected yet. */
  #isLost(): boolean {
    return this.#isMoving || (this.#local !== undefined && !hasAddress(this.#local));
  }

  #opened(): Socket {
    const {host, clock} = this.#options;
    const socket = createSocket({type: isIPv6(host) ? 'udp6' : 'udp4', recvBufferSize: RECEIVE_BYTES});
    socket.on('message', packet => this.#call(() => this.end.handlePacket(packet, clock())));
    socket.on('error', this.#fail);
    socket.once('connect', () => {
      const {address} = socket.address();
      this.#local = hasAddress(address) ? address : undefined;
      const hasMoved = this.#isMoving;
      [this.#isOpen, this.#isMoving] = [true, false];
      this.#call(() => void (hasMoved && this.end.changeAddress?.(clock())));
    });
    return socket;
  }

  /** Reports an error, unless the client will move to another socket. */
  readonly #fail = (error: Error): void => {
    if (this.#watch === undefined || !this.#isLost()) this.#options.onError(error);
  };

  /** Sends all packets that are due, reports all events, and sets the timer for the next timeout. */
  go(): void {
    if (this.#isClosed || !this.#isOpen) return;
    const {clock, onEvents} = this.#options;
    for (let isLeft = true; isLeft && !this.#isClosed; ) {
      const packets = this.end.pollTransmit(clock());
      for (const packet of packets) this.#socket.send(packet, error => error && this.#fail(error));
      const events = this.end.pollEvents();
      if (events.length > 0) onEvents(events);
      isLeft = packets.length + events.length > 0;
    }
    this.#schedule();
  }

  /** Aborts the connection. The peer is told only if the socket is connected. The recorded trace stays available. */
  close(): void {
    if (this.#isClosed) return;
    this.end.abort();
    const last = this.#isOpen ? this.end.pollTransmit(this.#options.clock()) : [];
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#watch);
    this.#socket.removeAllListeners('message');
    const end = (): void => void this.#socket.close();
    // The abort is always in the last packet, but an acknowledgement may precede it. So the socket closes after the
    // last packet.
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
   * Calls `call` and then {@link UdpClient.go}, and handles errors. The callbacks of the socket and the timer use this,
   * because an error that they throw would end the process.
   */
  #call(call: () => void): void {
    try {
      call();
      this.go();
    } catch (error) {
      if (this.#isClosed) return;
      this.#isClosed = true;
      clearTimeout(this.#timer);
      clearInterval(this.#watch);
      this.#socket.close();
      this.#options.onError(error as Error);
    }
  }
}

/** Ignores errors about packets that are sent when the connection has ended. These packets need not arrive. */
function ignore(): void {}

/** Size of the receive buffer to request from the system. It holds a window of packets while this process is busy. */
const RECEIVE_BYTES = 4 * 1024 * 1024;
/** Time between two checks whether this machine still has the socket's address, in ms. */
const WATCH_MS = 100;

function hasAddress(address: string): boolean {
  return Object.values(networkInterfaces()).some(list => list?.some(each => each.address === address));
}
