import type {CapturedExchange} from './capturedLoad.ts';
import {fieldOf} from './httpRead.ts';

/**
 * Returns requests in the order of {@link CapturedLoad.exchanges}: that of the page's HTML first, then the others in
 * order of time. Requests before that of the HTML are redirects and the like. `isHtml` says whether a request was
 * answered with HTML.
 */
export function pageFirst<T>(
  requests: readonly T[],
  exchangeOf: (request: T) => CapturedExchange,
  isHtml = (request: T): boolean => hasHtml(exchangeOf(request)),
): readonly T[] {
  const sorted = requests.toSorted((a, b) => exchangeOf(a).requestNs - exchangeOf(b).requestNs);
  const html = sorted.findIndex(isHtml);
  return html < 0 ? sorted : [...sorted.splice(html, 1), ...sorted];
}

function hasHtml({status, responseFields}: CapturedExchange): boolean {
  return status === 200 && (fieldOf(responseFields, 'content-type') ?? '').toLowerCase().startsWith('text/html');
}
