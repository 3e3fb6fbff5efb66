import type {Page} from '../page/page.ts';
import type {Failure} from '../trace/failure.ts';
import {contentLength, type Head, HeadReader, MOST_HEAD_BYTES, paddedHead} from './head.ts';

/** What a server writes for one request. */
export type Respond = (url: string | undefined) => Uint8Array;

/**
 * Answers from a page: 200 with the body, 404 for what it does not have, 400 for what is no GET. Made once a page,
 * as most of its loads differ in the seed alone: the bytes are not to be changed.
 */
export function pageResponses(page: Page): Respond {
  let responses = responsesOf.get(page);
  if (responses === undefined) {
    responses = new Map(
      page.objects.map(({url, contentType, body}) => [
        url,
        body ? encodeResponse('200 OK', contentType, body, page.headerBytes) : refusal('404 Not Found', page),
      ]),
    );
    responsesOf.set(page, responses);
  }
  const known = responses;
  return url => {
    if (url === undefined) return refusal('400 Bad Request', page);
    return known.get(url) ?? refusal('404 Not Found', page);
  };
}

const responsesOf = new WeakMap<Page, ReadonlyMap<string, Uint8Array>>();

function refusal(status: string, page: Page): Uint8Array {
  return encodeResponse(status, 'text/plain', new Uint8Array(0), page.headerBytes);
}

/** A response (RFC 9112 §4) whose header has exactly `headerBytes`, unless it needs more. */
export function encodeResponse(
  status: string,
  contentType: string,
  body: Uint8Array,
  headerBytes: number,
): Uint8Array {
  const lines = [`HTTP/1.1 ${status}`, `Content-Type: ${contentType}`, `Content-Length: ${body.length}`];
  const head = paddedHead(lines, headerBytes);
  const response = new Uint8Array(head.length + body.length);
  response.set(head);
  response.set(body, head.length);
  return response;
}

/** What a server says in place of a response of `bytes` that its transport will never take. */
export function encodeTooLarge(bytes: number, limitBytes: number): Uint8Array {
  return paddedHead(
    [
      'HTTP/1.1 500 Message Larger Than Send Buffer',
      'Content-Length: 0',
      `${MESSAGE_FIELD}: ${bytes}`,
      `${LIMIT_FIELD}: ${limitBytes}`,
    ],
    0,
  );
}

/** What a parser found, in order. */
export type ResponseEvent =
  /** `failure` if it is the head of no object. */
  | {
      readonly type: 'head';
      readonly status: number;
      readonly bodyBytes: number;
      readonly failure: Failure | null;
    }
  | {readonly type: 'body'; readonly bytes: Uint8Array}
  | {readonly type: 'end'}
  /** The response is bad; its bytes are skipped, and its `end` still comes. */
  | {readonly type: 'bad'; readonly failure: Failure}
  /** Bytes that belong to no response were skipped: the one before was longer than it said. */
  | {readonly type: 'surplus'; readonly bytes: number};

/**
 * Parses the responses that come one after the other on a byte stream: heads with a Content-Length, and
 * their bodies. A bad response is reported and skipped; the parser finds the next one wherever the bytes
 * allow it.
 */
export class ResponseParser {
  readonly #head = new HeadReader();
  #events: ResponseEvent[] = [];
  /** Of the body; -1 while a head is awaited. */
  #left = -1;
  #isBad = false;
  #surplus = 0;

  /** Takes the next bytes of the stream. */
  push(bytes: Uint8Array): readonly ResponseEvent[] {
    let rest = bytes;
    while (rest.length > 0) rest = this.#left < 0 ? this.#pushHead(rest) : this.#pushBody(rest);
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #pushHead(bytes: Uint8Array): Uint8Array {
    const taken = this.#head.appendHead(bytes.subarray(0, HEAD_PIECE_BYTES));
    this.#skipSurplus();
    const found = this.#head.text.startsWith(VERSION) ? this.#head.take() : undefined;
    if (found === undefined) this.#limitHead();
    else this.#acceptHead(found.head);
    return bytes.subarray(taken - (found?.rest ?? 0));
  }

  #acceptHead(head: Head): void {
    if (this.#surplus > 0) this.#events.push({type: 'surplus', bytes: this.#surplus});
    this.#surplus = 0;
    const bodyBytes = contentLength(head);
    const status = /^HTTP\/1\.1 (\d{3})( .*)?$/.exec(head.startLine)?.[1];
    this.#left = bodyBytes ?? 0;
    if (!this.#isBad) {
      if (head.bytes > MOST_HEAD_BYTES) this.#fail(HEADER_TOO_LARGE);
      else if (status === undefined) this.#fail({kind: 'malformed', what: 'status line'});
      else if (bodyBytes === undefined) this.#fail({kind: 'malformed', what: 'Content-Length'});
      else {
        const failure = statusFailure(Number(status), head);
        this.#events.push({type: 'head', status: Number(status), bodyBytes, failure});
      }
    }
    if (this.#left === 0) this.#end();
  }

  #pushBody(bytes: Uint8Array): Uint8Array {
    const body = bytes.subarray(0, this.#left);
    this.#left -= body.length;
    if (!this.#isBad) this.#events.push({type: 'body', bytes: body});
    if (this.#left === 0) this.#end();
    return bytes.subarray(body.length);
  }

  #end(): void {
    this.#events.push({type: 'end'});
    this.#left = -1;
    this.#isBad = false;
  }

  #fail(failure: Failure): void {
    this.#isBad = true;
    this.#events.push({type: 'bad', failure});
  }

  /** What comes in place of a status line is skipped up to the next one. */
  #skipSurplus(): void {
    const text = this.#head.text;
    if (text.startsWith(VERSION) || VERSION.startsWith(text)) return;
    const next = text.indexOf(VERSION);
    const skipped = next < 0 ? Math.max(0, text.length - VERSION.length + 1) : next;
    this.#head.drop(skipped);
    this.#surplus += skipped;
  }

  #limitHead(): void {
    const bytes = this.#head.text.length;
    if (bytes > MOST_HEAD_BYTES && !this.#isBad) this.#fail(HEADER_TOO_LARGE);
    if (bytes > MOST_SKIPPED_BYTES) {
      this.#head.drop(bytes);
      this.#end();
    }
  }
}

/** Null for a status that an object has. */
function statusFailure(status: number, {fields}: Head): Failure | null {
  if (status === 200) return null;
  const [bytes, limitBytes] = [MESSAGE_FIELD, LIMIT_FIELD].map(field =>
    Number(fields.get(field.toLowerCase())),
  );
  if (status !== 500 || !bytes || !limitBytes) return {kind: 'status', status};
  return {kind: 'too-large', what: 'message', bytes, limitBytes};
}

/** How long it is depends on how it is cut. */
const HEADER_TOO_LARGE: Failure = {
  kind: 'too-large',
  what: 'header',
  bytes: null,
  limitBytes: MOST_HEAD_BYTES,
};
const MESSAGE_FIELD = 'X-Message-Bytes';
const LIMIT_FIELD = 'X-Limit-Bytes';
const VERSION = 'HTTP/1.';
/** Looked at for a head in one step, so that little of a body is turned into text. */
const HEAD_PIECE_BYTES = 512;
/** A head that goes on longer is given up, and the stream searched for the next status line. */
const MOST_SKIPPED_BYTES = 1 << 20;
