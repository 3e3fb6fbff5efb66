import {type Head, HeadReader, MOST_HEAD_BYTES} from '../head.ts';
import {isPictureRequest, requestPriority, USUAL_PRIORITY} from '../priority.ts';
import {type BadFraming, isHead, requestBody, requestedUrl} from '../requestHead.ts';
import {encodedResponse, encodeTooLarge, type Respond, type Response} from '../response.ts';
import {ResponseScheduler, scanEndsOf} from '../scheduler.ts';
import {type ThinkOptions, ThinkTimes} from '../thinkTimes.ts';
import type {Framing} from './h1Wire.ts';
import {TAG_BYTES, tagMessage} from './tag.ts';

/** The next piece to write. */
export interface OutgoingPiece {
  /** The object to which the piece belongs, or null if it belongs to no object. */
  readonly object: number | null;
  readonly stream: number;
  readonly bytes: Uint8Array;
}

export interface ServerOptions extends ThinkOptions {
  readonly respond: Respond;
  /**
   * Returns the response that is sent instead of the requested one, or undefined if the requested one is sent. The
   * function gets only the head of the request. A request whose end cannot be determined is answered with an error in
   * any case.
   */
  readonly refuse?: (head: Head) => Response | undefined;
  /**
   * Returns whether this is the client's last request on the stream. After the last request the server does not read
   * the stream. If the function is absent, no request is the last one.
   */
  readonly isLast?: (head: Head) => boolean;
  /**
   * How responses are written. If a piece of a response is larger than the transport accepts, {@link encodeTooLarge}
   * replaces the response.
   */
  readonly framing: Framing;
}

/**
 * The HTTP/1.1 server of one connection (N07 §4), sans-IO. It answers each request on the stream on which the request
 * arrived.
 *
 * After {@link HttpServer.handleBytes}, or when {@link HttpServer.pollTimeoutNs} is reached, write the piece that
 * {@link HttpServer.peekPiece} returns and call {@link HttpServer.handleWritten}. Repeat this until there is no piece
 * or the transport accepts no more.
 */
export class HttpServer {
  readonly #options: ServerOptions;
  readonly #streams = new Map<number, RequestStream>();
  readonly #jobs: Job[] = [];
  /** Without a scheduler: index of the next job among the jobs that can be written. */
  #turn = 0;
  readonly #thinkTimes: ThinkTimes;
  readonly #scheduler: ResponseScheduler | undefined;
  #accepted = 0;
  #pictures = 0;

