import {ObjectScanner} from '../page/objectScanner.ts';
import {INDEX_URL} from '../page/page.ts';
import type {Discovery} from '../scenario/scenario.ts';
import type {Failure} from '../trace/failure.ts';
import {readTag} from './framing.ts';
import {MOST_HEAD_BYTES} from './head.ts';
import {encodeRequest} from './request.ts';
import {type ResponseEvent, ResponseParser} from './response.ts';

/** A GET to write on a stream. */
export interface OutgoingRequest {
  readonly object: number;
  readonly url: string;
  readonly stream: number;
  readonly bytes: Uint8Array;
}

/** What happened to an object, at the time of the call that led to it. */
export type ClientEvent =
  | {readonly type: 'discovered'; readonly object: number; readonly url: string}
  | {readonly type: 'head'; readonly object: number; readonly status: number; readonly bodyBytes: number}
  | {readonly type: 'body'; readonly object: number; readonly bytes: number}
  | {readonly type: 'complete'; readonly object: number}
  | {readonly type: 'failed'; readonly object: number; readonly failure: Failure};

/** Why a load ends before all of its objects have. */
export type EarlyEnd =
  | {readonly kind: 'aborted'; readonly reason: string}
  | {readonly kind: 'time-limit'; readonly limitMs: number};

export interface ClientOptions {
  readonly discovery: Discovery;
  /** Each GET, bytes, unless it needs more. */
  readonly requestBytes: number;
  /** Each piece of a response is tagged: `Framing.isTagged`. */
  readonly isTagged: boolean;
}

/**
 * The papers' HTTP client (N07 §4, N08 §3), sans-IO: requests round-robin over the streams, a queue of
 * outstanding requests per stream, data belonging to its head. Streams are those of all connections, numbered as
 * these came to be.
 *
 * Call {@link HttpClient.handleConnected} first, then {@link HttpClient.handleBytes} for whatever arrives;
 * after each, drain {@link HttpClient.pollRequest} and {@link HttpClient.pollEvent}.
 */
export class HttpClient {
  readonly #options: ClientOptions;
  readonly #scanner = new ObjectScanner(INDEX_URL);
  readonly #objects: ObjectProgress[] = [];
  readonly #streams: StreamQueue[] = [];
  readonly #requests: OutgoingRequest[] = [];
  readonly #events: ClientEvent[] = [];
  /** Found, but not yet asked for. */
  readonly #held: number[] = [];
  #requested = 0;
  /** Of the objects. */
  #ended = 0;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** There are `streams` more, min(m, n) of a connection. The first time, asks for index.html, on stream 0. */
  handleConnected(streams: number): void {
    for (let stream = 0; stream < streams; stream++)
      this.#streams.push({outstanding: [], parsers: [], answered: 0});
    if (this.#objects.length > 0) return;
    this.#discover(INDEX_URL);
    this.#requestHeld();
  }

  /** The next bytes of a stream, or one message. */
  handleBytes(stream: number, bytes: Uint8Array): void {
    const queue = this.#streams[stream];
    if (queue === undefined) return;
    if (this.#options.isTagged) {
      const tagged = readTag(bytes);
      if (tagged !== undefined) this.#handleTagged(queue, tagged.request, tagged.data);
      return;
    }
    queue.parsers[0] ??= new ResponseParser();
    for (const event of queue.parsers[0].push(bytes)) this.#handleNext(queue, event);
  }

  /** The connection is gone, or the run is over: what is not complete fails. */
  handleEnd(end: EarlyEnd): void {
    for (const [object, progress] of this.#objects.entries()) {
      if (progress.hasEnded) continue;
      this.#fail(object, {...end, bytes: progress.bytes, ofBytes: progress.bodyBytes});
    }
  }

  /** Every object that was found has ended, one way or the other. */
  get isDone(): boolean {
    return this.#objects.length > 0 && this.#ended === this.#objects.length;
  }

  pollRequest(): OutgoingRequest | undefined {
    return this.#requests.shift();
  }

  pollEvent(): ClientEvent | undefined {
    return this.#events.shift();
  }

  /** Within a stream responses come in the order of their requests. */
  #handleNext(queue: StreamQueue, event: ResponseEvent): void {
    if (event.type === 'surplus') {
      const previous = queue.outstanding[queue.answered - 1];
      if (previous !== undefined) this.#fail(previous, {kind: 'surplus', bytes: event.bytes});
      return;
    }
    const object = queue.outstanding[queue.answered];
    if (object === undefined) return; // nobody asked for it
    if (event.type === 'end') queue.answered += 1;
    this.#handleEvent(object, event);
  }

