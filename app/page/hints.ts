import {HtmlReader, type HtmlTag} from './htmlReader.ts';
import {INDEX_URL} from './page.ts';
import {objectUrl} from './url.ts';

// Browsers and Node have TextDecoder (WHATWG Encoding), but app/ is compiled without the types of either.
declare const TextDecoder: new (label: string) => {decode(bytes: Uint8Array): string};

/**
 * Returns the URLs of the objects that `link rel=preload` and `rel=modulepreload` name in HTML, in order. Duplicates
 * are not removed.
 */
export function hintedUrls(html: Uint8Array): readonly string[] {
  const urls: string[] = [];
  const reader = new HtmlReader(INDEX_URL, {
    handleTag: tag => urls.push(...urlOfHint(tag)),
    handleText: () => undefined,
    handleEnd: () => undefined,
  });
  // some decoders refuse memory that is shared between threads, so the bytes are copied
  reader.write(new TextDecoder('utf-8').decode(html.slice()));
  return urls;
}

function urlOfHint({name, attributes, base}: HtmlTag): readonly string[] {
  if (name !== 'link' || !isHint(attributes['rel'])) return [];
  const url = objectUrl(attributes['href'] ?? '', base);
  return url === undefined ? [] : [url];
}

/** Whether a link with these relations asks the browser to load something that the page may use later. */
function isHint(rel = ''): boolean {
  return rel
    .toLowerCase()
    .split(/\s+/)
    .some(word => word === 'preload' || word === 'modulepreload');
}
