import {MOST_OBJECTS} from '../page/page.ts';
import {HOST} from '../page/url.ts';
import {browserFields} from './browserFields.ts';
import type {HeadField} from './filler.ts';
import {contentLength, encodeHead, type Head, headBytes} from './head.ts';

/**
 * Encodes a GET of `url` (RFC 9112 §3). If the GET is shorter than `bytes`, fields of a browser fill it up to this
 * size. `token` is the token that the server requires, if any. Most loads of a page repeat the requests of earlier
 * loads, so equal requests without a token share their bytes. The bytes must not be changed.
 */
export function encodeRequest(url: string, bytes: number, token?: string): Uint8Array {
  const key = `${bytes} ${url}`;
  const known = token === undefined ? encodedRequests.get(key) : undefined;
  if (known !== undefined) return known;
  const encoded = encodeHead(startLine(url), [['Host', HOST], ...requestFields(url, bytes, token)]);
  if (token === undefined && encoded.length <= LONGEST_KEPT) {
    if (encodedRequests.size >= MOST_KEPT) encodedRequests.clear();
    encodedRequests.set(key, encoded);
  }
  return encoded;
}

const encodedRequests = new Map<string, Uint8Array>();
/** The largest number of requests that are kept. */
const MOST_KEPT = MOST_OBJECTS;
/** The largest request that is kept, in bytes. */
const LONGEST_KEPT = 2000;

/**
 * Returns the fields of a GET besides Host, for every version of HTTP. In HTTP/1.1 the head has `bytes` bytes. It is
 * longer if the necessary fields alone are longer, and a few bytes shorter if no further field fits.
 */
export function requestFields(url: string, bytes: number, token?: string): readonly HeadField[] {
  const needed: readonly HeadField[] = token === undefined ? [] : [['Authorization', bearer(token)]];
  const room = bytes - headBytes(startLine(url), [['Host', HOST], ...needed]);
  return [...needed, ...browserFields(url, room)];
}

/** Returns the value of an Authorization field (RFC 6750 §2.1). */
export function bearer(token: string): string {
  return `Bearer ${token}`;
}

function startLine(url: string): string {
  return `GET ${url} HTTP/1.1`;
}

/**
 * Returns the URL of a GET or a HEAD in HTTP/1.0 or 1.1, or undefined for any other request and for a URL that does not
 * begin with `/`.
 */
export function requestedUrl({startLine}: Head): string | undefined {
  return /^(?:GET|HEAD) (\/\S*) HTTP\/1\.[01]$/.exec(startLine)?.[1];
}

/** Returns whether a request is a HEAD, which is answered without a body (RFC 9110 §9.3.2). */
export function isHead({startLine}: Head): boolean {
  return startLine.startsWith('HEAD ');
}

/** Returns whether this is the client's last request on the connection (RFC 9112 §9.3). */
export function isClientsLast({startLine, fields}: Head): boolean {
  const options = (fields.get('connection') ?? '').toLowerCase().split(/[\s,]+/);
  return options.includes('close') || (startLine.endsWith('HTTP/1.0') && !options.includes('keep-alive'));
}

/** The size of the body after a request's head (RFC 9112 §6.3), or an error if the size cannot be determined. */
export type RequestBody = {readonly bytes: number} | BadFraming;

/**
 * The error status for a request whose end cannot be determined. The server closes the connection after this answer.
 */
export interface BadFraming {
  readonly status: 400 | 411;
  readonly statusText: string;
}

/**
 * Determines the size of the body from the head's fields. Use {@link isStrict} to check that other parsers would read
 * the same fields.
 */
export function requestBody(head: Head): RequestBody {
  const hasLength = head.fields.has('content-length');
  // RFC 9112 §6.3: a server may refuse chunks. If a length is present as well, proxies may disagree about the body's
  // end.
  if (head.fields.has('transfer-encoding'))
    return hasLength ? BAD_REQUEST : {status: 411, statusText: 'Length Required'};
  if (!hasLength) return NO_BODY;
  const bytes = contentLength(head);
  return bytes === undefined ? BAD_REQUEST : {bytes};
}

/**
 * Returns whether a request's head follows RFC 9112 §3 to §5, so that every parser reads the same fields: each line
 * ends with CRLF, no blank precedes a colon or begins a line, HTTP/1.1 has exactly one Host, and HTTP/1.0 has at most
 * one.
 */
export function isStrict({text, startLine}: Head): boolean {
  if (!STRICT_HEAD.test(text)) return false;
  const hosts = text.match(/\nhost:/gi)?.length ?? 0;
  return hosts === 1 || (hosts === 0 && startLine.endsWith('HTTP/1.0'));
}

const BAD_REQUEST: BadFraming = {status: 400, statusText: 'Bad Request'};
const NO_BODY: RequestBody = {bytes: 0};
// Methods and field names are tokens (RFC 9110 §5.6.2). Values contain no control characters except the tab (§5.5).
const STRICT_HEAD =
  /^[!#$%&'*+\-.^`|~\w]+ [\x21-\x7e\x80-\xff]+ HTTP\/1\.[01](?:\r\n[!#$%&'*+\-.^`|~\w]+:[\t\x20-\x7e\x80-\xff]*)*$/;
