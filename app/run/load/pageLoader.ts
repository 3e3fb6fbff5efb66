import {PLAIN_RULES} from '../../browsers/plain.ts';
import {joinedBytes} from '../../http/buffers.ts';
import type {ResponseEvent} from '../../http/exchange.ts';
import {MOST_HEAD_BYTES} from '../../http/head.ts';
import type {StatedPriority} from '../../http/priority.ts';
import {encodeRequest} from '../../http/requestHead.ts';
import {type Failure, isMissing} from '../../page/failure.ts';
import {INDEX_URL} from '../../page/page.ts';
import {type FoundObject, sheetObjects} from '../../page/sheetObjects.ts';
import type {Discovery} from '../scenario/scenario.ts';
import type {Milestones} from '../trace/traceData.ts';
import {DocumentLoad, type DocumentOptions} from './documentLoad.ts';
import {IndexScanner} from './indexScanner.ts';
import type {Exhausted} from './loadNetwork.ts';

/** Something that happened to an object. It has no time, because it happens at the time of the call that reports it. */
export type ObjectEvent =
  | {readonly type: 'discovered'; readonly object: number; readonly url: string}
  | {readonly type: 'head'; readonly object: number; readonly status: number; readonly bodyBytes: number}
  | {readonly type: 'body'; readonly object: number; readonly first: number; readonly bytes: number}
  | {readonly type: 'complete'; readonly object: number}
  | {readonly type: 'failed'; readonly object: number; readonly failure: Failure};

/** Why a load ends before all objects have ended. */
export type EarlyEnd =
  | {readonly kind: 'aborted'; readonly reason: string}
  | {readonly kind: 'time-limit'; readonly limitMs: number}
  | ({readonly kind: 'work-limit'} & Exhausted);

export interface PageLoaderOptions {
  readonly discovery: Discovery;
  /**
   * URLs of the objects whose numbers are known: the number is the index in this list. The loader does not load other
   * objects that style sheets name.
   */
  readonly known: readonly string[];
  /** The server's index.html. */
  readonly html: Uint8Array;
  /**
   * The expected bodies by object number. A body is null if the page lacks the object. The list is set only if the
   * server is remote, because a remote server may have another page.
   */
  readonly expected?: readonly (Uint8Array | null)[];
  /** Requests an object. Without a priority, the client chooses one. */
  readonly request: (object: number, url: string, priority?: StatedPriority) => void;
  readonly onEvent: (event: ObjectEvent) => void;
  /**
   * The browser that decides what is requested when. If it is absent, `discovery` decides when the objects that were
   * found are requested.
   */
  readonly browser?: Pick<
    DocumentOptions,
    'rules' | 'originOf' | 'hasPriorities' | 'carriesOne' | 'reprioritize' | 'preconnect' | 'recorded'
  >;
  /** The page, for which milestones are recorded. It is required for a browser. */
  readonly page?: Pick<DocumentOptions, 'outline' | 'bodies'>;
}

/**
 * Loads a page as a browser does: finds the objects that the page names, requests them, and tracks how much of each
 * object has arrived (N08 §3).
 */
export class PageLoader {
  readonly #options: PageLoaderOptions;
  readonly #scanner: IndexScanner;
  readonly #objects = new Map<number, ObjectProgress>();
  readonly #numbers: Map<string, number>;
  /** Objects that were found but not yet requested. */
  readonly #held: number[] = [];
  /** The document, if a browser decides what is requested. */
  readonly #document: DocumentLoad | undefined;
  /**
   * The document that records the milestones. With a browser, this is `#document`. Without one, it is a document that
   * requests nothing. Undefined if the loader does not know the page.
   */
  readonly #observer: DocumentLoad | undefined;
  #ended = 0;
  #nowNs = 0;

