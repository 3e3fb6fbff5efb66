import {Answers, type AnswersOptions} from '../answers.ts';
import {joinedBytes} from '../buffers.ts';
import type {Field} from '../hpack/field.ts';
import {answerFields} from '../messageFields.ts';
import type {QpackSettings} from '../qpack/qpackEncoder.ts';
import {plainRules, type ServerRules} from '../serverRules.ts';
import type {StreamPiece} from '../transports.ts';
import {FRAME, frameHead} from './h3Frame.ts';
import {H3Peer, type H3PeerOwner} from './h3Peer.ts';

export interface H3ServerOptions extends AnswersOptions {
  /**
   * The largest size of QPACK's dynamic tables, 0 to 65,536 bytes. It limits both the table for the client's requests
   * and the table for the server's responses. If it is 0, both ends use only the static table.
   */
  readonly qpackTableBytes: number;
}

/**
 * The server of an HTTP/3 connection (RFC 9114), sans-IO. It writes all heads that are due before any body. Each body
 * is one DATA frame.
 *
 * After each call, and when {@link H3Server.pollTimeoutNs} is reached, write the pieces that {@link
 * H3Server.pollFrames} returns. Then write the pieces that {@link H3Server.pollData} returns, as long as the transport
 * can send them soon.
 */
export class H3Server implements H3PeerOwner {
  readonly #peer: H3Peer;
  readonly #answers: Answers;
  readonly #pieceBytes: number;
  #nowNs = 0;
  #isBroken = false;
  /** The request stream after the highest one on which a request has arrived. */
  #nextRequest = 0;
  /** Requests from this stream on are not answered. */
  #goneFrom = Number.POSITIVE_INFINITY;

  constructor(options: H3ServerOptions, {pieceBytes}: Pick<ServerRules, 'pieceBytes'> = PLAIN) {
    const {qpackTableBytes: tableBytes} = options;
    this.#answers = new Answers(options);
    this.#pieceBytes = pieceBytes;
    this.#peer = new H3Peer(this, {
      role: 'server',
      mostFieldsBytes: MOST_FIELDS_BYTES,
      qpack: qpackSettings(tableBytes),
      mostTableBytes: tableBytes,
    });
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

  /** Returns the next piece that is not part of a body, or undefined if there is none. */
  pollFrames(nowNs: number): StreamPiece | undefined {
    for (const {stream, response, isEnd} of this.#answers.takeDue(nowNs)) {
      this.#peer.sendFields(stream, answerFields(response), response.object, isEnd);
      if (isEnd) this.#answers.forget(stream);
    }
    return this.#peer.poll();
  }

  /** Returns the next piece of a body, or undefined if there is none. */
  pollData(): StreamPiece | undefined {
    const piece = this.#answers.nextPiece(() => Number.POSITIVE_INFINITY, this.#pieceBytes);
    if (piece === undefined) return undefined;
    const {stream, response, isFirst, isEnd} = piece;
    if (isEnd) this.#answers.forget(stream);
    const bytes = isFirst ? joinedBytes([frameHead(FRAME.data, response.body.length), piece.bytes]) : piece.bytes;
    return {stream, bytes, object: response.object, isEnd};
  }

  /** Tells the client that requests on later streams than those seen so far are not answered (RFC 9114 §5.2). */
  goAway(): void {
    if (this.#goneFrom === Number.POSITIVE_INFINITY) this.#peer.sendGoaway(this.#nextRequest);
    this.#goneFrom = Math.min(this.#goneFrom, this.#nextRequest);
  }

  /** Number of requests that are not completely answered. */
  get waiting(): number {
    return this.#answers.waiting;
  }

  /** Whether a request is incomplete, or waits for an entry of QPACK's dynamic table. */
  get isReading(): boolean {
    return this.#peer.isReading;
  }

  /**
   * Number of bytes of requests in incomplete frames, in frames that wait for an entry of QPACK's dynamic table, and in
   * the frames behind those.
   */
  get headBytes(): number {
    return this.#peer.heldBytes;
  }

  /** Whether the client has broken the protocol, so that the connection cannot be used any more. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** Returns the time at which the next answer is due, or undefined if no think time is running. */
  pollTimeoutNs(nowNs: number): number | undefined {
    return this.#answers.pollTimeoutNs(nowNs);
  }

  handleFields(stream: number, fields: readonly Field[]): void {
    if (stream >= this.#goneFrom) return;
    this.#nextRequest = Math.max(this.#nextRequest, stream + 4);
    this.#answers.handleFields(stream, fields, true, this.#nowNs);
  }

  /** Ignores the body of a request. The body of a GET has no meaning (RFC 9110 §9.3.1). */
  handleData(): void {}

  /** Does nothing. A request is answered when its head has arrived. */
  handleEnd(): void {}

  handlePriority(stream: number, text: string): void {
    this.#answers.handlePriority(stream, text);
  }

  /** Does nothing. A client's GOAWAY concerns only pushes, and this server never pushes. */
  handleGoaway(): void {}

  handleBadStream(stream: number): void {
    this.#answers.forget(stream);
  }

  handleBroken(): void {
    this.#isBroken = true;
    this.#answers.forgetAll();
  }
}

const PLAIN = plainRules('round-robin', 3);

/** Returns the settings of QPACK that a server announces if it allows a dynamic table of `tableBytes` bytes. */
export function qpackSettings(tableBytes: number): QpackSettings {
  return {tableBytes, blockedStreams: tableBytes > 0 ? MOST_BLOCKED_STREAMS : 0};
}

/**
 * Size in bytes of QPACK's dynamic table that LiteSpeed's and h2o's servers allow by default (lsquic:
 * `LSQUIC_DF_QPACK_DEC_MAX_SIZE`).
 */
export const USUAL_QPACK_TABLE_BYTES = 4096;
/** Number of streams that may be blocked by QPACK, as in Chromium and lsquic (`LSQUIC_DF_QPACK_DEC_MAX_BLOCKED`). */
const MOST_BLOCKED_STREAMS = 100;
/**
 * The largest size of a request's fields, in bytes. It is above the limit for heads in HTTP/1.1, and above what
 * browsers send.
 */
const MOST_FIELDS_BYTES = 65_536;
