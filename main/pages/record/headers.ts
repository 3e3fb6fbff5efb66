import type {BrowserResponse} from '../fetch/fetcher.ts';

/** The value of a header field of a response. Undefined if it has no such field. `name` is in lower case. */
export function fieldOf({headers}: BrowserResponse, name: string): string | undefined {
  return headers.find(([each]) => each.toLowerCase() === name)?.[1];
}

export function contentTypeOf(response: BrowserResponse): string {
  return (fieldOf(response, 'content-type') ?? '').trim().toLowerCase();
}
