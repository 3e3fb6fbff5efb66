import type {Head} from '../../app/http/head.ts';
import type {Respond, Response} from '../../app/http/response.ts';
import {HttpServer} from '../../app/http/server.ts';
import type {Framing} from '../../app/http/wire.ts';
import type {Clock} from './clock.ts';
import type {ServerLimits} from './limits.ts';
import {Patience} from './patience.ts';

/** What all ends of a server share. */
export interface Served {
  readonly respond: Respond;
  readonly refuse: (head: Pick<Head, 'fields'>) => Response | undefined;
  readonly limits: ServerLimits;
  readonly clock: Clock;
}

/** A server's end of HTTP over one connection of the kernel's TCP, and how long its peer takes. */
export interface HttpConnectionEnd {
  readonly patience: Patience;
  handleBytes(bytes: Uint8Array): void;
  /** Writes what the transport takes. */
  write(): void;
  /** Nothing follows what was written. */
  readonly isOver: boolean;
}

/** The server's end of HTTP/1.1 over one connection, and how long its peer takes. */
export class HttpEnd {
  readonly patience: Patience;
  readonly #clock: Clock;
  readonly #server: HttpServer;
  readonly #send: (stream: number, bytes: Uint8Array) => number;

  /** `send` gives the number of bytes that the transport took of a piece. */
  constructor(served: Served, framing: Framing, send: (stream: number, bytes: Uint8Array) => number) {
    const {respond, refuse, clock, limits} = served;
    this.patience = new Patience(limits, clock);
    this.#clock = clock;
    this.#server = new HttpServer({respond, refuse, framing, thinkNs: 0});
    this.#send = send;
  }

  handleBytes(stream: number, bytes: Uint8Array): void {
    this.#server.handleBytes(stream, bytes, this.#clock());
    this.patience.settle(this.#server);
  }

  /** Writes what the transport takes. */
  write(): void {
    const nowNs = this.#clock();
    for (let piece = this.#server.peekPiece(nowNs); piece; piece = this.#server.peekPiece(nowNs)) {
      const taken = this.#send(piece.stream, piece.bytes);
      if (taken === 0) break;
      this.#server.handleWritten(taken, nowNs);
    }
    this.patience.settle(this.#server);
  }
}