  constructor(options: PageLoaderOptions) {
    this.#options = options;
    const {browser, page} = options;
    if (page !== undefined && browser !== undefined) {
      this.#document = new DocumentLoad({
        ...page,
        ...browser,
        onFound: object => this.#discover({url: options.known[object] ?? '', isSheet: false}),
        request: (object, priority) => this.#request(object, priority),
      });
    }
    const isLoaded = (object: number): boolean => this.#objects.has(object);
    this.#observer = this.#document ?? (page && new DocumentLoad({...page, ...WATCHING, isLoaded}));
    this.#scanner = new IndexScanner(options.html);
    this.#numbers = new Map(options.known.map((url, object) => [url, object]));
  }

  /** Requests index.html. Later calls have no effect. */
  start(): void {
    if (this.#objects.size > 0) return;
    this.#observer?.start();
    if (this.#document !== undefined) return;
    this.#discover({url: INDEX_URL, isSheet: false});
    this.#requestHeld();
  }

  /**
   * Call this after all events of one instant. If a browser decides what is requested, this makes the requests that are
   * due.
   */
  settle(nowNs: number): void {
    this.#nowNs = nowNs;
    this.#observer?.settle(nowNs);
  }

  /** The time when {@link PageLoader.settle} must be called even if nothing happens. Undefined if there is none. */
  pollTimeoutNs(nowNs: number): number | undefined {
    return this.#document?.pollTimeoutNs(nowNs);
  }

  /** The milestones of the load, if the loader knows the page. */
  milestones(): Milestones | undefined {
    return this.#observer?.milestones();
  }

  /**
   * Call this if all connections are gone, before the objects that have not ended are requested again. Returns these
   * objects in the order in which they were found. The bytes of their bodies that had arrived before are skipped when
   * they come again, so that pages keep what they show.
   */
  startAgain(): readonly number[] {
    const open = [...this.#objects].filter(([, {hasEnded}]) => !hasEnded);
    for (const [, progress] of open) progress.skippedBytes = progress.bytes;
    return open.map(([object]) => object);
  }

  handleResponse(object: number, event: ResponseEvent, nowNs = 0): void {
    this.#nowNs = nowNs;
    this.#handleResponse(object, event);
    const progress = this.#objects.get(object);
    if (progress !== undefined && !progress.hasEnded) this.#observer?.handleBytes(object, progress.bytes, nowNs);
  }

  #handleResponse(object: number, event: ResponseEvent): void {
    const progress = this.#objects.get(object);
    if (progress === undefined) return;
    if (event.type === 'bad') this.#fail(object, progress, event.failure);
    else if (progress.hasEnded) return;
    else if (event.type === 'head') this.#handleHead(object, progress, event);
    else if (event.type === 'body') {
      const bytes = withoutSkipped(progress, event.bytes);
      if (bytes.length < event.bytes.length && bytes.length === 0) return;
      this.#compare(object, progress, bytes);
      this.#handleShown(object, progress, progress.bytes, bytes.length);
      this.#handleRead(object, progress, bytes);
    } else if (event.type === 'read') this.#handleRead(object, progress, event.bytes);
    else if (event.type === 'shown') this.#handleShown(object, progress, event.first, event.bytes);
    else if (event.type === 'gone') this.#failEarly(object, progress, {kind: 'aborted', reason: event.reason});
    else this.#complete(object, progress);
  }

  /** Called when the load ends early. All incomplete objects fail. */
  handleEnd(end: EarlyEnd): void {
    for (const [object, progress] of this.#objects) {
      if (!progress.hasEnded) this.#failEarly(object, progress, end);
    }
  }

  /**
   * Called at the end of a load that did not end early. Reports a failure for each expected object that the server's
   * page did not name. Reports nothing if index.html failed, unless its only failure is that it differs from the
   * expected HTML.
   */
  handleUnnamed(): void {
    const index = this.#objects.get(0)?.failure ?? null;
    if (index !== null && index.kind !== 'differs') return;
    for (const [object, body] of (this.#options.expected ?? []).entries()) {
      if (body === null || this.#objects.has(object)) continue;
      this.#options.onEvent({type: 'failed', object, failure: {kind: 'unnamed'}});
    }
  }

  /** Whether every object that was found is complete or has failed, and the browser, if there is one, has finished. */
  get isDone(): boolean {
    if (this.#document?.isDone === false) return false;
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

  /**
   * Compares received bytes with the expected page and records the first difference. If there is a difference, neither
   * these bytes nor later ones are shown.
   */
  #compare(object: number, progress: ObjectProgress, bytes: Uint8Array): void {
    const expected = this.#options.expected?.[object] ?? null;
    if (expected === null || progress.differsAt !== null) return;
    const from = progress.bytes;
    const at = bytes.findIndex((byte, i) => byte !== expected[from + i]);
    if (at >= 0) progress.differsAt = from + at;
  }

  /**
   * Returns the failure of a complete object that differs from the expected page. Null if the object is as expected, or
   * if the loader has no expected body for it.
   */
  #difference(object: number, {bytes, differsAt}: ObjectProgress): Failure | null {
    const expected = this.#options.expected?.[object] ?? null;
    if (expected === null || (differsAt === null && bytes === expected.length)) return null;
    return {kind: 'differs', atByte: differsAt ?? bytes, ofBytes: expected.length};
  }

  #handleRead(object: number, progress: ObjectProgress, bytes: Uint8Array): void {
    if (progress.failure !== null) return;
    if (this.#document !== undefined) return;
    // The bytes are copied, because their memory may be used again.
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
    // A browser applies a style sheet when all of it has arrived (HTML §4.2.4.3). Only then does it know the objects
    // that the sheet names.
    const found = progress.isSheet ? sheetObjects(joinedBytes(progress.css), progress.url) : [];
    for (const each of found) if (this.#numbers.has(each.url)) this.#discover(each);
    progress.failure = this.#difference(object, progress);
    if (progress.failure === null) {
      this.#end(object, progress);
      this.#options.onEvent({type: 'complete', object});
    } else this.#fail(object, progress, progress.failure);
    if (object === 0 || this.#canRequest()) this.#requestHeld();
  }

  #failEarly(object: number, progress: ObjectProgress, end: EarlyEnd): void {
    this.#fail(object, progress, {...end, bytes: progress.bytes, ofBytes: progress.bodyBytes});
  }

  #fail(object: number, progress: ObjectProgress, failure: Failure): void {
    progress.failure ??= failure;
    this.#end(object, progress);
    this.#options.onEvent({type: 'failed', object, failure});
  }

  /** Counts an object that has ended. An object that was complete and fails afterwards is not counted again. */
  #end(object: number, progress: ObjectProgress): void {
    if (progress.hasEnded) return;
    this.#ended += 1;
    progress.hasEnded = true;
    this.#observer?.handleDone(object, progress.failure === null, this.#nowNs);
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
      skippedBytes: 0,
      bodyBytes: null,
      failure: null,
      differsAt: null,
      hasEnded: false,
    });
    this.#options.onEvent({type: 'discovered', object, url});
    if (this.#document === undefined) this.#held.push(object);
  }

  #canRequest(): boolean {
    return this.#options.discovery === 'streaming' || this.#objects.get(0)?.hasEnded === true;
  }

  #requestHeld(): void {
    for (const object of this.#held.splice(0)) this.#request(object);
  }

  #request(object: number, priority?: StatedPriority): void {
    const progress = this.#objects.get(object);
    if (progress === undefined) return;
    const failure = requestFailure(progress.url);
    if (failure === null) this.#options.request(object, progress.url, priority);
    else this.#fail(object, progress, failure);
  }
}

