import {Answers, type AnswersOptions, type BodyPiece} from '../answers.ts';
import {earliest} from '../exchange.ts';
import type {Field} from '../hpack/field.ts';
import {answerFields} from '../messageFields.ts';
import type {Response} from '../response.ts';
import type {Dependency} from '../responseOrder.ts';
import {plainRules, type ServerRules} from '../serverRules.ts';
import {SETTING} from './h2Frame.ts';
import {H2Peer, type H2PeerOwner, MOST_STREAMS, type OutgoingFrames} from './h2Peer.ts';
import {USUAL_WINDOW_BYTES} from './h2Window.ts';
import {Handlers} from './handlers.ts';

type Rules = Pick<ServerRules, 'pieceBytes' | 'handlers' | 'settingsAreReply'>;

/**
 * The server of an HTTP/2 connection (RFC 9113 §8), sans-IO. If its rules have no `handlers`, it writes all heads that
 * are due before any body. With `handlers`, each request has a thread of its own on the modelled server, which writes
 * the head and then the body (`handlers.ts`).
 *
 * After each call, and when {@link H2Server.pollTimeoutNs} is reached, write the frames that {@link
 * H2Server.pollFrames} returns. Then write the pieces that {@link H2Server.pollData} returns, as long as the transport
 * can send them soon.
 */
export class H2Server implements H2PeerOwner {
  readonly #peer: H2Peer;
  readonly #answers: Answers;
  readonly #rules: Rules;
  readonly #handlers: Handlers | undefined;
  #nowNs = 0;
  /** Whether the server's settings wait for the first bytes of the client. */
  #isSilent = false;
  #isBroken = false;
  #requests = 0;

  constructor(options: AnswersOptions, rules: Rules = PLAIN) {
    this.#answers = new Answers(options);
    this.#rules = rules;
    this.#handlers = rules.handlers && new Handlers(rules.handlers);
    this.#peer = new H2Peer({role: 'server', ...SERVER, owner: this});
  }

  handleConnected(): void {
    this.#isSilent = this.#rules.settingsAreReply === true;
    if (!this.#isSilent) this.#peer.start();
  }

  handleBytes(bytes: Uint8Array, nowNs: number): void {
    this.#nowNs = nowNs;
    if (this.#isSilent) this.#peer.start();
    this.#isSilent = false;
    this.#peer.handleBytes(bytes);
  }

  /**
   * Returns the next control frame or head, or undefined if there is none. With handlers, it returns no heads, because
   * {@link H2Server.pollData} returns them.
   */
  pollFrames(nowNs: number): OutgoingFrames | undefined {
    for (const {stream, response, isEnd} of this.#answers.takeDue(nowNs)) {
      if (this.#handlers === undefined) this.#sendHead(stream, response, isEnd);
      else this.#handlers.start(stream, isEnd ? 0 : response.body.length, nowNs);
    }
    return this.#peer.pollFrames();
  }

  /**
   * Returns the next piece of a body, or undefined if no piece can be sent now. With handlers, it returns the next
   * frame of a handler, which can be a head.
   */
  pollData(nowNs: number): OutgoingFrames | undefined {
    if (this.#handlers !== undefined) return this.#pollHandlers(this.#handlers, nowNs);
    const piece = this.#answers.nextPiece(stream => this.#peer.dataRoom(stream), this.#rules.pieceBytes);
    return piece && this.#sealed(piece);
  }

  #pollHandlers(handlers: Handlers, nowNs: number): OutgoingFrames | undefined {
    if (!handlers.canWrite(nowNs)) return undefined;
    const room = (stream: number) => this.#peer.dataRoom(stream);
    const stream = this.#answers.nextStream(each => {
      const frame = handlers.queued(each, nowNs);
      return frame !== undefined && (frame.mostBytes === 0 || room(each) > 0);
    });
    const frame = stream === undefined ? undefined : handlers.queued(stream, nowNs);
    if (stream === undefined || frame === undefined) return undefined;
    const piece = this.#answers.pieceOf(stream, Math.min(frame.mostBytes, room(stream), this.#rules.pieceBytes));
    if (piece === undefined) return undefined;
    const isEnd = handlers.handleWritten(stream, piece.bytes.length, nowNs);
    if (!frame.isHead) return this.#sealed({...piece, isEnd});
    this.#sendHead(stream, piece.response, isEnd);
    return this.#peer.pollFrames();
  }

  #sendHead(stream: number, response: Response, isEnd: boolean): void {
    this.#peer.sendFields(stream, answerFields(response), isEnd);
    if (isEnd) this.#answers.forget(stream);
  }

  #sealed({stream, bytes, isEnd}: BodyPiece): OutgoingFrames {
    const frame = this.#peer.sealData(stream, bytes, isEnd);
    if (isEnd) this.#answers.forget(stream);
    return frame;
  }

  /** Returns the time at which the server can continue without an event, or undefined if there is none. */
  pollTimeoutNs(nowNs: number): number | undefined {
    return earliest(this.#answers.pollTimeoutNs(nowNs), this.#handlers?.pollTimeoutNs(nowNs));
  }

  /** Number of requests that are not completely answered. */
  get waiting(): number {
    return this.#answers.waiting;
  }

  /** Whether the client's preface, a frame or the fields of a request have arrived only in part. */
  get isReading(): boolean {
    return this.#peer.isReading;
  }

  /** Number of bytes of incomplete frames and field blocks. */
  get headBytes(): number {
    return this.#peer.heldBytes;
  }

  /** Number of field blocks that have been handled: the heads of requests, and trailers. */
  get requests(): number {
    return this.#requests;
  }

  /** Whether the client has broken the protocol, so that the connection cannot be used any more. */
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

  /** Ignores the body of a request. The body of a GET has no meaning (RFC 9110 §9.3.1). */
  handleData(): void {}

  handleReset(stream: number): void {
    this.#answers.forget(stream);
    this.#handlers?.forget(stream);
  }

  /** Does nothing. A client's GOAWAY concerns only pushes, and this server never pushes. */
  handleGoaway(): void {}

  handleBroken(): void {
    this.#isBroken = true;
    this.#answers.forgetAll();
    this.#handlers?.forgetAll();
  }

  handleDependency(stream: number, dependency: Dependency): void {
    this.#answers.handleDependency(stream, dependency);
  }

  handlePriority(stream: number, text: string): void {
    this.#answers.handlePriority(stream, text);
  }
}

const PLAIN = plainRules('round-robin', 2);

/**
 * The largest sizes of HPACK's dynamic table and of a request's fields. The limit of the fields is above the limit for
 * heads in HTTP/1.1, and above what browsers send.
 */
const [TABLE_BYTES, LIST_BYTES] = [4096, 65_536];

/** The server's settings and limits. The initial windows suffice, because requests have no bodies (RFC 9113 §6.9.2). */
const SERVER = {
  tableBytes: TABLE_BYTES,
  listBytes: LIST_BYTES,
  streamWindowBytes: USUAL_WINDOW_BYTES,
  connectionWindowBytes: USUAL_WINDOW_BYTES,
  settings: [
    [SETTING.maxConcurrentStreams, MOST_STREAMS],
    [SETTING.maxHeaderListSize, LIST_BYTES],
    // This setting tells the client that the server ignores the priorities of RFC 7540 (RFC 9218 §2.1). A server that
    // uses them should not send it, but here such a server (`TreeRules`) sends it, too.
    [SETTING.noRfc7540Priorities, 1],
  ],
} as const;