  #headBytes = 0;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#thinkTimes = new ThinkTimes(options);
    const {scheduler} = options.framing;
    this.#scheduler = scheduler === undefined ? undefined : new ResponseScheduler(scheduler);
  }

  /**
   * Handles bytes that have arrived on a stream. Over a transport of messages, they must be exactly one message.
   * Request bodies are skipped, because no response depends on them.
   */
  handleBytes(stream: number, bytes: Uint8Array, nowNs: number): void {
    let state = this.#streams.get(stream);
    if (state === undefined) {
      state = {
        reader: new HeadReader(),
        requests: 0,
        isSkipping: false,
        skipsBody: false,
        bodyBytes: 0,
        isOver: false,
      };
      this.#streams.set(stream, state);
    }
    for (let rest = bytes; rest.length > 0 && !state.isOver; ) {
      const ofBody = Math.min(state.bodyBytes, rest.length);
      state.bodyBytes -= ofBody;
      rest = rest.subarray(ofBody);
      if (rest.length > 0) rest = this.#readHead(stream, state, rest, nowNs);
    }
  }

  /** Returns the next piece to write, or undefined if there is none now. */
  peekPiece(nowNs: number): OutgoingPiece | undefined {
    const job = this.#nextJob(nowNs);
    if (job === undefined) return undefined;
    const {isTagged, pieceBytes, endsWithTurn} = this.#options.framing;
    const mostBytes = endsWithTurn ? job.turnBytes : Number.POSITIVE_INFINITY;
    const dataBytes = Math.min(pieceBytes - this.#tagBytes, mostBytes);
    const data = job.response.subarray(job.written, job.written + dataBytes);
    return {object: job.object, stream: job.stream, bytes: isTagged ? tagMessage(job.request, data) : data};
  }

  /** Called when the transport has accepted `bytes` bytes of the piece that {@link HttpServer.peekPiece} returned. */
  handleWritten(bytes: number, nowNs: number): void {
    const job = this.#nextJob(nowNs);
    if (job === undefined) return;
    job.written += bytes - this.#tagBytes;
    this.#scheduler?.handleWritten(job.id, bytes - this.#tagBytes);
    if (job.written >= job.response.length) this.#finish(job);
    else this.#turn += 1;
  }

  /** Returns the time at which the next think time ends, or undefined if none is running. */
  pollTimeoutNs(nowNs: number): number | undefined {
    let earliest: number | undefined;
    for (const {readyNs} of this.#jobs) {
      if (readyNs > nowNs) earliest = Math.min(earliest ?? readyNs, readyNs);
    }
    return earliest;
  }

  /** Number of requests that are not completely answered. */
  get waiting(): number {
    return this.#jobs.length;
  }

  /** Whether a request has arrived only in part. */
  get isReading(): boolean {
    for (const {reader, isSkipping, bodyBytes} of this.#streams.values())
      if (isSkipping || bodyBytes > 0 || reader.text.length > 0) return true;
    return false;
  }

  /** Number of bytes of incomplete heads that the server holds, over all streams. */
  get headBytes(): number {
    return this.#headBytes;
  }

  /**
   * Whether the server has stopped reading every stream. The value is false until the first bytes arrive. The server
   * stops reading a stream after the client's last request, after a request that is answered with the server's last
   * response (`Response.isLast`), after a request whose end cannot be determined, and after a head that is too long and
   * announces a body.
   */
  get isOver(): boolean {
    for (const {isOver} of this.#streams.values()) if (!isOver) return false;
    return this.#streams.size > 0;
  }

  get #tagBytes(): number {
    return this.#options.framing.isTagged ? TAG_BYTES : 0;
  }

  /** Reads bytes up to the end of a head. Returns the bytes after the head, or no bytes if the head is incomplete. */
  #readHead(stream: number, state: RequestStream, bytes: Uint8Array, nowNs: number): Uint8Array {
    const {reader} = state;
    const before = reader.text.length;
    const taken = reader.appendHead(bytes);
    const found = reader.take();
    if (found === undefined) this.#limitHead(stream, state, nowNs);
    else if (!state.isSkipping) this.#acceptHead(stream, state, found.head, nowNs);
    else {
      state.isOver = state.skipsBody || SAYS_BODY.test(found.head.text);
      state.isSkipping = false;
    }
    this.#headBytes += reader.text.length - before;
    return bytes.subarray(taken - (found?.rest ?? 0));
  }

  #acceptHead(stream: number, state: RequestStream, head: Head, nowNs: number): void {
    const refused = this.#options.refuse?.(head);
    const body = requestBody(head);
    const isBad = 'status' in body;
    const response = isBad ? this.#lastResponse(body) : refused;
    // A head that is too long and announces a body is the last one that the server reads, no matter whether it arrives
    // in one piece or in several (#limitHead).
    const isLost = head.bytes > MOST_HEAD_BYTES && SAYS_BODY.test(head.text);
    const isLast = this.#options.isLast?.(head) ?? false;
    state.isOver = isLost || isLast || (response?.isLast ?? false);
    state.bodyBytes = isBad ? 0 : body.bytes;
    this.#accept({stream, request: state.requests++, url: urlOf(head), isHead: isHead(head)}, nowNs, response);
  }

  /**
   * Called while a head is incomplete. If the head is already too long, it is answered with an error, and its rest is
   * skipped. After the head's end, the server reads the next request, unless the skipped head announced a body.
   */
  #limitHead(stream: number, state: RequestStream, nowNs: number): void {
    const {reader} = state;
    const unended = reader.text.length;
    if (unended <= MOST_HEAD_BYTES) return;
    state.skipsBody = SAYS_BODY.test(reader.text) || (state.isSkipping && state.skipsBody);
    if (!state.isSkipping) this.#accept({stream, request: state.requests++, url: undefined, isHead: false}, nowNs);
    state.isSkipping = true;
    reader.drop(unended - KEPT_BYTES);
  }

  #lastResponse({status, statusText}: BadFraming): Response {
    return {...this.#options.respond(undefined), status, statusText, isLast: true};
  }

  #accept({stream, request, url, isHead}: Accepted, nowNs: number, refused?: Response): void {
    const response = refused ?? this.#options.respond(url);
    const encoded = encodedResponse(response);
    const bytes = this.#encoded(isHead ? encoded.subarray(0, encoded.length - response.body.length) : encoded);
    const id = this.#accepted++;
    const turnBytes = Number.POSITIVE_INFINITY;
    this.#jobs.push({
      id,
      stream,
      request,
      object: response.object,
      response: bytes,
      written: 0,
      readyNs: this.#thinkTimes.readyNs(nowNs),
      turnBytes,
    });
    this.#schedule(id, url, response.body, bytes.length);
  }

  /**
   * Adds a response to the scheduler. Our GETs of HTTP/1.1 state no priority, so the server uses the priority that a
   * browser would give the request.
   */
  #schedule(id: number, url: string | undefined, body: Uint8Array, bytes: number): void {
    const {scheduler} = this.#options.framing;
    if (scheduler === undefined) return;
    const priority = url === undefined ? USUAL_PRIORITY : requestPriority(url, scheduler, this.#pictures);
    if (url !== undefined && isPictureRequest(url)) this.#pictures += 1;
    // The scheduler's offsets count from the start of the head, so the head's size is added.
    const scanEnds = scanEndsOf(body).map(end => Math.max(0, end + bytes - body.length));
    this.#scheduler?.add(id, {priority, scanEnds});
  }

  #encoded(response: Uint8Array): Uint8Array {
    const {pieceBytes, largestPieceBytes} = this.#options.framing;
    const largest = Math.min(pieceBytes, response.length + this.#tagBytes);
    return largest > largestPieceBytes ? encodeTooLarge(largest, largestPieceBytes) : response;
  }

  #nextJob(nowNs: number): Job | undefined {
    if (this.#options.framing.mode === 'sequential') {
      const job = this.#jobs[0];
      return job !== undefined && job.readyNs <= nowNs ? job : undefined;
    }
    const ready = this.#jobs.filter(job => job.readyNs <= nowNs);
    if (this.#scheduler !== undefined) {
      const turn = this.#scheduler.next(id => ready.some(job => job.id === id));
      const next = ready.find(({id}) => id === turn?.id);
      if (next !== undefined) next.turnBytes = turn?.mostBytes ?? next.turnBytes;
      return next;
    }
    if (this.#turn >= ready.length) this.#turn = 0;
    return ready[this.#turn];
  }

  #finish(job: Job): void {
    this.#jobs.splice(this.#jobs.indexOf(job), 1);
    this.#scheduler?.remove(job.id);
  }
}