/** Options of a document that only records milestones. */
const WATCHING = {
  rules: PLAIN_RULES,
  originOf: () => 0,
  hasPriorities: true,
  carriesOne: false,
  onFound: () => undefined,
  request: () => undefined,
  reprioritize: () => undefined,
  preconnect: () => undefined,
};

/**
 * Returns a failure if the GET of this URL is longer than the limit for HTTP/1.1 heads. No transport is given such a
 * GET.
 */
function requestFailure(url: string): Failure | null {
  if (url.length < MOST_HEAD_BYTES / 2) return null;
  const {length: bytes} = encodeRequest(url, 0);
  if (bytes <= MOST_HEAD_BYTES) return null;
  return {kind: 'too-large', what: 'request', bytes, limitBytes: MOST_HEAD_BYTES};
}

/** Returns those of the bytes that had not arrived before. Empty if all of them had. */
function withoutSkipped(progress: ObjectProgress, bytes: Uint8Array): Uint8Array {
  if (progress.skippedBytes === 0) return bytes;
  const skipped = Math.min(progress.skippedBytes, bytes.length);
  progress.skippedBytes -= skipped;
  return bytes.subarray(skipped);
}

interface ObjectProgress {
  readonly url: string;
  readonly isSheet: boolean;
  /** For a style sheet: the bytes that have arrived. */
  readonly css: Uint8Array[];
  /** Number of bytes of the body that have arrived. It no longer grows after a failure or a difference. */
  bytes: number;
  /**
   * Number of bytes of the body that are still to be skipped, because they arrived before the object was requested
   * again.
   */
  skippedBytes: number;
  /** Null until the response's header has arrived. */
  bodyBytes: number | null;
  /** The failure that the header states, or the failure with which the object ended. */
  failure: Failure | null;
  /** Offset of the first byte that differs from the expected page. Null if there is none so far. */
  differsAt: number | null;
  hasEnded: boolean;
}

type ResponseHead = Extract<ResponseEvent, {type: 'head'}>;
