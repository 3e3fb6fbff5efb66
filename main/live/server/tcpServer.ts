import {once} from 'node:events';
import {createServer, type Server, type Socket} from 'node:net';
import {createServer as createTlsServer, TLSSocket} from 'node:tls';
import type {Framing} from '../../../app/http/h1/h1Wire.ts';
import {isClientsLast} from '../../../app/http/requestHead.ts';
import {type Placed, Places} from '../../net/clientPlaces.ts';
import {H2End} from './h2End.ts';
import {type ConnectionEndOptions, type HttpConnectionEnd, HttpEnd, type Served} from './httpEnd.ts';
import type {Patience} from './patience.ts';

/** The certificate and the private key of a TLS server, in PEM. */
export interface TlsIdentity {
  readonly certificate: string;
  readonly privateKey: string;
}

/**
 * Serves HTTP/1.1 over the kernel's TCP. With TLS 1.3 it also serves HTTP/2, to clients that offer HTTP/2 by ALPN (RFC
 * 9113 §3.2).
 */
export class TcpServer {
  readonly #served: Served;
  readonly #server: Server;
  readonly #connections = new Set<TcpConnection>();
  /** All connections, keyed by {@link endsOf}. They include connections whose TLS handshake is not complete. */
  readonly #begun = new Map<string, Place>();
  readonly #places: Places<Place>;

