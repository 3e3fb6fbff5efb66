import {ObjectScanner} from './objectScanner.ts';
import {INDEX_URL, type Page, type PageObject, USUAL_HEADER_BYTES, USUAL_REQUEST_BYTES} from './page.ts';

/** What the HTML names, in its order: what {@link assemblePage} will look for. */
export function objectUrls(html: Uint8Array): readonly string[] {
  return new ObjectScanner(INDEX_URL).push(html);
}

/**
 * A page from its HTML and a look-up of the objects that the HTML names (by URL; undefined: the server
 * does not have it).
 */
export function assemblePage(
  name: string,
  html: Uint8Array,
  find: (url: string) => Uint8Array | undefined,
): Page {
  const objects = objectUrls(html).map((url): PageObject => {
    return {url, contentType: contentTypeOf(url), body: find(url) ?? null};
  });
  return {
    name,
    objects: [{url: INDEX_URL, contentType: 'text/html; charset=utf-8', body: html}, ...objects],
    headerBytes: USUAL_HEADER_BYTES,
    requestBytes: USUAL_REQUEST_BYTES,
  };
}

function contentTypeOf(url: string): string {
  const extension = /\.([a-z0-9]+)(?:\?|$)/i.exec(url)?.[1]?.toLowerCase() ?? '';
  return CONTENT_TYPES.get(extension) ?? 'application/octet-stream';
}

/** The IANA media types of what pages load. */
const CONTENT_TYPES: ReadonlyMap<string, string> = new Map([
  ['avif', 'image/avif'],
  ['css', 'text/css'],
  ['gif', 'image/gif'],
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
