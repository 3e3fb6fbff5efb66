import type {BrowserResponse} from '../fetch/fetcher.ts';

/** The value of a response's field, or undefined if it has none. `name` is in lower case. */
export function fieldOf({headers}: BrowserResponse, name: string): string | undefined {
  return headers.find(([each]) => each.toLowerCase() === name)?.[1];
}

export function contentTypeOf(response: BrowserResponse): string {
  return (fieldOf(response, 'content-type') ?? '').trim().toLowerCase();
}
