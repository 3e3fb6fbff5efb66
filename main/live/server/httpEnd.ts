import type {Head} from '../../../app/http/head.ts';
import {isStrict} from '../../../app/http/request.ts';
import type {Respond, Response} from '../../../app/http/response.ts';
import {HttpServer} from '../../../app/http/server.ts';
import type {Framing} from '../../../app/http/wire.ts';
import type {Clock} from '../../net/clock.ts';
import type {HeadBudget, HeadSender} from './headBudget.ts';
import type {ServerLimits} from './limits.ts';
import {Patience} from './patience.ts';

/** What all ends of a server share. */
export interface Served {
  readonly respond: Respond;
  /** By the address that asks. */
  readonly refuse: (head: Pick<Head, 'fields'>, address: string) => Response | undefined;
  readonly heads: HeadBudget;
  readonly limits: ServerLimits;
  readonly clock: Clock;
}

/** A server's end of HTTP over one connection of the kernel's TCP, and how long its peer takes. */
export interface HttpConnectionEnd {
  readonly patience: Patience;
  handleBytes(bytes: Uint8Array): void;
  /** Writes what the transport takes. */
  write(): void;
  /** For now nothing more of the peer's should be read. */
  readonly isFull: boolean;
  /** Nothing more of the peer's is read. */
  readonly isOver: boolean;
  /** Nothing more is read or written: the connection ends. */
  readonly isDone: boolean;
  /** The connection is no more. */
  forget(): void;
}

/** Of such an end: `send` gives the number of bytes that the transport took. */
export interface ConnectionEndOptions extends Pick<HttpEndOptions, 'address' | 'giveUp'> {
  readonly send: (bytes: Uint8Array) => number;
}

export interface HttpEndOptions {
  /** The peer's. */
  readonly address: string;
  readonly framing: Framing;
  /** As `HttpServer` takes it: of TCP, whose connections end with a request. */
  readonly isLast?: (head: Head) => boolean;
  /** Gives the number of bytes that the transport took of a piece. */
  readonly send: (stream: number, bytes: Uint8Array) => number;
  /** Ends the connection: too much of heads is kept for it. */
  readonly giveUp: () => void;
}

/** The server's end of HTTP/1.1 over one connection, and how long its peer takes. */
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

  /** The connection is no more. */
  forget(): void {
    this.#heads.settle(this.#sender, 0);
  }

  /** Nothing more of the peer's is read: the connection ends with the last answer. */
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