interface Job {
  readonly id: number;
  /** The largest number of bytes of the response that may be written in its current turn. */
  turnBytes: number;
  readonly stream: number;
  /** Number of the request on its stream. */
  readonly request: number;
  readonly object: number | null;
  readonly response: Uint8Array;
  written: number;
  /** The time at which the think time ends. A sequential server may still have to answer earlier requests. */
  readyNs: number;
}

interface RequestStream {
  readonly reader: HeadReader;
  requests: number;
  /** Whether the rest of a rejected head is being skipped. */
  isSkipping: boolean;
  /** Whether the part of the rejected head that has arrived announces a body. */
  skipsBody: boolean;
  /** Number of bytes of the current body that have not arrived yet. */
  bodyBytes: number;
  /** Whether the stream is not read any more. */
  isOver: boolean;
}

interface Accepted {
  readonly stream: number;
  /** Number of the request on its stream. */
  readonly request: number;
  readonly url: string | undefined;
  readonly isHead: boolean;
}

/**
 * Returns the requested URL. It is undefined if the head is too long, or if its first line is not a GET or HEAD of a
 * path. `respond` answers such a request with status 400.
 */
function urlOf(head: Head): string | undefined {
  return head.bytes > MOST_HEAD_BYTES ? undefined : requestedUrl(head);
}

/**
 * Number of bytes that are kept while a head is skipped. They suffice to recognise a field that announces a body, and
 * the empty line at the head's end, even if the field or the line arrives in two parts.
 */
const KEPT_BYTES = '\ntransfer-encoding'.length;
const SAYS_BODY = /\n(?:content-length|transfer-encoding)/i;
