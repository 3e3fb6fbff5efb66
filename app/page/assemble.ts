import {hintedUrls} from './hints.ts';
import {HTML_LIMITS, ObjectScanner} from './htmlReader.ts';
import {INDEX_URL, type Page, type PageObject, USUAL_HEADER_BYTES, USUAL_REQUEST_BYTES} from './page.ts';
import {type FoundObject, sheetObjects} from './sheetObjects.ts';

/**
 * Yields all objects that a page loads. First come the objects that the HTML names, in order. Then come the objects
 * that the style sheets name, sheet by sheet. Last come the objects that only `link rel=preload` and
 * `rel=modulepreload` name. A browser that ignores these links does not load the last objects. The caller passes the
 * body of each object to `next`, or undefined if the server does not have the object. The return value is the number of
 * objects that the style sheets name but that are left out because of the limit `objects` in {@link HTML_LIMITS}.
 */
export function* walkPage(html: Uint8Array): Generator<FoundObject, number, Uint8Array | undefined> {
  const found = [...new ObjectScanner(INDEX_URL).push(html)];
  const seen = new Set([INDEX_URL, ...found.map(({url}) => url)]);
  // The loop also visits the entries that it adds to `found`.
  for (const object of found) {
    const body = yield object;
    if (!object.isSheet || body === undefined) continue;
    for (const next of sheetObjects(body, object.url)) {
      if (seen.has(next.url)) continue;
      seen.add(next.url);
      if (found.length < HTML_LIMITS.objects - 1) found.push(next);
    }
  }
  const left = seen.size - 1 - found.length;
  for (const url of hintedUrls(html)) {
    if (seen.has(url) || found.length >= HTML_LIMITS.objects - 1) continue;
    seen.add(url);
    found.push({url, isSheet: false});
    yield {url, isSheet: false};
  }
  return left;
}

/** Builds a page from its HTML. `find` returns the body of a URL, or undefined if the server does not have it. */
export function assemblePage(name: string, html: Uint8Array, find: (url: string) => Uint8Array | undefined): Page {
  const objects: PageObject[] = [{url: INDEX_URL, contentType: 'text/html; charset=utf-8', body: html}];
  const walk = walkPage(html);
  for (let step = walk.next(); !step.done; ) {
    const {url} = step.value;
    const body = find(url);
    objects.push({url, contentType: contentTypeOf(url), body: body ?? null});
    step = walk.next(body);
  }
  return {name, objects, headerBytes: USUAL_HEADER_BYTES, requestBytes: USUAL_REQUEST_BYTES};
}

function contentTypeOf(url: string): string {
  const extension = /\.([a-z0-9]+)(?:\?|$)/i.exec(url)?.[1]?.toLowerCase() ?? '';
  return CONTENT_TYPES.get(extension) ?? 'application/octet-stream';
}

/** Media types by file extension, for the files that pages load. */
const CONTENT_TYPES: ReadonlyMap<string, string> = new Map([
  ['avif', 'image/avif'],
  ['bmp', 'image/bmp'],
  ['css', 'text/css'],
  ['gif', 'image/gif'],
  ['ico', 'image/x-icon'],
  ['jpeg', 'image/jpeg'],
  ['jpg', 'image/jpeg'],
  ['js', 'text/javascript'],
  ['mjs', 'text/javascript'],
  ['otf', 'font/otf'],
  ['png', 'image/png'],
  ['svg', 'image/svg+xml'],
  ['ttc', 'font/collection'],
  ['ttf', 'font/ttf'],
  ['webp', 'image/webp'],
  ['woff', 'font/woff'],
  ['woff2', 'font/woff2'],
]);
