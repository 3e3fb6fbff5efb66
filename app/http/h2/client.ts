import {HOST} from '../../page/url.ts';
import type {ResponseEvent} from '../exchange.ts';
import {PAD_FIELD} from '../head.ts';
import type {Field} from '../hpack/field.ts';
import {isPicture, type Priority, priorityText, requestPriority} from '../priority.ts';
import {requestPadding} from '../request.ts';
import type {SchedulerName} from '../scheduler.ts';
import {type ConnectionError, type ErrorCode, StreamError} from './error.ts';
import {SETTING} from './frame.ts';
import {checkTrailers, responseFields} from './message.ts';
import {type OutgoingFrames, Peer, type PeerOwner} from './peer.ts';

export interface H2ClientOptions {
  readonly scheme: 'http' | 'https';
  /** Each GET in HTTP/1.1: its filler is a field here, too. */
  readonly requestBytes: number;
  /** What the priorities ask for. */
  readonly scheduler: SchedulerName;
  /** Told what came of each response. */
  readonly onResponse: (object: number, event: ResponseEvent) => void;
}

/** HTTP/2's client (RFC 9113 §8), sans-IO: a stream a request, as a browser asks. */
export class H2Client implements PeerOwner {
  readonly #options: H2ClientOptions;
  readonly #peer: Peer;
  /** Not asked for yet. */
  readonly #waiting: {readonly object: number; readonly url: string}[] = [];
  readonly #requests = new Map<number, Request>();
  #pictures = 0;
  #isConnected = false;
  /** Why nothing can be asked for any more. */
  #gone: string | undefined;

  constructor(options: H2ClientOptions) {
    this.#options = options;
    this.#peer = new Peer({role: 'client', ...CHROMIUM, owner: this});
  }

  handleConnected(): void {
    this.#isConnected = true;
    this.#peer.start();
    this.#giveOut();
  }

  request(object: number, url: string): void {
    if (this.#gone === undefined) this.#waiting.push({object, url});
    else this.#options.onResponse(object, {type: 'gone', reason: this.#gone});
    this.#giveOut();
  }

  handleBytes(bytes: Uint8Array): void {
    this.#peer.handleBytes(bytes);
    this.#giveOut();
  }

  pollFrames(): OutgoingFrames | undefined {
    return this.#peer.pollFrames();
  }

  /** The connection is gone, and what is not answered with it. */
  handleGone(reason: string): void {
    this.#gone ??= reason;
    for (const [stream] of this.#requests) this.#end(stream, {type: 'gone', reason});
    for (const {object} of this.#waiting.splice(0)) this.#options.onResponse(object, {type: 'gone', reason});
  }

  objectOf(stream: number): number | null {
    return this.#requests.get(stream)?.object ?? null;
  }

  handleFields(stream: number, fields: readonly Field[], isEnd: boolean): void {
    const request = this.#requests.get(stream);
    if (request === undefined) return;
    if (request.bodyBytes !== undefined) checkTrailers(stream, fields, isEnd);
    else this.#handleHead(stream, request, fields, isEnd);
    if (isEnd) this.#handleEnd(stream, request);
  }

  handleData(stream: number, bytes: Uint8Array, isEnd: boolean): void {
    const request = this.#requests.get(stream);
    if (request === undefined) return;
    if (request.bodyBytes === undefined)
      throw new StreamError(stream, 'PROTOCOL_ERROR', 'a body without a head');
    request.left -= bytes.length;
    if (request.left < 0) throw new StreamError(stream, 'PROTOCOL_ERROR', 'more than its content-length');
    if (bytes.length > 0) this.#options.onResponse(request.object, {type: 'body', bytes});
    if (isEnd) this.#handleEnd(stream, request);
  }

  handleReset(stream: number, code: ErrorCode): void {
    this.#end(stream, {type: 'gone', reason: `stream reset: ${code}`});
  }

  handleGoaway(last: number, code: ErrorCode): void {
    const reason = `connection ended: ${code}`;
    this.#gone ??= reason;
    for (const [stream] of this.#requests) {
      if (stream > last || code !== 'NO_ERROR') this.#end(stream, {type: 'gone', reason});
    }
    for (const {object} of this.#waiting.splice(0)) this.#options.onResponse(object, {type: 'gone', reason});
  }

  handleBroken({code}: ConnectionError): void {
    this.handleGone(`connection ended: ${code}`);
  }

  /** Never: a server sends none. */
  handlePriority(): void {}

  #handleHead(stream: number, request: Request, fields: readonly Field[], isEnd: boolean): void {
    const head = responseFields(stream, fields);
    const status = Number(head.get(':status'));
    if (status < 200) {
      // an interim response (RFC 9113 §8.1)
      if (isEnd) throw new StreamError(stream, 'PROTOCOL_ERROR', `status ${status} at the end`);
      return;
    }
    const length = head.get('content-length');
    if (length === undefined || !/^\d{1,12}$/.test(length)) {
      request.isBad = true;
      this.#options.onResponse(request.object, {
        type: 'bad',
        failure: {kind: 'malformed', what: 'Content-Length'},
      });
      throw new StreamError(stream, 'PROTOCOL_ERROR', 'no content-length');
    }
    request.bodyBytes = Number(length);
    request.left = request.bodyBytes;
    const failure = status === 200 ? null : ({kind: 'status', status} as const);
    this.#options.onResponse(request.object, {type: 'head', status, bodyBytes: request.bodyBytes, failure});
  }

  #handleEnd(stream: number, {bodyBytes, left}: Request): void {
    // RFC 9113 §8.1.1
    if (bodyBytes === undefined || left > 0)
      throw new StreamError(stream, 'PROTOCOL_ERROR', `${left} bytes short`);
    this.#end(stream, {type: 'end'});
  }

