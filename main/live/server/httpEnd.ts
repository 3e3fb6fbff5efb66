import {HttpServer} from '../../../app/http/h1/h1Server.ts';
import type {Framing} from '../../../app/http/h1/h1Wire.ts';
import type {Head} from '../../../app/http/head.ts';
import {isStrict} from '../../../app/http/requestHead.ts';
import type {Respond, Response} from '../../../app/http/response.ts';
import type {Clock} from '../../net/clock.ts';
import type {HeadBudget, HeadSender} from './headBudget.ts';
import {Patience} from './patience.ts';
import type {ServerLimits} from './serverLimits.ts';

/** What all of a server's connections share. */
export interface Served {
  readonly respond: Respond;
  /** Decides whether to refuse a request, by its head and by the address of the client. Undefined if it is allowed. */
  readonly refuse: (head: Pick<Head, 'fields'>, address: string) => Response | undefined;
  readonly heads: HeadBudget;
  readonly limits: ServerLimits;
  readonly clock: Clock;
}

/** The server's end of HTTP over one connection of the kernel's TCP. It also measures how long its peer takes. */
export interface HttpConnectionEnd {
  readonly patience: Patience;
  handleBytes(bytes: Uint8Array): void;
  /** Writes as much as the transport accepts. */
  write(): void;
  /** Whether the peer's next bytes should not be read for now. */
  readonly isFull: boolean;
  /** Whether no more of the peer's bytes will be read. */
  readonly isOver: boolean;
  /** Whether the connection is to be closed, because nothing will be read or written any more. */
  readonly isDone: boolean;
  /** Releases what the head budget counts for this connection. Call this when the connection has ended. */
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
   * Whether a request is the connection's last, as `HttpServer` wants it. Only with TCP does a connection end because
   * of a request.
   */
  readonly isLast?: (head: Head) => boolean;
  /** Sends a piece, and returns how many bytes the transport accepted. */
  readonly send: (stream: number, bytes: Uint8Array) => number;
  /** Ends the connection because too many bytes of heads are kept for it. */
  readonly giveUp: () => void;
}

/** The server's end of HTTP/1.1 over one connection. It also measures how long its peer takes. */
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

  /** Releases what the head budget counts for this connection. Call this when the connection has ended. */
  forget(): void {
    this.#heads.settle(this.#sender, 0);
  }

  /** Whether no more of the peer's bytes will be read. The connection then ends with the last answer. */
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