  #handleTagged(queue: StreamQueue, request: number, data: Uint8Array): void {
    const object = queue.outstanding[request];
    if (object === undefined) return;
    queue.parsers[request] ??= new ResponseParser();
    for (const event of queue.parsers[request].push(data)) {
      if (event.type === 'surplus') this.#fail(object, {kind: 'surplus', bytes: event.bytes});
      else this.#handleEvent(object, event);
    }
  }

  #handleEvent(object: number, event: Exclude<ResponseEvent, {type: 'surplus'}>): void {
    const progress = this.#objects[object];
    if (progress === undefined || progress.hasEnded) return;
    if (event.type === 'head') this.#handleHead(object, progress, event);
    else if (event.type === 'body') this.#handleBody(object, progress, event.bytes);
    else if (event.type === 'bad') this.#fail(object, event.failure);
    else this.#complete(object, progress);
  }

  #handleHead(object: number, progress: ObjectProgress, head: ResponseHead): void {
    progress.bodyBytes = head.bodyBytes;
    progress.failure = head.failure;
    this.#events.push({type: 'head', object, status: head.status, bodyBytes: head.bodyBytes});
  }

  #handleBody(object: number, progress: ObjectProgress, bytes: Uint8Array): void {
    if (progress.failure !== null) return;
    progress.bytes += bytes.length;
    this.#events.push({type: 'body', object, bytes: bytes.length});
    if (object !== 0) return;
    for (const url of this.#scanner.push(bytes)) this.#discover(url);
    if (this.#options.discovery === 'streaming') this.#requestHeld();
  }

  #complete(object: number, progress: ObjectProgress): void {
    if (progress.failure !== null) {
      this.#fail(object, progress.failure);
      return;
    }
    this.#end(progress);
    this.#events.push({type: 'complete', object});
    if (object === 0) this.#requestHeld();
  }

  #fail(object: number, failure: Failure): void {
    const progress = this.#objects[object];
    if (progress === undefined) return;
    this.#end(progress);
    this.#events.push({type: 'failed', object, failure});
  }

  /** Once: one that was complete can still fail. */
  #end(progress: ObjectProgress): void {
    if (!progress.hasEnded) this.#ended += 1;
    progress.hasEnded = true;
  }

  #discover(url: string): void {
    const object = this.#objects.length;
    this.#objects.push({url, bytes: 0, bodyBytes: null, failure: null, hasEnded: false});
    this.#events.push({type: 'discovered', object, url});
    this.#held.push(object);
  }

  #requestHeld(): void {
    for (const object of this.#held.splice(0)) {
      const url = this.#objects[object]?.url ?? INDEX_URL;
      const request = encodeRequest(url, this.#options.requestBytes);
      if (request.length > MOST_HEAD_BYTES) {
        // no server that keeps to the limit would read it: it is not sent, on any transport
        const size = {bytes: request.length, limitBytes: MOST_HEAD_BYTES};
        this.#fail(object, {kind: 'too-large', what: 'request', ...size});
        continue;
      }
      const stream = this.#requested++ % this.#streams.length;
      this.#streams[stream]?.outstanding.push(object);
      this.#requests.push({object, url, stream, bytes: request});
    }
  }
}

interface ObjectProgress {
  readonly url: string;
  /** Of the body, so far. */
  bytes: number;
  /** Null until its response's header was there. */
  bodyBytes: number | null;
  /** What its response's header says. */
  failure: Failure | null;
  hasEnded: boolean;
}

type ResponseHead = Extract<ResponseEvent, {type: 'head'}>;

interface StreamQueue {
  /** Requests in the order of sending. */
  readonly outstanding: number[];
  /** One for the stream, or with tags one per request. */
  readonly parsers: ResponseParser[];
  /** How many of the outstanding have their whole response. */
  answered: number;
}
