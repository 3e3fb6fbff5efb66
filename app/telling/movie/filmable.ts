import {walkPage} from '../../page/assemble.ts';
import type {Page} from '../../page/page.ts';

// Browsers and Node have WHATWG's TextDecoder, but app/ is compiled without the types of either.
declare const TextDecoder: new () => {decode(bytes: Uint8Array): string};

/**
 * Whether a page can be filmed by a movie stage (movieStage.ts) that draws its frames on a canvas. Pages with iframes
 * or filters are refused: Chromium 156 crashes when an iframe that was drawn on a canvas loses its box, and it paints a
 * filter with different pixels each time. Blend modes and masks are refused like filters. Pages whose HTML or style
 * sheets contain a backslash are refused because it can hide the name of a filter (CSS Syntax §4.3.7). The check only
 * searches for words, so it also refuses some harmless pages.
 */
export function isFilmable({objects}: Page): boolean {
  const html = objects[0]?.body ?? new Uint8Array();
  const sheets = sheetsOf(html, objects);
  return ![html, ...sheets].some(bytes => HARMFUL.test(new TextDecoder().decode(bytes)));
}

/** The page's style sheets: objects that are linked as style sheets, and objects with the content type of one. */
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
