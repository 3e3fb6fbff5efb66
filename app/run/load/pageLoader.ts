import {joined} from '../../http/bytes.ts';
import type {ResponseEvent} from '../../http/exchange.ts';
import {MOST_HEAD_BYTES} from '../../http/head.ts';
import {encodeRequest} from '../../http/request.ts';
import {type Failure, isMissing} from '../../page/failure.ts';
import {INDEX_URL} from '../../page/page.ts';
import {type FoundObject, sheetObjects} from '../../page/sheetObjects.ts';
import type {Discovery} from '../scenario/scenario.ts';
import {IndexScanner} from './indexScanner.ts';
import type {Exhausted} from './network.ts';

/** What happened to an object, at the time of the call that led to it. */
export type ObjectEvent =
  | {readonly type: 'discovered'; readonly object: number; readonly url: string}
  | {readonly type: 'head'; readonly object: number; readonly status: number; readonly bodyBytes: number}
  | {readonly type: 'body'; readonly object: number; readonly first: number; readonly bytes: number}
  | {readonly type: 'complete'; readonly object: number}
  | {readonly type: 'failed'; readonly object: number; readonly failure: Failure};

/** Why a load ends before all of its objects have. */
export type EarlyEnd =
  | {readonly kind: 'aborted'; readonly reason: string}
  | {readonly kind: 'time-limit'; readonly limitMs: number}
  | ({readonly kind: 'work-limit'} & Exhausted);

export interface PageLoaderOptions {
  readonly discovery: Discovery;
  /**
   * URLs whose objects have these numbers, from 0, whenever they are found. What style sheets name beyond them is
   * left out.
   */
  readonly known: readonly string[];
  /** index.html as the server has it. */
  readonly html: Uint8Array;
  /**
   * By their numbers, what the objects have in the page that is expected, null for one that is missing from it: a server
   * that is elsewhere may have another page. Absent where the server has this page by construction.
   */
  readonly expected?: readonly (Uint8Array | null)[];
  /** Wants that object. */
  readonly request: (object: number, url: string) => void;
  readonly onEvent: (event: ObjectEvent) => void;
}

/** A browser's view of a load: what the page names, and what of it came (N08 §3). */
export class PageLoader {
  readonly #options: PageLoaderOptions;
  readonly #scanner: IndexScanner;
  readonly #objects = new Map<number, ObjectProgress>();
  readonly #numbers: Map<string, number>;
  /** Found, but not yet asked for. */
  readonly #held: number[] = [];
  #ended = 0;

  constructor(options: PageLoaderOptions) {
    this.#options = options;
    this.#scanner = new IndexScanner(options.html);
    this.#numbers = new Map(options.known.map((url, object) => [url, object]));
  }

  /** Asks for index.html, the first time. */
  start(): void {
    if (this.#objects.size > 0) return;
    this.#discover({url: INDEX_URL, isSheet: false});
    this.#requestHeld();
  }

  handleResponse(object: number, event: ResponseEvent): void {
    const progress = this.#objects.get(object);
    if (progress === undefined) return;
    if (event.type === 'bad') this.#fail(object, progress, event.failure);
    else if (progress.hasEnded) return;
    else if (event.type === 'head') this.#handleHead(object, progress, event);
    else if (event.type === 'body') {
      this.#compare(object, progress, event.bytes);
      this.#handleShown(object, progress, progress.bytes, event.bytes.length);
      this.#handleRead(object, progress, event.bytes);
    } else if (event.type === 'read') this.#handleRead(object, progress, event.bytes);
    else if (event.type === 'shown') this.#handleShown(object, progress, event.first, event.bytes);
    else if (event.type === 'gone') this.#failEarly(object, progress, {kind: 'aborted', reason: event.reason});
    else this.#complete(object, progress);
  }

  /** The connections are gone, or the run is over: what is not complete fails. */
  handleEnd(end: EarlyEnd): void {
    for (const [object, progress] of this.#objects) {
      if (!progress.hasEnded) this.#failEarly(object, progress, end);
    }
  }

  /** The load is done: what the expected page has and nothing that came names fails, unless there was nothing to name it. */
  handleUnnamed(): void {
    const index = this.#objects.get(0)?.failure ?? null;
    if (index !== null && index.kind !== 'differs') return;
    for (const [object, body] of (this.#options.expected ?? []).entries()) {
      if (body === null || this.#objects.has(object)) continue;
      this.#options.onEvent({type: 'failed', object, failure: {kind: 'unnamed'}});
    }
  }

  /** Every object that was found has ended, one way or the other. */
  get isDone(): boolean {
    return this.#objects.size > 0 && this.#ended === this.#objects.size;
  }

  #handleHead(object: number, progress: ObjectProgress, head: ResponseHead): void {
    progress.bodyBytes = head.bodyBytes;
    const isAbsent = head.failure?.kind === 'status' && isMissing(head.failure) && this.#isExpected(object);
    progress.failure = isAbsent ? {kind: 'absent', status: head.status} : head.failure;
    this.#options.onEvent({type: 'head', object, status: head.status, bodyBytes: head.bodyBytes});
  }

  #handleShown(object: number, progress: ObjectProgress, first: number, bytes: number): void {
    if (progress.failure !== null || progress.differsAt !== null) return;
    progress.bytes += bytes;
    this.#options.onEvent({type: 'body', object, first, bytes});
  }

  #isExpected(object: number): boolean {
    return (this.#options.expected?.[object] ?? null) !== null;
  }

  /** Of what is not the expected page's, nothing is on show. */
  #compare(object: number, progress: ObjectProgress, bytes: Uint8Array): void {
    const expected = this.#options.expected?.[object] ?? null;
    if (expected === null || progress.differsAt !== null) return;
    const from = progress.bytes;
    const at = bytes.findIndex((byte, i) => byte !== expected[from + i]);
    if (at >= 0) progress.differsAt = from + at;
  }

