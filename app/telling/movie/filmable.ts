import {walkPage} from '../../page/assemble.ts';
import type {Page} from '../../page/page.ts';

// WHATWG Encoding, in every host; app/ is compiled without any host's types.
declare const TextDecoder: new () => {decode(bytes: Uint8Array): string};

/**
 * Whether a movie's frames of the page can be drawn by the page itself. Chromium 156 crashes when a frame that was drawn
 * on a canvas loses its box: what is in a page may. A filter's pixels were not the same each time. A backslash can hide
 * one's name (CSS Syntax §4.3.7).
 */
export function isFilmable({objects}: Page): boolean {
  const html = objects[0]?.body ?? new Uint8Array();
  const sheets = sheetsOf(html, objects);
  return ![html, ...sheets].some(bytes => HARMFUL.test(new TextDecoder().decode(bytes)));
}

/** Also those that nothing links to as style sheets where the page is walked, by their type. */
function sheetsOf(html: Uint8Array, objects: Page['objects']): readonly Uint8Array[] {
  const bodies = new Map(objects.map(({url, body}) => [url, body ?? undefined]));
  const linked = new Set<string>();
  const walk = walkPage(html);
  for (let step = walk.next(); !step.done; ) {
    const {url, isSheet} = step.value;
    if (isSheet) linked.add(url);
    step = walk.next(bodies.get(url));
  }
  return objects
    .filter(({url, contentType}) => linked.has(url) || contentType.startsWith('text/css'))
    .flatMap(({body}) => body ?? []);
}

const HARMFUL = /<iframe|filter|blend-mode|mask|\\/i;
