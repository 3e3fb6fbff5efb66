import {HOST} from '../page/url.ts';
import {type Head, paddedHead, padding} from './head.ts';

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

/** The URL of a GET; undefined if the head is anything else. */
export function requestedUrl(head: Head): string | undefined {
  return /^GET (\/\S*) HTTP\/1\.1$/.exec(head.startLine)?.[1];
}