  /** Null if the whole of it is what is expected. */
  #difference(object: number, {bytes, differsAt}: ObjectProgress): Failure | null {
    const expected = this.#options.expected?.[object] ?? null;
    if (expected === null || (differsAt === null && bytes === expected.length)) return null;
    return {kind: 'differs', atByte: differsAt ?? bytes, ofBytes: expected.length};
  }

  #handleRead(object: number, progress: ObjectProgress, bytes: Uint8Array): void {
    if (progress.failure !== null) return;
    // what stands behind the bytes may change
    if (progress.isSheet) progress.css.push(bytes.slice());
    if (object !== 0) return;
    for (const found of this.#scanner.push(bytes)) this.#discover(found);
    if (this.#options.discovery === 'streaming') this.#requestHeld();
  }

  #complete(object: number, progress: ObjectProgress): void {
    if (progress.failure !== null) {
      this.#fail(object, progress, progress.failure);
      return;
    }
    // a browser uses a style sheet when it is whole (HTML §4.2.4.4), and then knows what it names
    const found = progress.isSheet ? sheetObjects(joined(progress.css), progress.url) : [];
    for (const each of found) if (this.#numbers.has(each.url)) this.#discover(each);
    progress.failure = this.#difference(object, progress);
    if (progress.failure === null) {
      this.#end(progress);
      this.#options.onEvent({type: 'complete', object});
    } else this.#fail(object, progress, progress.failure);
    if (object === 0 || this.#canRequest()) this.#requestHeld();
  }

  #failEarly(object: number, progress: ObjectProgress, end: EarlyEnd): void {
    this.#fail(object, progress, {...end, bytes: progress.bytes, ofBytes: progress.bodyBytes});
  }

  #fail(object: number, progress: ObjectProgress, failure: Failure): void {
    this.#end(progress);
    this.#options.onEvent({type: 'failed', object, failure});
  }

  /** Once: one that was complete can still fail. */
  #end(progress: ObjectProgress): void {
    if (!progress.hasEnded) this.#ended += 1;
    progress.hasEnded = true;
  }

  #discover({url, isSheet}: FoundObject): void {
    const object = this.#numbers.get(url) ?? this.#numbers.size;
    if (this.#objects.has(object)) return;
    this.#numbers.set(url, object);
    this.#objects.set(object, {
      url,
      isSheet,
      css: [],
      bytes: 0,
      bodyBytes: null,
      failure: null,
      differsAt: null,
      hasEnded: false,
    });
    this.#options.onEvent({type: 'discovered', object, url});
    this.#held.push(object);
  }

  #canRequest(): boolean {
    return this.#options.discovery === 'streaming' || this.#objects.get(0)?.hasEnded === true;
  }

  #requestHeld(): void {
    for (const object of this.#held.splice(0)) {
      const progress = this.#objects.get(object);
      if (progress === undefined) continue;
      const failure = requestFailure(progress.url);
      if (failure === null) this.#options.request(object, progress.url);
      else this.#fail(object, progress, failure);
    }
  }
}

/** Of a GET that no HTTP/1.1 server reads which keeps to the limit of a head: it is not sent, on any transport. */
function requestFailure(url: string): Failure | null {
  if (url.length < MOST_HEAD_BYTES / 2) return null;
  const {length: bytes} = encodeRequest(url, 0);
  if (bytes <= MOST_HEAD_BYTES) return null;
  return {kind: 'too-large', what: 'request', bytes, limitBytes: MOST_HEAD_BYTES};
}

interface ObjectProgress {
  readonly url: string;
  readonly isSheet: boolean;
  /** Of a style sheet: what came of it. */
  readonly css: Uint8Array[];
  /** Of the body, so far. */
  bytes: number;
  /** Null until its response's header was there. */
  bodyBytes: number | null;
  /** What its response's header says, or at its end that it is not the expected page's. */
  failure: Failure | null;
  /** The first byte that is not the expected page's; null if there is none so far. */
  differsAt: number | null;
  hasEnded: boolean;
}

type ResponseHead = Extract<ResponseEvent, {type: 'head'}>;
