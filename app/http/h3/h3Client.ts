import type {ResponseEvent} from '../exchange.ts';
import type {Field} from '../hpack/field.ts';
import {getFields} from '../messageFields.ts';
import {checkTrailers} from '../messageRules.ts';
import {isPictureRequest, priorityText, requestPriority, type StatedPriority} from '../priority.ts';
import type {QpackSettings} from '../qpack/qpackEncoder.ts';
import {ResponseReader} from '../responseReader.ts';
import type {SchedulerName} from '../scheduler.ts';
import type {StreamPiece} from '../transports.ts';
import {type ErrorName, H3ConnectionError} from './h3Error.ts';
import {H3Peer, type H3PeerOwner} from './h3Peer.ts';

export interface H3ClientOptions {
  /**
   * The size in bytes that a GET would have in HTTP/1.1, where fields of a browser fill it up to this size. In HTTP/3,
   * the GET has the same fields.
   */
  readonly requestBytes: number;
  /** A token that a remote server requires in each GET. */
  readonly token?: string | undefined;
  /** The server's scheduler. The client's priorities depend on it ({@link requestPriority}). */
  readonly scheduler: SchedulerName;
  /** Called for each event of a response. */
  readonly onResponse: (object: number, event: ResponseEvent) => void;
}

/**
 * The client of an HTTP/3 connection (RFC 9114), sans-IO. Each request has a stream of its own (§4.1). After each call,
 * write the pieces that {@link H3Client.poll} returns.
 */
export class H3Client implements H3PeerOwner {
  readonly #options: H3ClientOptions;
  readonly #peer = new H3Peer(this, CHROMIUM);
  /** Maps each stream to its unanswered request. A request is removed when its response has ended. */
  readonly #requests = new Map<number, {readonly object: number; readonly reader: ResponseReader}>();
  #opened = 0;
  #pictures = 0;
  /** The reason why the connection accepts no more requests, or undefined while it accepts requests. */
  #gone: string | undefined;

  constructor(options: H3ClientOptions) {
    this.#options = options;
  }

  /** Uses the QPACK settings that the server announced on an earlier connection (RFC 9114 §7.2.4.2). */
  remember(settings: QpackSettings): void {
    this.#peer.remember(settings);
  }

  request(object: number, url: string, stated?: StatedPriority): void {
    const reader = new ResponseReader(event => this.#options.onResponse(object, event));
    if (this.#gone !== undefined) {
      reader.handleGone(this.#gone);
      return;
    }
    const stream = 4 * this.#opened++;
    this.#requests.set(stream, {object, reader});
    const {scheduler, requestBytes, token} = this.#options;
    const priority = stated ?? requestPriority(url, scheduler, this.#pictures);
    if (isPictureRequest(url)) this.#pictures += 1;
    this.#peer.sendFields(stream, getFields(url, 'https', requestBytes, priority, token), object, true);
  }

  /** Changes the priority of an unanswered request by a PRIORITY_UPDATE frame on the control stream (RFC 9218 §7.2). */
  reprioritize(object: number, priority: StatedPriority): void {
    for (const [stream, request] of this.#requests) {
      if (request.object !== object) continue;
      this.#peer.sendPriority(stream, priorityText(priority));
    }
  }

  poll(): StreamPiece | undefined {
    return this.#peer.poll();
  }

  handleBytes(stream: number, bytes: Uint8Array): void {
    this.#peer.handleBytes(stream, bytes);
  }

  handleFinished(stream: number): void {
    this.#peer.handleFinished(stream);
  }

  /** Called when the server has reset the stream. */
  handleReset(stream: number, code: number): void {
    this.#peer.handleReset(stream);
    this.#handleStreamGone(stream, `stream reset: 0x${code.toString(16)}`);
  }

  /** Called when the connection has ended. All unanswered requests fail. */
  handleGone(reason: string): void {
    this.#gone ??= reason;
    for (const stream of [...this.#requests.keys()]) this.#handleStreamGone(stream, reason);
  }

  handleFields(stream: number, fields: readonly Field[]): void {
    const reader = this.#requests.get(stream)?.reader;
    // `handleEnd` reports the end of the stream, so `isEnd` is false for a head. `isEnd` is true for trailers, because
    // only the end can follow them.
    if (reader?.hasHead === true) checkTrailers(fields, true);
    else reader?.handleFields(fields, false);
  }

  handleData(stream: number, bytes: Uint8Array): void {
    this.#requests.get(stream)?.reader.handleData(bytes);
  }

  handleEnd(stream: number): void {
    this.#requests.get(stream)?.reader.handleEnd();
    this.#requests.delete(stream);
  }

  handleBadStream(stream: number, code: ErrorName): void {
    this.#handleStreamGone(stream, `stream ended: ${code}`);
  }

  handleBroken({code}: H3ConnectionError): void {
    this.handleGone(`connection ended: ${code}`);
  }

  /** Ends the connection, because a server must not send priorities (RFC 9218 §7.2). */
  handlePriority(): void {
    throw new H3ConnectionError('H3_FRAME_UNEXPECTED', 'PRIORITY_UPDATE from a server');
  }

  /**
   * Called when the server announces that it will not answer requests from stream `id` on. The client sends no more
   * requests (RFC 9114 §5.2).
   */
  handleGoaway(id: number): void {
    if (id % 4 !== 0) throw new H3ConnectionError('H3_ID_ERROR', `GOAWAY with id ${id}, which is not a request stream`);
    const reason = 'connection ended: H3_NO_ERROR';
    this.#gone ??= reason;
    for (const stream of [...this.#requests.keys()]) if (stream >= id) this.#handleStreamGone(stream, reason);
  }

  #handleStreamGone(stream: number, reason: string): void {
    const request = this.#requests.get(stream);
    this.#requests.delete(stream);
    request?.reader.handleGone(reason);
  }
}

/**
 * Chromium's limits. The limit for the fields of a response is the same as in HTTP/2. The limits for QPACK's table and
 * blocked streams are `kDefaultQpackMaxDynamicTableCapacity` and `kDefaultMaximumBlockedStreams` of QUICHE. Chromium's
 * encoder uses a table of the same size.
 */
const CHROMIUM = {
  role: 'client',
  mostFieldsBytes: 262_144,
  qpack: {tableBytes: 65_536, blockedStreams: 100},
  mostTableBytes: 65_536,
} as const;
