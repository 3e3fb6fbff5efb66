import {HttpServer} from '../../../app/http/h1/h1Server.ts';
import type {Framing} from '../../../app/http/h1/h1Wire.ts';
import type {Head} from '../../../app/http/head.ts';
import {isStrict} from '../../../app/http/requestHead.ts';
import type {Respond, Response} from '../../../app/http/response.ts';
import type {Clock} from '../../net/clock.ts';
import type {HeadBudget, HeadSender} from './headBudget.ts';
import {Patience} from './patience.ts';
import type {ServerLimits} from './serverLimits.ts';

/** The page, the token check, the limits and the clock that all connections of a server share. */
export interface Served {
  readonly respond: Respond;
  /**
   * Returns the response that refuses a request with this head from this address. Undefined if the request is allowed.
   */
  readonly refuse: (head: Pick<Head, 'fields'>, address: string) => Response | undefined;
  readonly heads: HeadBudget;
  readonly limits: ServerLimits;
  readonly clock: Clock;
}

/**
 * The server's end of HTTP over one connection of the kernel's TCP. It also measures how long the client takes to send
 * requests and to read answers.
 */
export interface HttpConnectionEnd {
  readonly patience: Patience;
  handleBytes(bytes: Uint8Array): void;
  /** Writes as much as the transport accepts. */
  write(): void;
  /** Whether the server should not read more of the peer's bytes now. */
  readonly isFull: boolean;
  /** Whether the server will never again read bytes from the peer. */
  readonly isOver: boolean;
  /** Whether the connection should be closed, because the server will neither read nor write any more. */
  readonly isDone: boolean;
  /** Removes this connection from the head budget. Call this when the connection has ended. */
  forget(): void;
}

/** Options of a connection's end. `send` returns how many bytes the transport accepted. */
export interface ConnectionEndOptions extends Pick<HttpEndOptions, 'address' | 'giveUp'> {
  readonly send: (bytes: Uint8Array) => number;
}

export interface HttpEndOptions {
  /** The peer's address. */
  readonly address: string;
  readonly framing: Framing;
  /**
   * Whether a request is the last on its connection. `HttpServer` calls this. Undefined unless the transport is TCP,
   * because over other transports no request ends the connection.
   */
  readonly isLast?: (head: Head) => boolean;
  /** Sends a piece, and returns how many bytes the transport accepted. */
  readonly send: (stream: number, bytes: Uint8Array) => number;
  /** Ends the connection. Called if too many bytes of request heads are kept. */
  readonly giveUp: () => void;
}

/**
 * The server's end of HTTP/1.1 over one connection. It also measures how long the client takes to send requests and to
 * read answers.
 */
export class HttpEnd {
  readonly patience: Patience;
  readonly #clock: Clock;
  readonly #server: HttpServer;
  readonly #send: HttpEndOptions['send'];
  readonly #heads: HeadBudget;
  readonly #sender: HeadSender;

  constructor(served: Served, {send, address, giveUp, ...options}: HttpEndOptions) {
    const {respond, refuse, clock, limits} = served;
    this.patience = new Patience(limits, clock);
    this.#clock = clock;
    const refused = (head: Head): Response | undefined =>
      isStrict(head) ? refuse(head, address) : {...respond(undefined), isLast: true};
    this.#server = new HttpServer({respond, refuse: refused, thinkNs: 0, ...options});
    this.#send = send;
    this.#heads = served.heads;
    this.#sender = {giveUp};
  }

  /** Removes this connection from the head budget. Call this when the connection has ended. */
  forget(): void {
    this.#heads.settle(this.#sender, 0);
  }

  /** Whether the server will never again read bytes from the peer. The connection then ends after the last answer. */
  get isOver(): boolean {
    return this.#server.isOver;
  }

  handleBytes(stream: number, bytes: Uint8Array): void {
    this.#server.handleBytes(stream, bytes, this.#clock());
    this.#heads.settle(this.#sender, this.#server.headBytes);
    this.patience.settle(this.#server);
  }

  /** Writes as much as the transport accepts. */
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
