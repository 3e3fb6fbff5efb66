import {HOST} from '../page/url.ts';
import {type Head, paddedHead} from './head.ts';

/** A GET of `url` (RFC 9112 §3) of exactly `bytes`, unless it needs more. */
export function encodeRequest(url: string, bytes: number): Uint8Array {
  return paddedHead([`GET ${url} HTTP/1.1`, `Host: ${HOST}`], bytes);
}

/** The URL of a GET; undefined if the head is anything else. */
export function requestedUrl(head: Head): string | undefined {
  return /^GET (\/\S*) HTTP\/1\.1$/.exec(head.startLine)?.[1];
}
