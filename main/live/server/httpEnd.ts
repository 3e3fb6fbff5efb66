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
  /** Decides about a request by its head and the address that asks. */
  readonly refuse: (head: Pick<Head, 'fields'>, address: string) => Response | undefined;
  readonly heads: HeadBudget;
  readonly limits: ServerLimits;
  readonly clock: Clock;
}

/** The server's end of HTTP over one connection of the kernel's TCP. It measures how long its peer takes. */
export interface HttpConnectionEnd {
  readonly patience: Patience;
  handleBytes(bytes: Uint8Array): void;
  /** Writes what the transport takes. */
  write(): void;
  /** No more bytes of the peer should be read for now. */
  readonly isFull: boolean;
  /** No more bytes of the peer will be read. */
  readonly isOver: boolean;
  /** Nothing will be read or written any more: the connection is to be closed. */
  readonly isDone: boolean;
  /** To be called when the connection has ended. */
  forget(): void;
}

/** Options of a connection's end. `send` returns how many bytes the transport took. */
export interface ConnectionEndOptions extends Pick<HttpEndOptions, 'address' | 'giveUp'> {
  readonly send: (bytes: Uint8Array) => number;
}

export interface HttpEndOptions {
  /** The peer's address. */
  readonly address: string;
  readonly framing: Framing;
  /**
   * Whether a request is the connection's last, as `HttpServer` takes it. Only TCP's connections end with a request.
   */
  readonly isLast?: (head: Head) => boolean;
  /** Sends a piece, and returns how many bytes the transport took. */
  readonly send: (stream: number, bytes: Uint8Array) => number;
  /** Ends the connection because too many bytes of heads are kept for it. */
  readonly giveUp: () => void;
}

/** The server's end of HTTP/1.1 over one connection. It measures how long its peer takes. */
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

  /** To be called when the connection has ended. */
  forget(): void {
    this.#heads.settle(this.#sender, 0);
  }

  /** No more bytes of the peer will be read. The connection ends with the last answer. */
  get isOver(): boolean {
    return this.#server.isOver;
  }

  handleBytes(stream: number, bytes: Uint8Array): void {
    this.#server.handleBytes(stream, bytes, this.#clock());
    this.#heads.settle(this.#sender, this.#server.headBytes);
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
