import {Answers, type AnswersOptions} from '../answers.ts';
import {answerFields} from '../fields.ts';
import type {Field} from '../hpack/field.ts';
import {USUAL_WINDOW_BYTES} from './flow.ts';
import {SETTING} from './frame.ts';
import {MOST_STREAMS, type OutgoingFrames, Peer, type PeerOwner} from './peer.ts';

/**
 * HTTP/2's server (RFC 9113 §8), sans-IO: all requests are thought about at once, and heads go before bodies.
 *
 * After each call, and when {@link H2Server.pollTimeoutNs} has come, write what {@link H2Server.pollFrames} gives,
 * then, a piece at a time as long as the transport sends soon, what {@link H2Server.pollData} gives.
 */
export class H2Server implements PeerOwner {
  readonly #peer: Peer;
  readonly #answers: Answers;
  #nowNs = 0;
  #isBroken = false;
  #requests = 0;

  constructor(options: AnswersOptions) {
    this.#answers = new Answers(options);
    this.#peer = new Peer({role: 'server', ...SERVER, owner: this});
  }

  handleConnected(): void {
    this.#peer.start();
  }

  handleBytes(bytes: Uint8Array, nowNs: number): void {
    this.#nowNs = nowNs;
    this.#peer.handleBytes(bytes);
  }

  /** Control frames and heads. */
  pollFrames(nowNs: number): OutgoingFrames | undefined {
    for (const {stream, response, isEnd} of this.#answers.takeDue(nowNs)) {
      this.#peer.sendFields(stream, answerFields(response), isEnd);
      if (isEnd) this.#answers.forget(stream);
    }
    return this.#peer.pollFrames();
  }

  /** The next piece of a body: no more than a packet carries. */
  pollData(): OutgoingFrames | undefined {
    const piece = this.#answers.nextPiece(stream => this.#peer.dataRoom(stream), PIECE_BYTES);
    if (piece === undefined) return undefined;
    const {stream, bytes, isEnd} = piece;
    const frame = this.#peer.sealData(stream, bytes, isEnd);
    if (isEnd) this.#answers.forget(stream);
    return frame;
  }

  /** When to ask again; undefined if the server waits for nothing but its client. */
  pollTimeoutNs(nowNs: number): number | undefined {
    return this.#answers.pollTimeoutNs(nowNs);
  }

  /** How many requests are not answered whole. */
  get waiting(): number {
    return this.#answers.waiting;
  }

  /** A frame, or a request's fields, have come in part. */
  get isReading(): boolean {
    return this.#peer.isReading;
  }

  /** Of heads that have come in part. */
  get headBytes(): number {
    return this.#peer.heldBytes;
  }

  /** How many requests have come, the broken ones not counted. */
  get requests(): number {
    return this.#requests;
  }

  /** The client has broken the protocol: the connection is of no more use. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  objectOf(stream: number): number | null {
    return this.#answers.objectOf(stream);
  }

  handleFields(stream: number, fields: readonly Field[], isEnd: boolean): void {
    this.#requests += 1;
    this.#answers.handleFields(stream, fields, isEnd, this.#nowNs);
  }

  /** What a GET brings is of no use (RFC 9110 §9.3.1). */
  handleData(): void {}

  handleReset(stream: number): void {
    this.#answers.forget(stream);
  }

  /** Of pushes, which there are none of. */
  handleGoaway(): void {}

  handleBroken(): void {
    this.#isBroken = true;
    this.#answers.forgetAll();
  }

  handlePriority(stream: number, text: string): void {
    this.#answers.handlePriority(stream, text);
  }
}

/** With its frame's and its record's own bytes one packet (1369: `recordContentBytes`). */
const PIECE_BYTES = 1360;

/** As large as HTTP/1.1's heads here may be, and a browser's beyond. */
const [TABLE_BYTES, LIST_BYTES] = [4096, 65_536];

/** A request has no body, so the usual windows do (RFC 9113 §6.9.2). */
const SERVER = {
  tableBytes: TABLE_BYTES,
  listBytes: LIST_BYTES,
  streamWindowBytes: USUAL_WINDOW_BYTES,
  connectionWindowBytes: USUAL_WINDOW_BYTES,
  settings: [
    [SETTING.maxConcurrentStreams, MOST_STREAMS],
    [SETTING.maxHeaderListSize, LIST_BYTES],
    // RFC 9218 §2.1
    [SETTING.noRfc7540Priorities, 1],
  ],
} as const;
