import type {Failure} from '../page/failure.ts';
import type {ResponseEvent} from './exchange.ts';
import {encodeRequest} from './request.ts';
import {type ParserEvent, ResponseParser} from './response.ts';
import {readTag} from './tag.ts';
import type {Requests} from './wire.ts';

/** A GET to write on a stream. */
export interface OutgoingRequest {
  readonly object: number;
  readonly stream: number;
  readonly bytes: Uint8Array;
}

export interface ClientOptions {
  /** Each GET, bytes, unless it needs more. */
  readonly requestBytes: number;
  /** As `ExchangeOptions.token`. */
  readonly token?: string | undefined;
  /** Each piece of a response is tagged: `Framing.isTagged`. */
  readonly isTagged: boolean;
  readonly requests: Requests;
  /** As `Wire.depth`. */
  readonly depth?: number | undefined;
  /** As `Wire.firstStreams`. */
  readonly firstStreams?: number | undefined;
  /** Told what came of each response. */
  readonly onResponse: (object: number, event: ResponseEvent) => void;
}

/**
 * HTTP/1.1's client (N07 §4, N08 §3), sans-IO: requests over the streams, a queue of outstanding requests per stream,
 * data belonging to its head. Streams are those of all connections, numbered as these came to be.
 *
 * After each call, drain {@link HttpClient.pollRequest} and {@link HttpClient.pollRenewal}.
 */
export class HttpClient {
  readonly #options: ClientOptions;
  readonly #streams: StreamQueue[] = [];
  /** Not yet given to a stream. */
  readonly #waiting: {readonly object: number; readonly url: string}[] = [];
  readonly #requests: OutgoingRequest[] = [];
  readonly #renewals: number[] = [];
  #requested = 0;
  /** The response that was asked for first has ended. */
  #hasFirst = false;
  #isReading = false;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** There are `streams` more, min(m, n) of a connection. */
  handleConnected(streams: number): void {
    for (let stream = 0; stream < streams; stream++) this.#streams.push(newQueue());
    this.#giveOut();
  }

  request(object: number, url: string): void {
    this.#waiting.push({object, url});
    // the end of what names it may be in the same bytes, and with it come the other streams
    if (this.#options.firstStreams === undefined || !this.#isReading) this.#giveOut();
  }

  /** How many requests wait for a stream. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** The next bytes of a stream, or one message. */
  handleBytes(stream: number, bytes: Uint8Array): void {
    const queue = this.#streams[stream];
    if (queue === undefined) return;
    this.#isReading = true;
    this.#read(stream, queue, bytes);
    this.#isReading = false;
    this.#giveOut();
  }

  /** The stream is as new. */
  handleRenewed(stream: number): void {
    const queue = this.#streams[stream];
    if (queue !== undefined) queue.isUsed = false;
    this.#giveOut();
  }

  /** The stream's connection is gone, and what was asked for on it with it. */
  handleGone(stream: number, reason: string): void {
    const queue = this.#streams[stream];
    if (queue === undefined) return;
    queue.isGone = true;
    const lost = new Set(queue.outstanding.filter((_, request) => !queue.answered.has(request)));
    for (const object of lost) this.#options.onResponse(object, {type: 'gone', reason});
  }

  pollRequest(): OutgoingRequest | undefined {
    return this.#requests.shift();
  }

  /** A stream to renew. */
  pollRenewal(): number | undefined {
    return this.#renewals.shift();
  }

  #read(stream: number, queue: StreamQueue, bytes: Uint8Array): void {
    if (this.#options.isTagged) {
      const tagged = readTag(bytes);
      if (tagged !== undefined) this.#handleTagged(stream, queue, tagged.request, tagged.data);
      return;
    }
    queue.parsers[0] ??= new ResponseParser();
    for (const event of queue.parsers[0].push(bytes)) this.#handleNext(stream, queue, event);
  }

  /** Within a stream responses come in the order of their requests. */
  #handleNext(stream: number, queue: StreamQueue, event: ParserEvent): void {
    const request = queue.answered.size;
    if (event.type === 'surplus') {
      const previous = queue.outstanding[request - 1];
      if (previous !== undefined) this.#fail(previous, {kind: 'surplus', bytes: event.bytes});
      return;
    }
    const object = queue.outstanding[request];
    if (object === undefined) return; // nobody asked for it
    if (event.type === 'end') this.#handleEnd(stream, queue, request);
    this.#options.onResponse(object, event);
  }

  #handleTagged(stream: number, queue: StreamQueue, request: number, data: Uint8Array): void {
    const object = queue.outstanding[request];
    if (object === undefined) return;
    queue.parsers[request] ??= new ResponseParser();
    for (const event of queue.parsers[request].push(data)) {
      if (event.type === 'surplus') this.#fail(object, {kind: 'surplus', bytes: event.bytes});
      else {
        if (event.type === 'end') this.#handleEnd(stream, queue, request);
        this.#options.onResponse(object, event);
      }
    }
  }

  #handleEnd(stream: number, queue: StreamQueue, request: number): void {
    queue.answered.add(request);
    this.#hasFirst = true;
    if (this.#options.requests !== 'when-renewed') return;
    queue.isUsed = true;
    this.#renewals.push(stream);
  }

  #fail(object: number, failure: Failure): void {
    this.#options.onResponse(object, {type: 'bad', failure});
  }

  #giveOut(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      const stream = this.#nextStream();
      if (stream === undefined) return;
      this.#waiting.shift();
      this.#streams[stream]?.outstanding.push(next.object);
      const {requestBytes, token} = this.#options;
      const bytes = encodeRequest(next.url, requestBytes, token);
      this.#requests.push({object: next.object, stream, bytes});
    }
  }

  /** Undefined while none takes one. */
  #nextStream(): number | undefined {
    const {requests, depth = Number.POSITIVE_INFINITY, firstStreams} = this.#options;
    const streams = this.#hasFirst ? this.#streams : this.#streams.slice(0, firstStreams);
    if (requests !== 'round-robin') {
      const free = streams.findIndex(
        ({isGone, isUsed, outstanding, answered}) => !isGone && !isUsed && outstanding.length === answered.size,
      );
      return free < 0 ? undefined : free;
    }
    for (let tried = 0; tried < streams.length; tried++) {
      const stream = this.#requested++ % streams.length;
      const queue = streams[stream];
      if (queue?.isGone === false && queue.outstanding.length - queue.answered.size < depth) return stream;
    }
    return undefined;
  }
}

interface StreamQueue {
  /** Objects, in the order in which they were asked for. */
  readonly outstanding: number[];
  /** One for the stream, or with tags one per request. */
  readonly parsers: ResponseParser[];
  /** Which of the outstanding have their whole response. */
  readonly answered: Set<number>;
  isGone: boolean;
  /** It is to be renewed before it is asked again. */
  isUsed: boolean;
}

function newQueue(): StreamQueue {
  return {outstanding: [], parsers: [], answered: new Set(), isGone: false, isUsed: false};
}
