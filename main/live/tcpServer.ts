import {once} from 'node:events';
import {createServer, type Server, type Socket} from 'node:net';
import type {Framing} from '../../app/http/wire.ts';
import {HttpEnd, type Served} from './httpEnd.ts';

/** HTTP/1.1 on the kernel's TCP. */
export class TcpServer {
  readonly #served: Served;
  readonly #server: Server;
  readonly #connections = new Set<TcpConnection>();

  constructor(served: Served) {
    this.#served = served;
    const options = {allowHalfOpen: true, noDelay: true, highWaterMark: READ_BYTES};
    this.#server = createServer(options, socket => this.#accept(socket));
    this.#server.maxConnections = served.limits.peers;
  }

  /** Gives its port; 0 is one that is free. @throws what `node:net` does where it cannot listen */
  async listen(host: string, port: number): Promise<number> {
    this.#server.listen(port, host);
    await once(this.#server, 'listening');
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new TypeError('not listening');
    return address.port;
  }

  get peers(): number {
    return this.#connections.size;
  }

  /** Gives up those that take too long. */
  sweep(): void {
    for (const connection of this.#connections) connection.sweep();
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const connection of this.#connections) connection.destroy();
    await closed;
  }

  #accept(socket: Socket): void {
    const connection = new TcpConnection(socket, this.#served);
    this.#connections.add(connection);
    socket.once('close', () => this.#connections.delete(connection));
  }
}

class TcpConnection {
  readonly #socket: Socket;
  readonly #served: Served;
  readonly #end: HttpEnd;
  /** Came, and is not read: too many requests wait. */
  #unread: Uint8Array = NOTHING;
  /** The peer sends no more. */
  #isEnded = false;
  /** This end does not, since then. */
  #endNs: number | undefined;

  constructor(socket: Socket, served: Served) {
    this.#socket = socket;
    this.#served = served;
    this.#end = new HttpEnd(served, TCP_FRAMING, (_, bytes) => this.#send(bytes));
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
    // its end follows
    socket.on('error', () => undefined);
  }

  /** One that is idle is ended (RFC 9112 §9.5), and has as long again to take what was sent. */
  sweep(): void {
    const {clock, limits} = this.#served;
    if (!this.#end.patience.isLate) return;
    if (this.#endNs === undefined && this.#end.patience.isIdle) {
      this.#endNs = clock();
      this.#socket.end();
    } else if (!this.#end.patience.isIdle || clock() - (this.#endNs ?? 0) > limits.idleMs * 1e6)
      this.destroy();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #send(bytes: Uint8Array): number {
    const {writableNeedDrain, writable} = this.#socket;
    if (writableNeedDrain || !writable) return 0;
    this.#socket.write(bytes);
    return bytes.length;
  }

  /** Reads requests a few at a time, as answers go. */
  #go(): void {
    while (this.#unread.length > 0 && !this.#end.patience.isFull) {
      this.#end.handleBytes(0, this.#unread.subarray(0, STEP_BYTES));
      this.#unread = this.#unread.subarray(STEP_BYTES);
      this.#end.write();
    }
    this.#end.write();
    if (this.#unread.length === 0) this.#socket.resume();
    if (this.#isEnded && this.#unread.length === 0 && this.#end.patience.isIdle) this.#socket.end();
  }
}

/** A response in order, as HTTP/1.1 has it, in pieces that the kernel soon takes. */
export const TCP_FRAMING: Framing = {
  ...{mode: 'sequential', isTagged: false},
  ...{pieceBytes: 64 * 1024, largestPieceBytes: Number.POSITIVE_INFINITY},
};
/** Of a socket's read. */
const READ_BYTES = 16 * 1024;
/** A few dozen requests. */
export const STEP_BYTES = 1024;
const NOTHING = new Uint8Array(0);
