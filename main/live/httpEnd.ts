import type {Head} from '../../app/http/head.ts';
import type {Respond, Response} from '../../app/http/response.ts';
import {HttpServer} from '../../app/http/server.ts';
import type {Framing} from '../../app/http/wire.ts';
import type {Clock} from './clock.ts';
import type {ServerLimits} from './limits.ts';

/** What all ends of a server share. */
export interface Served {
  readonly respond: Respond;
  readonly refuse: (head: Head) => Response | undefined;
  readonly limits: ServerLimits;
  readonly clock: Clock;
}

/** What a peer keeps an end waiting for. */
type Phase = 'idle' | 'request' | 'answer';

/** The server's end of HTTP over one connection, and how long its peer takes. */
export class HttpEnd {
  readonly #served: Served;
  readonly #server: HttpServer;
  readonly #send: (stream: number, bytes: Uint8Array) => number;
  #phase: Phase = 'idle';
  /** In this phase, or since an answer of it was taken whole. */
  #sinceNs: number;
  #waiting = 0;

  /** `send` gives the number of bytes that the transport took of a piece. */
  constructor(served: Served, framing: Framing, send: (stream: number, bytes: Uint8Array) => number) {
    const {respond, refuse, clock} = served;
    this.#served = served;
    this.#server = new HttpServer({respond, refuse, framing, thinkNs: 0});
    this.#send = send;
    this.#sinceNs = clock();
  }

  handleBytes(stream: number, bytes: Uint8Array): void {
    this.#server.handleBytes(stream, bytes, this.#served.clock());
    this.#settle();
  }

  /** Writes what the transport takes. */
  write(): void {
    const nowNs = this.#served.clock();
    for (let piece = this.#server.peekPiece(nowNs); piece; piece = this.#server.peekPiece(nowNs)) {
      const taken = this.#send(piece.stream, piece.bytes);
      if (taken === 0) break;
      this.#server.handleWritten(taken, nowNs);
    }
    this.#settle();
  }

  get isIdle(): boolean {
    return this.#phase === 'idle';
  }

  /** No more requests should be read. */
  get isFull(): boolean {
    return this.#server.waiting >= this.#served.limits.waiting;
  }

  /** From now on it counts how long the peer takes. */
  restart(): void {
    this.#sinceNs = this.#served.clock();
  }

  /** The peer has taken too long. */
  get isLate(): boolean {
    const {clock, limits} = this.#served;
    const most = {idle: limits.idleMs, request: limits.requestMs, answer: limits.answerMs};
    return clock() - this.#sinceNs > most[this.#phase] * 1e6;
  }

  #settle(): void {
    const {waiting, isReading} = this.#server;
    const phase = waiting > 0 ? 'answer' : isReading ? 'request' : 'idle';
    const hasAnswered = waiting < this.#waiting;
    this.#waiting = waiting;
    if (phase === this.#phase && !hasAnswered) return;
    this.#phase = phase;
    this.#sinceNs = this.#served.clock();
  }
}
