import type {Failure} from '../../page/failure.ts';
import type {ResponseEvent} from '../exchange.ts';
import {encodeRequest} from '../requestHead.ts';
import {type ParserEvent, ResponseParser} from '../response.ts';
import type {Requests} from './h1Wire.ts';
import {readTag} from './tag.ts';

/** A GET to write on a stream. */
export interface OutgoingRequest {
  readonly object: number;
  readonly stream: number;
  readonly bytes: Uint8Array;
}

export interface ClientOptions {
  /** Size in bytes to which each GET is padded. A GET that is longer without padding is sent unpadded. */
  readonly requestBytes: number;
  /** A token that a remote server requires in each GET. */
  readonly token?: string | undefined;
  /** Whether each message of a server begins with a tag that names the request that it answers (`tag.ts`). */
  readonly isTagged: boolean;
  readonly requests: Requests;
  /**
   * If `requests` is `round-robin`: the largest number of unanswered requests on one stream. If absent, there is no
   * limit.
   */
  readonly pipelineDepth?: number | undefined;
  /** The number of streams that may be used until the first object is complete. If absent, all may be used. */
  readonly firstStreams?: number | undefined;
  /** Called for each event of a response. */
  readonly onResponse: (object: number, event: ResponseEvent) => void;
}

/**
 * The client of HTTP/1.1 (N07 §4, N08 §3), sans-IO. It distributes requests over the streams, keeps a list of the
 * requests of each stream, and marks those that are answered. Data that arrive on a stream belong to the stream's first
 * unanswered request, unless a tag names another request. The streams of all connections are numbered in the order in
 * which the connections were established.
 *
 * After each call, drain {@link HttpClient.pollRequest} and {@link HttpClient.pollRenewal}.
 */
export class HttpClient {
  readonly #options: ClientOptions;
  readonly #streams: StreamQueue[] = [];
  /** Requests that have not been assigned to a stream yet. */
  readonly #waiting: {readonly object: number; readonly url: string; urgency: number}[] = [];
  readonly #requests: OutgoingRequest[] = [];
  readonly #renewals: number[] = [];
  #requested = 0;
  /** Whether at least one response has ended. */
  #hasFirst = false;
  #isReading = false;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** Called when a connection is established. It adds the `streams` streams of the connection. */
  handleConnected(streams: number): void {
    for (let stream = 0; stream < streams; stream++) this.#streams.push(newQueue());
    this.#assignWaiting();
  }

  /**
   * Requests an object. Among the requests that wait for a stream, the most urgent ones are sent first. 0 is the most
   * urgent value.
   */
  request(object: number, url: string, urgency = 0): void {
    const behind = this.#waiting.findIndex(each => each.urgency > urgency);
    this.#waiting.splice(behind < 0 ? this.#waiting.length : behind, 0, {object, url, urgency});
    // With `firstStreams`, a request that is made while bytes are being read waits until all these bytes have been
    // read. If they complete the first object, the request can then use any stream.
    if (this.#options.firstStreams === undefined || !this.#isReading) this.#assignWaiting();
  }

  /**
   * Changes the urgency of a request that waits for a stream. The request is then placed behind the waiting requests
   * with the same urgency.
   */
  reprioritize(object: number, urgency: number): void {
    const at = this.#waiting.findIndex(each => each.object === object);
    const [moved] = at < 0 ? [] : this.#waiting.splice(at, 1);
    if (moved !== undefined) this.request(moved.object, moved.url, urgency);
  }

  /** Number of requests that wait for a stream. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Handles bytes that have arrived on a stream. Over a transport of messages, they must be exactly one message. */
  handleBytes(stream: number, bytes: Uint8Array): void {
    const queue = this.#streams[stream];
    if (queue === undefined) return;
    this.#isReading = true;
    this.#read(stream, queue, bytes);
    this.#isReading = false;
    this.#assignWaiting();
  }

  /** Called when a stream has been reset and can be used again. */
  handleRenewed(stream: number): void {
    const queue = this.#streams[stream];
    if (queue !== undefined) queue.isUsed = false;
    this.#assignWaiting();
  }

  /** Called when the connection of a stream has ended. The unanswered requests on the stream fail. */
  handleGone(stream: number, reason: string): void {
    const queue = this.#streams[stream];
    if (queue === undefined) return;
    queue.isGone = true;
    const lost = new Set(queue.outstanding.filter((_, request) => !queue.answered.has(request)));
    for (const object of lost) this.#options.onResponse(object, {type: 'gone', reason});
  }

  /** Forgets the requests that wait for a stream. */
  forgetWaiting(): void {
    this.#waiting.length = 0;
  }

  pollRequest(): OutgoingRequest | undefined {
    return this.#requests.shift();
  }

  /** Returns the next stream that must be renewed, or undefined if there is none. */
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

  /** Handles the next event of a stream without tags, on which responses arrive in the order of their requests. */
  #handleNext(stream: number, queue: StreamQueue, event: ParserEvent): void {
    const request = queue.answered.size;
    if (event.type === 'surplus') {
      const previous = queue.outstanding[request - 1];
      if (previous !== undefined) this.#fail(previous, {kind: 'surplus', bytes: event.bytes});
      return;
    }
    const object = queue.outstanding[request];
    if (object === undefined) return; // the response was not requested
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

  #assignWaiting(): void {
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

  /** Returns the stream for the next request, or undefined if no stream accepts a request now. */
  #nextStream(): number | undefined {
    const {requests, pipelineDepth = Number.POSITIVE_INFINITY, firstStreams} = this.#options;
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
      if (queue?.isGone === false && queue.outstanding.length - queue.answered.size < pipelineDepth) return stream;
    }
    return undefined;
  }
}

interface StreamQueue {
  /** The numbers of the requested objects, in the order of the requests. */
  readonly outstanding: number[];
  /** One parser for the stream, or one for each request if pieces are tagged. */
  readonly parsers: ResponseParser[];
  /** Indices in `outstanding` of the requests whose responses are complete. */
  readonly answered: Set<number>;
  isGone: boolean;
  /** Whether the stream must be renewed before its next request. */
  isUsed: boolean;
}

function newQueue(): StreamQueue {
  return {outstanding: [], parsers: [], answered: new Set(), isGone: false, isUsed: false};
}