  #end(stream: number, event: ResponseEvent): void {
    const request = this.#requests.get(stream);
    this.#requests.delete(stream);
    if (request !== undefined && !request.isBad) this.#options.onResponse(request.object, event);
  }

  /** As many as the server allows at once (RFC 9113 §5.1.2). */
  #giveOut(): void {
    if (!this.#isConnected || this.#gone !== undefined) return;
    while (this.#peer.streams < this.#peer.mostStreams) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      const {object, url} = next;
      const stream = this.#peer.openStream();
      this.#requests.set(stream, {object, bodyBytes: undefined, left: 0, isBad: false});
      const priority = requestPriority(url, this.#options.scheduler, this.#pictures);
      if (isPicture(url)) this.#pictures += 1;
      this.#peer.sendFields(stream, this.#fieldsOf(url, priority), true);
    }
  }

  /** What HTTP/1.1's GET says here, and the priority. */
  #fieldsOf(url: string, priority: Priority): readonly Field[] {
    const {scheme, requestBytes} = this.#options;
    const [pad, text] = [requestPadding(url, requestBytes), priorityText(priority)];
    return [
      ...[[':method', 'GET'] as const, [':authority', HOST] as const],
      ...[[':scheme', scheme] as const, [':path', url] as const],
      ...(text === '' ? [] : [['priority', text] as const]),
      ...(pad === undefined ? [] : [[PAD_FIELD.toLowerCase(), pad] as const]),
    ];
  }
}

interface Request {
  readonly object: number;
  /** Undefined until its head is there. */
  bodyBytes: number | undefined;
  left: number;
  /** It has failed already. */
  isBad: boolean;
}

const [TABLE_BYTES, STREAM_WINDOW_BYTES, LIST_BYTES] = [65_536, 6 * 2 ** 20, 262_144];

/** `AddDefaultHttp2Settings` in Chromium's `net/http/http_network_session.cc`, and its session's window there. */
const CHROMIUM = {
  tableBytes: TABLE_BYTES,
  listBytes: LIST_BYTES,
  streamWindowBytes: STREAM_WINDOW_BYTES,
  connectionWindowBytes: 15 * 2 ** 20,
  settings: [
    [SETTING.headerTableSize, TABLE_BYTES],
    [SETTING.enablePush, 0],
    [SETTING.initialWindowSize, STREAM_WINDOW_BYTES],
    [SETTING.maxHeaderListSize, LIST_BYTES],
  ],
} as const;
