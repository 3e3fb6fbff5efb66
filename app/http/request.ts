import {HOST} from '../page/url.ts';
import {type Head, paddedHead, padding} from './head.ts';

/** A GET of `url` (RFC 9112 §3) of exactly `bytes`, unless it needs more. */
export function encodeRequest(url: string, bytes: number): Uint8Array {
  return paddedHead(requestLines(url), bytes);
}

/** What fills that GET up, for every HTTP; undefined where nothing does. */
export function requestPadding(url: string, bytes: number): string | undefined {
  return padding(requestLines(url), bytes);
}

function requestLines(url: string): readonly string[] {
  return [`GET ${url} HTTP/1.1`, `Host: ${HOST}`];
}

/** The URL of a GET; undefined if the head is anything else. */
export function requestedUrl(head: Head): string | undefined {
  return /^GET (\/\S*) HTTP\/1\.1$/.exec(head.startLine)?.[1];
}
