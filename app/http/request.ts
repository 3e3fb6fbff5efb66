import {HOST} from '../page/url.ts';
import {contentLength, type Head, paddedHead, padding} from './head.ts';

/** A GET of `url` (RFC 9112 §3) of exactly `bytes`, unless it needs more; with the `token` that its server asks for. */
export function encodeRequest(url: string, bytes: number, token?: string): Uint8Array {
  return paddedHead(requestLines(url, token), bytes);
}

/** The value of an Authorization field (RFC 6750 §2.1). */
export function bearer(token: string): string {
  return `Bearer ${token}`;
}

/** What fills that GET up, for every HTTP; undefined where nothing does. */
export function requestPadding(url: string, bytes: number, token?: string): string | undefined {
  return padding(requestLines(url, token), bytes);
}

function requestLines(url: string, token: string | undefined): readonly string[] {
  const authorization = token === undefined ? [] : [`Authorization: ${bearer(token)}`];
  return [`GET ${url} HTTP/1.1`, `Host: ${HOST}`, ...authorization];
}

/** The URL of a GET or a HEAD; undefined if the head is anything else. */
export function requestedUrl({startLine}: Head): string | undefined {
  return /^(?:GET|HEAD) (\/\S*) HTTP\/1\.[01]$/.exec(startLine)?.[1];
}

/** It asks for what a GET would bring, without its body (RFC 9110 §9.3.2). */
export function isHead({startLine}: Head): boolean {
  return startLine.startsWith('HEAD ');
}

/** Its client sends no more requests on the connection (RFC 9112 §9.3). */
export function isClientsLast({startLine, fields}: Head): boolean {
  const options = (fields.get('connection') ?? '').toLowerCase().split(/[\s,]+/);
  return options.includes('close') || (startLine.endsWith('HTTP/1.0') && !options.includes('keep-alive'));
}

/** Of the body behind a request's head (RFC 9112 §6.3). */
export type RequestBody = {readonly bytes: number} | BadFraming;

/** Nobody can tell where the next request begins: the connection ends with this answer. */
export interface BadFraming {
  readonly status: 400 | 411;
  readonly statusText: string;
}

/** Of its fields alone: {@link isStrict} says whether another reader finds others in it. */
export function requestBody(head: Head): RequestBody {
  const hasLength = head.fields.has('content-length');
  // RFC 9112 §6.3: chunks may be refused, and with a length beside them nobody knows which of both a hop went by
  if (head.fields.has('transfer-encoding'))
    return hasLength ? BAD_REQUEST : {status: 411, statusText: 'Length Required'};
  if (!hasLength) return NO_BODY;
  const bytes = contentLength(head);
  return bytes === undefined ? BAD_REQUEST : {bytes};
}

/**
 * Whether a request's head is as RFC 9112 §3 to §5 has it, so that every reader finds the same fields in it: each line
 * ends with CRLF, no blank stands before a colon or begins a line, and HTTP/1.1 has one Host.
 */
export function isStrict({text, startLine}: Head): boolean {
  if (!STRICT_HEAD.test(text)) return false;
  const hosts = text.match(/\nhost:/gi)?.length ?? 0;
  return hosts === 1 || (hosts === 0 && startLine.endsWith('HTTP/1.0'));
}

const BAD_REQUEST: BadFraming = {status: 400, statusText: 'Bad Request'};
const NO_BODY: RequestBody = {bytes: 0};
// a method and names are tokens (RFC 9110 §5.6.2); values have no controls but the tab (§5.5)
const STRICT_HEAD =
  /^[!#$%&'*+\-.^`|~\w]+ [\x21-\x7e\x80-\xff]+ HTTP\/1\.[01](?:\r\n[!#$%&'*+\-.^`|~\w]+:[\t\x20-\x7e\x80-\xff]*)*$/;
