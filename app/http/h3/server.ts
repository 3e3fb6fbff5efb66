import {Answers, type AnswersOptions} from '../answers.ts';
import {joined} from '../bytes.ts';
import {answerFields} from '../fields.ts';
import type {Field} from '../hpack/field.ts';
import type {StreamPiece} from '../transports.ts';
import {FRAME, frameHead} from './frames.ts';
import {headersFrame} from './headers.ts';
import {controlStreamStart, Peer, type PeerOwner} from './peer.ts';

/**
 * HTTP/3's server (RFC 9114), sans-IO: all requests are thought about at once, and heads go before bodies, each of
 * which is one DATA frame.
 *
 * After each call, and when {@link H3Server.pollTimeoutNs} has come, write what {@link H3Server.pollFrames} gives, then,
 * a piece at a time as long as the transport sends soon, what {@link H3Server.pollData} gives.
 */
export class H3Server implements PeerOwner {
  readonly #peer = new Peer(this, MOST_FIELDS_BYTES);
  readonly #answers: Answers;
  readonly #outgoing: StreamPiece[] = [];
  #nowNs = 0;
  #isBroken = false;

  constructor(options: AnswersOptions) {
    this.#answers = new Answers(options);
    const bytes = controlStreamStart(MOST_FIELDS_BYTES);
    this.#outgoing.push({stream: CONTROL_STREAM, bytes, object: null, isEnd: false});
  }

  handleBytes(stream: number, bytes: Uint8Array, nowNs: number): void {
    this.#nowNs = nowNs;
    this.#peer.handleBytes(stream, bytes);
  }

  handleFinished(stream: number, nowNs: number): void {
    this.#nowNs = nowNs;
    this.#peer.handleFinished(stream);
  }

  handleReset(stream: number): void {
    this.#peer.handleReset(stream);
    this.#answers.forget(stream);
  }

  /** What is not a body's. */
  pollFrames(nowNs: number): StreamPiece | undefined {
    for (const {stream, response, isEnd} of this.#answers.takeDue(nowNs)) {
      const bytes = headersFrame(answerFields(response));
      this.#outgoing.push({stream, bytes, object: response.object, isEnd});
      if (isEnd) this.#answers.forget(stream);
    }
    return this.#outgoing.shift();
  }

  /** The next piece of a body: no more than a packet carries. */
  pollData(): StreamPiece | undefined {
    const piece = this.#answers.nextPiece(() => Number.POSITIVE_INFINITY, PIECE_BYTES);
    if (piece === undefined) return undefined;
    const {stream, response, isFirst, isEnd} = piece;
    if (isEnd) this.#answers.forget(stream);
    const bytes = isFirst ? joined([frameHead(FRAME.data, response.body.length), piece.bytes]) : piece.bytes;
    return {stream, bytes, object: response.object, isEnd};
  }

  /** How many requests are not answered whole. */
  get waiting(): number {
    return this.#answers.waiting;
  }

  /** A request has come in part. */
  get isReading(): boolean {
    return this.#peer.isReading;
  }

  /** Of heads that have come in part. */
  get headBytes(): number {
    return this.#peer.heldBytes;
  }

  /** The client has broken the protocol: the connection is of no more use. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** When to ask again; undefined if the server waits for nothing but its client. */
  pollTimeoutNs(nowNs: number): number | undefined {
    return this.#answers.pollTimeoutNs(nowNs);
  }

  handleFields(stream: number, fields: readonly Field[]): void {
    this.#answers.handleFields(stream, fields, true, this.#nowNs);
  }

  /** What a GET brings is of no use (RFC 9110 §9.3.1). */
  handleData(): void {}

  handleEnd(): void {}

  handlePriority(stream: number, text: string): void {
    this.#answers.handlePriority(stream, text);
  }

  handleBadStream(stream: number): void {
    this.#answers.forget(stream);
  }

  handleBroken(): void {
    this.#isBroken = true;
    this.#answers.forgetAll();
  }
}

/** Its first in one direction (RFC 9000 §2.1). */
const CONTROL_STREAM = 3;
/** With the headers of frame, packet, UDP and IP one packet of 1500 bytes. */
const PIECE_BYTES = 1400;
/** As large as HTTP/1.1's heads here may be, and a browser's beyond. */
const MOST_FIELDS_BYTES = 65_536;
