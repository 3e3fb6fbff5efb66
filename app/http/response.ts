import type {Failure} from '../page/failure.ts';
import type {Page} from '../page/page.ts';
import type {ResponseEvent} from './exchange.ts';
import type {HeadField} from './filler.ts';
import {contentLength, encodeHead, type Head, HeadReader, headBytes, MOST_HEAD_BYTES} from './head.ts';
import {serverFields} from './serverFields.ts';

/** A server's answer, for every version of HTTP. */
export interface Response {
  /** The object's number in the page. It is null if the page has no such object. */
  readonly object: number | null;
  readonly status: number;
  readonly statusText: string;
  readonly contentType: string;
  readonly body: Uint8Array;
  /**
   * Size in bytes to which fields of a usual server fill the head in HTTP/1.1. If the head is longer even without these
   * fields, it gets none of them.
   */
  readonly headerBytes: number;
  /** For HTTP/1.1: whether the connection ends with this response (RFC 9112 §9.6). */
  readonly isLast?: boolean;
}

/**
 * Returns the answer to a GET or HEAD of this URL. The URL is undefined for all other requests and for a head that is
 * too long.
 */
export type Respond = (url: string | undefined) => Response;

/**
 * Returns a function that answers from a page: with 200 and the body, with 404 if the page has no such object or no
 * body for it, and with 400 if the URL is undefined. The responses of a page are made once and shared, so their bytes
 * must not be changed.
 */
export function pageResponses(page: Page): Respond {
  let responses = responsesOf.get(page);
  if (responses === undefined) {
    const {headerBytes} = page;
    responses = new Map(
      page.objects.map(({url, contentType, body}, object) => {
        const found = {status: 200, statusText: 'OK', contentType, headerBytes};
        return [url, body === null ? {...refusal(404, page), object} : {...found, object, body}];
      }),
    );
    responsesOf.set(page, responses);
  }
  const known = responses;
  return url => {
    if (url === undefined) return refusal(400, page);
    return known.get(url) ?? refusal(404, page);
  };
}

const responsesOf = new WeakMap<Page, ReadonlyMap<string, Response>>();

function refusal(status: 400 | 404, {headerBytes}: Page): Response {
  const statusText = status === 400 ? 'Bad Request' : 'Not Found';
  return {object: null, status, statusText, contentType: 'text/plain', body: NOTHING, headerBytes};
}

/** Encodes a response in HTTP/1.1 (RFC 9112 §4). Each response is encoded only once. */
export function encodedResponse(response: Response): Uint8Array {
  let encoded = encodedResponses.get(response);
  if (encoded === undefined) {
    encoded = withBody(encodeHead(statusLine(response), responseHeadFields(response)), response.body);
    encodedResponses.set(response, encoded);
  }
  return encoded;
}

const encodedResponses = new WeakMap<Response, Uint8Array>();

function withBody(head: Uint8Array, body: Uint8Array): Uint8Array {
  const response = new Uint8Array(head.length + body.length);
  response.set(head);
  response.set(body, head.length);
  return response;
}

/** Returns the fields of a response's head, for every version of HTTP. */
export function responseHeadFields(response: Response): readonly HeadField[] {
  const {contentType, body, headerBytes, object, isLast} = response;
  const needed: readonly HeadField[] = [
    ['Content-Type', contentType],
    ['Content-Length', String(body.length)],
    ...(isLast ? [['Connection', 'close'] as const] : []),
  ];
  const roomBytes = headerBytes - headBytes(statusLine(response), needed);
  return [...needed, ...serverFields(`${object} ${body.length}`, {headBytes: headerBytes, roomBytes})];
}

function statusLine({status, statusText}: Response): string {
  return `HTTP/1.1 ${status} ${statusText}`;
}

/**
 * Encodes the response that is sent instead of a response of `bytes` bytes, which is larger than the transport accepts.
 */
export function encodeTooLarge(bytes: number, limitBytes: number): Uint8Array {
  return encodeHead('HTTP/1.1 500 Message Larger Than Send Buffer', [
    ['Content-Length', '0'],
    [MESSAGE_FIELD, String(bytes)],
    [LIMIT_FIELD, String(limitBytes)],
  ]);
}

/** An event of the parser. Events are reported in the order of the stream. */
export type ParserEvent =
  | Exclude<ResponseEvent, {type: 'gone'}>
  /**
   * The parser skipped this many bytes that belong to no response. Usually the response before them was longer than
   * announced.
   */
  | {readonly type: 'surplus'; readonly bytes: number};

/**
 * Parses the responses on a byte stream: heads with a Content-Length, and their bodies. A bad response is reported and
 * skipped. The parser then continues with the next response that it can find.
 */
export class ResponseParser {
  readonly #head = new HeadReader();
  #events: ParserEvent[] = [];
  /** Number of bytes of the body that have not arrived yet, or -1 while the parser waits for a head. */
  #left = -1;
  #isBad = false;
  #surplus = 0;

  /** Parses the next bytes of the stream. Returns the events that they cause. */
  push(bytes: Uint8Array): readonly ParserEvent[] {
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
        this.#events.push({type: 'head', headBytes: head.bytes, status: Number(status), bodyBytes, failure});
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

  /** Skips bytes up to the next status line. */
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

/** Returns the failure that a status stands for, or null for status 200. */
function statusFailure(status: number, {fields}: Head): Failure | null {
  if (status === 200) return null;
  const [bytes, limitBytes] = [MESSAGE_FIELD, LIMIT_FIELD].map(field => Number(fields.get(field.toLowerCase())));
  if (status !== 500 || !bytes || !limitBytes) return {kind: 'status', status};
  return {kind: 'too-large', what: 'message', bytes, limitBytes};
}

/** `bytes` is null because the number of bytes that have arrived depends on how the stream is cut into packets. */
const HEADER_TOO_LARGE: Failure = {
  kind: 'too-large',
  what: 'header',
  bytes: null,
  limitBytes: MOST_HEAD_BYTES,
};
const MESSAGE_FIELD = 'X-Message-Bytes';
const LIMIT_FIELD = 'X-Limit-Bytes';
const VERSION = 'HTTP/1.';
const NOTHING = new Uint8Array(0);
/**
 * Number of bytes that are searched for a head in one step. It is small, so that little of a body is converted to text.
 */
const HEAD_PIECE_BYTES = 512;
/** If a head is longer than this, the parser drops it and searches the stream for the next status line. */
const MOST_SKIPPED_BYTES = 1 << 20;
