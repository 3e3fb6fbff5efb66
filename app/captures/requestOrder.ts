import type {CapturedExchange} from './capturedLoad.ts';
import {fieldOf} from './httpRead.ts';

/**
 * Returns requests in the order of {@link CapturedLoad.exchanges}. The request for the page comes first: the earliest
 * one whose response is HTML, as `isHtml` says. By default, only responses with status 200 count. All other requests
 * follow in order of time, even those that were sent before it, such as redirects. If no response is HTML, all requests
 * are in order of time.
 */
export function pageFirst<T extends {readonly exchange: CapturedExchange}>(
  requests: readonly T[],
  isHtml = ({exchange}: T): boolean => hasHtml(exchange),
): readonly T[] {
  const sorted = requests.toSorted((a, b) => a.exchange.requestNs - b.exchange.requestNs);
  const html = sorted.findIndex(isHtml);
  return html < 0 ? sorted : [...sorted.splice(html, 1), ...sorted];
}

function hasHtml({status, responseFields}: CapturedExchange): boolean {
  return status === 200 && (fieldOf(responseFields, 'content-type') ?? '').toLowerCase().startsWith('text/html');
}