  constructor(served: Served, identity?: TlsIdentity) {
    this.#served = served;
    const options = {allowHalfOpen: true, noDelay: true, highWaterMark: HIGH_WATER_MARK_BYTES};
    this.#server =
      identity === undefined ? createServer(options) : createTlsServer({...options, ...tlsOptions(identity, served)});
    // Node reports a handshake that takes too long, but does not close the connection.
    this.#server.on('tlsClientError', (_: Error, socket: Socket) => socket.destroy());
    this.#server.on('connection', (socket: Socket) => this.#place(socket));
    this.#server.on(identity === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
      const place = this.#begun.get(endsOf(socket));
      if (place !== undefined) this.#accept(socket, place);
      // Otherwise the connection closed as soon as its handshake was complete, so the socket no longer has addresses.
      // Without the listener for errors, an error of the socket would end the process.
      else socket.on('error', () => undefined).destroy();
    });
    this.#places = new Places(served.limits.peers);
  }

  /**
   * Listens on the port, or on a free port if `port` is 0. Returns the port. @throws what `node:net` throws if it
   * cannot listen
   */
  async listen(host: string, port: number): Promise<number> {
    this.#server.listen(port, host);
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new TypeError('not listening');
    return address.port;
  }

  get peers(): number {
    return this.#begun.size;
  }

  /** Ends connections whose peers take too long. */
  sweep(): void {
    for (const connection of this.#connections) connection.sweep();
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const place of this.#begun.values()) place.giveUp();
    await closed;
  }

  /**
   * Counts a connection towards the limit of connections, before any TLS handshake. A connection for which there is no
   * room is destroyed.
   */
  #place(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    if (!this.#places.makeRoom(address)) return void socket.destroy();
    const [place, ends] = [new Place(socket), endsOf(socket)];
    this.#begun.set(ends, place);
    this.#places.add(place, address);
    socket.once('close', () => {
      this.#begun.delete(ends);
      this.#places.delete(place);
    });
  }

  #accept(socket: Socket, place: Place): void {
    const connection = new TcpConnection(socket, this.#served);
    place.connection = connection;
    this.#connections.add(connection);
    socket.on('data', () => this.#places.touch(place));
    socket.once('close', () => this.#connections.delete(connection));
  }
}

/** A connection that counts towards the limit of connections. Its TLS handshake may be incomplete. */
class Place implements Placed {
  readonly #socket: Socket;
  connection: TcpConnection | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  get isIdle(): boolean {
    return this.connection?.isIdle ?? true;
  }

  giveUp(): void {
    this.connection?.destroy();
    this.#socket.destroy();
  }
}

/**
 * Identifies a connection by its addresses and the peer's port. A TLS socket and the TCP socket below it are different
 * objects, but both have the same addresses and ports.
 */
function endsOf({localAddress, remoteAddress, remotePort}: Socket): string {
  return `${localAddress} ${remoteAddress} ${remotePort}`;
}

function tlsOptions({certificate, privateKey}: TlsIdentity, {limits}: Served) {
  return {
    cert: certificate,
    key: privateKey,
    ALPNProtocols: ['h2', 'http/1.1'],
    // HTTP/2 forbids most cipher suites of TLS 1.2 (RFC 9113 §9.2.2).
    minVersion: 'TLSv1.3',
    handshakeTimeout: limits.handshakeMs,
  } as const;
}

class TcpConnection {
  readonly #socket: Socket;
  readonly #served: Served;
  readonly #end: HttpConnectionEnd;
  /** Received bytes that were not handled yet, because too many answers wait to be written. */
  #unread: Uint8Array = NOTHING;
  /** Whether the peer has finished sending. */
  #isEnded = false;
  /** The time at which this end finished sending. Undefined while it sends. */
  #endNs: number | undefined;

  constructor(socket: Socket, served: Served) {
    this.#socket = socket;
    this.#served = served;
    const address = socket.remoteAddress ?? '';
    const giveUp = (): void => this.destroy();
    const options = {address, giveUp, send: (bytes: Uint8Array) => this.#send(bytes)};
    const isH2 = socket instanceof TLSSocket && socket.alpnProtocol === 'h2';
    this.#end = isH2 ? new H2End(served, options) : new Http1End(served, options);
    socket.on('data', bytes => {
      socket.pause();
      this.#unread = bytes;
      this.#go();
    });
    socket.on('drain', () => this.#go());
    socket.on('end', () => {
      this.#isEnded = true;
      this.#go();
    });
    socket.once('close', () => this.#end.forget());
    // The event 'close' follows, and its listener does what is necessary.
    socket.on('error', () => undefined);
    // In HTTP/2 the server sends its preface without waiting for the client (RFC 9113 §3.4).
    this.#go();
  }

  /**
   * Finishes a connection that has been idle for `idleMs` (RFC 9112 §9.5). The peer then has `idleMs` once more to read
   * what was sent. A connection that exceeds any other time limit is destroyed.
   */
  sweep(): void {
    const {clock, limits} = this.#served;
    if (!this.#end.patience.isLate) return;
    if (this.#endNs === undefined && this.#end.patience.isIdle) this.#finish();
    else if (!this.#end.patience.isIdle || clock() - (this.#endNs ?? 0) > limits.idleMs * 1e6) this.destroy();
  }

  get isIdle(): boolean {
    return this.#end.patience.isIdle;
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #finish(): void {
    this.#endNs ??= this.#served.clock();
    this.#socket.end();
  }

  #send(bytes: Uint8Array): number {
    const {writableNeedDrain, writable} = this.#socket;
    if (writableNeedDrain || !writable) return 0;
    this.#socket.write(bytes);
    return bytes.length;
  }

  /**
   * Writes answers, and handles a few requests at a time. A request waits until the transport has accepted enough of
   * the answers to earlier requests.
   */
  #go(): void {
    this.#end.write();
    while (this.#unread.length > 0 && !this.#end.isFull) {
      this.#end.handleBytes(this.#unread.subarray(0, STEP_BYTES));
      this.#unread = this.#unread.subarray(STEP_BYTES);
      this.#end.write();
    }
    if (this.#end.isOver) this.#unread = NOTHING;
    if (this.#unread.length === 0) this.#socket.resume();
    const hasAll = this.#isEnded && this.#unread.length === 0;
    if (this.#end.isDone || (hasAll && this.#end.patience.isIdle)) this.#finish();
  }
}

/** The server's end of HTTP/1.1 over one connection of the kernel's TCP. */
class Http1End implements HttpConnectionEnd {
  readonly #end: HttpEnd;

  constructor(served: Served, {send, ...options}: ConnectionEndOptions) {
    this.#end = new HttpEnd(served, {...HTTP1_OVER_TCP, ...options, send: (_, bytes) => send(bytes)});
  }

  get patience(): Patience {
    return this.#end.patience;
  }

  get isFull(): boolean {
    return this.patience.isFull;
  }

  get isOver(): boolean {
    return this.#end.isOver;
  }

  get isDone(): boolean {
    return this.isOver && this.patience.isIdle;
  }

  handleBytes(bytes: Uint8Array): void {
    this.#end.handleBytes(0, bytes);
  }

  forget(): void {
    this.#end.forget();
  }

  write(): void {
    this.#end.write();
  }
}

/**
 * Responses are written in order, as HTTP/1.1 requires. The pieces are small enough for the kernel to accept one soon.
 */
const FRAMING: Framing = {
  mode: 'sequential',
  isTagged: false,
  pieceBytes: 64 * 1024,
  largestPieceBytes: Number.POSITIVE_INFINITY,
};
/** How HTTP/1.1 uses a connection of the kernel's TCP or of the program's own TCP. */
export const HTTP1_OVER_TCP = {framing: FRAMING, isLast: isClientsLast} as const;
/**
 * High-water mark of the read buffer and of the write buffer of a socket, in bytes. It does not limit a single read:
 * Node may still pass on 64 KiB in one piece.
 */
const HIGH_WATER_MARK_BYTES = 16 * 1024;
/** How many received bytes are handled at a time. They contain at most a few dozen requests. */
export const STEP_BYTES = 1024;
const NOTHING = new Uint8Array(0);
