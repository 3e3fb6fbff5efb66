import type {ResponseEvent} from '../exchange.ts';
import type {Field} from '../hpack/field.ts';
import {getFields} from '../messageFields.ts';
import {isPictureRequest, priorityText, requestPriority, type StatedPriority} from '../priority.ts';
import type {Dependency} from '../responseOrder.ts';
import {ResponseReader} from '../responseReader.ts';
import type {SchedulerName} from '../scheduler.ts';
import type {ErrorCode, H2ConnectionError} from './h2Error.ts';
import {SETTING} from './h2Frame.ts';
import {H2Peer, type H2PeerOwner, type OutgoingFrames} from './h2Peer.ts';
import {StreamChain} from './streamChain.ts';

export interface H2ClientOptions {
  readonly scheme: 'http' | 'https';
  /**
   * The size in bytes that a GET would have in HTTP/1.1, where fields of a browser fill it up to this size. In HTTP/2,
   * the GET has the same fields.
   */
  readonly requestBytes: number;
  /** The server's scheduler. The client's priorities depend on it ({@link requestPriority}). */
  readonly scheduler: SchedulerName;
  /** Whether requests state a chain of dependencies besides their priorities ({@link StreamChain}). */
  readonly hasChain?: boolean | undefined;
  /** Called for each event of the response to an object's request. */
  readonly onResponse: (object: number, event: ResponseEvent) => void;
  /** Called before each request is sent, with the stream on which it is sent. */
  readonly onStream: (object: number, stream: number) => void;
}

/**
 * The client of an HTTP/2 connection (RFC 9113 §8), sans-IO. The caller passes received bytes to {@link
 * H2Client.handleBytes} and sends the frames that {@link H2Client.pollFrames} returns. Each request has its own stream.
 */
export class H2Client implements H2PeerOwner {
  readonly #options: H2ClientOptions;
  readonly #peer: H2Peer;
  /** Requests that are not sent yet. */
  readonly #waiting: Asked[] = [];
  readonly #requests = new Map<number, Request>();
  readonly #chain: StreamChain | undefined;
  #pictures = 0;
  #isConnected = false;
  /** The reason why the connection accepts no more requests, or undefined while it accepts requests. */
  #gone: string | undefined;

  constructor(options: H2ClientOptions) {
    this.#options = options;
    this.#chain = options.hasChain ? new StreamChain() : undefined;
    this.#peer = new H2Peer({role: 'client', ...CHROMIUM, owner: this});
  }

  handleConnected(): void {
    this.#isConnected = true;
    this.#peer.start();
    this.#sendWaiting();
  }

  request(object: number, url: string, priority?: StatedPriority): void {
    if (this.#gone === undefined) this.#waiting.push({object, url, priority});
    else this.#options.onResponse(object, {type: 'gone', reason: this.#gone});
    this.#sendWaiting();
  }

  /** Changes the priority of an unanswered request. */
  reprioritize(object: number, priority: StatedPriority): void {
    const waiting = this.#waiting.find(each => each.object === object);
    if (waiting !== undefined) waiting.priority = priority;
    for (const [stream, request] of this.#requests) {
      if (request.object !== object) continue;
      if (this.#chain === undefined) this.#peer.sendPriority(stream, priorityText(priority));
      for (const {stream: moved, ...to} of this.#chain?.move(stream, priority.urgency) ?? [])
        this.#peer.sendDependency(moved, to);
    }
  }

  handleBytes(bytes: Uint8Array): void {
    this.#peer.handleBytes(bytes);
    this.#sendWaiting();
  }

  pollFrames(): OutgoingFrames | undefined {
    return this.#peer.pollFrames();
  }

  /** Called when the connection has ended. All unanswered requests fail. */
  handleGone(reason: string): void {
    this.#gone ??= reason;
    for (const [stream] of this.#requests) this.#handleStreamGone(stream, reason);
    for (const {object} of this.#waiting.splice(0)) this.#options.onResponse(object, {type: 'gone', reason});
  }

  objectOf(stream: number): number | null {
    return this.#requests.get(stream)?.object ?? null;
  }

  handleFields(stream: number, fields: readonly Field[], isEnd: boolean): void {
    this.#requests.get(stream)?.reader.handleFields(fields, isEnd);
    if (isEnd) this.#forget(stream);
  }

  handleData(stream: number, bytes: Uint8Array, isEnd: boolean): void {
    const reader = this.#requests.get(stream)?.reader;
    reader?.handleData(bytes);
    if (!isEnd) return;
    reader?.handleEnd();
    this.#forget(stream);
  }

  handleReset(stream: number, code: ErrorCode): void {
    this.#handleStreamGone(stream, `stream reset: ${code}`);
  }

  handleGoaway(last: number, code: ErrorCode): void {
    const reason = `connection ended: ${code}`;
    this.#gone ??= reason;
    for (const [stream] of this.#requests) {
      if (stream > last || code !== 'NO_ERROR') this.#handleStreamGone(stream, reason);
    }
    for (const {object} of this.#waiting.splice(0)) this.#options.onResponse(object, {type: 'gone', reason});
  }

  handleBroken({code}: H2ConnectionError): void {
    this.handleGone(`connection ended: ${code}`);
  }

  /** Does nothing. A server's dependencies have no meaning. */
  handleDependency(): void {}

  /**
   * Does nothing. It is never called, because {@link H2Peer} ends the connection if a server sends a PRIORITY_UPDATE.
   */
  handlePriority(): void {}

  #handleStreamGone(stream: number, reason: string): void {
    const request = this.#requests.get(stream);
    this.#forget(stream);
    request?.reader.handleGone(reason);
  }

  #forget(stream: number): void {
    this.#requests.delete(stream);
    this.#chain?.remove(stream);
  }

  /** Sends waiting requests until the server's limit of concurrent streams is reached (RFC 9113 §5.1.2). */
  #sendWaiting(): void {
    if (!this.#isConnected || this.#gone !== undefined) return;
    while (this.#peer.streams < this.#peer.mostStreams) {
      const next = this.#takeNext();
      if (next === undefined) return;
      const {object, url} = next;
      const stream = this.#peer.openStream();
      const reader = new ResponseReader(event => this.#options.onResponse(object, event));
      this.#requests.set(stream, {object, reader});
      this.#options.onStream(object, stream);
      const priority = next.priority ?? requestPriority(url, this.#options.scheduler, this.#pictures);
      if (isPictureRequest(url)) this.#pictures += 1;
      const {scheme, requestBytes} = this.#options;
      const dependency = this.#chain?.add(stream, priority.urgency) ?? weightOnly(next.priority);
      this.#peer.sendFields(stream, getFields(url, scheme, requestBytes, priority), true, dependency);
    }
  }

  /**
   * Removes the most urgent waiting request and returns it, or undefined if none waits. A request without a stated
   * priority counts as most urgent. If several requests are equally urgent, the oldest of them is returned.
   */
  #takeNext(): Asked | undefined {
    const urgencies = this.#waiting.map(({priority}) => priority?.urgency ?? 0);
    const next = urgencies.indexOf(Math.min(...urgencies));
    return this.#waiting.splice(next, 1)[0];
  }
}

/** Returns a dependency that states only the priority's weight. Undefined if the priority has no weight. */
function weightOnly(priority: StatedPriority | undefined): Dependency | undefined {
  return priority?.weight === undefined ? undefined : {parent: 0, weight: priority.weight, isExclusive: false};
}

/**
 * A request that is not sent yet. If `priority` is undefined, this client chooses a priority when it sends the request.
 */
interface Asked {
  readonly object: number;
  readonly url: string;
  priority: StatedPriority | undefined;
}

interface Request {
  readonly object: number;
  readonly reader: ResponseReader;
}

const [TABLE_BYTES, STREAM_WINDOW_BYTES, LIST_BYTES] = [65_536, 6 * 2 ** 20, 262_144];

/**
 * Chromium's settings and connection window, from `AddDefaultHttp2Settings` and other parts of
 * `net/http/http_network_session.cc`.
 */
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
