import {INDEX_URL, type Page} from '../../app/page/page.ts';
import {objectUrl} from '../../app/page/url.ts';

/** An image without a byte yet: a browser keeps its box and shows nothing in it. */
export const EMPTY_IMAGE = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==';

/** An image that cannot be had: a browser shows its sign for that, and the alternative text. */
export const BROKEN_IMAGE = 'data:image/png,';

/** What of a page's HTML is kept from the frame: whatever would run, load or lead away. */
const ACTIVE =
  'script, noscript, iframe, frame, object, embed, base, meta[http-equiv], template, audio, video';

/**
 * The document that a browser builds of the first `bytes` of the page's HTML. Its images have their object's
 * number as `data-object` and wait for their bytes; style sheets stand in it as `styleOf` gives them.
 */
export function documentAt(
  page: Page,
  bytes: number,
  styleOf: (object: number) => string | undefined,
): Document {
  const html = page.objects[0]?.body?.subarray(0, bytes) ?? new Uint8Array();
  // a character cut in two is not there yet
  const parsed = new DOMParser().parseFromString(new TextDecoder().decode(html, {stream: true}), 'text/html');
  const baseHref = parsed.querySelector('base')?.getAttribute('href');
  const base = (baseHref == null ? undefined : objectUrl(baseHref, INDEX_URL)) ?? INDEX_URL;
  const objectOf = (reference: string | null): number | undefined => {
    const url = reference === null ? undefined : objectUrl(reference, base);
    const object = page.objects.findIndex(each => each.url === url);
    return object < 0 ? undefined : object;
  };
  for (const element of parsed.querySelectorAll(ACTIVE)) element.remove();
  for (const image of parsed.querySelectorAll('img')) {
    const object = objectOf(image.getAttribute('src'));
    for (const name of ['src', 'srcset', 'sizes', 'loading']) image.removeAttribute(name);
    image.src = EMPTY_IMAGE;
    // painted with the frame that first has it, not some frames later
    image.decoding = 'sync';
    if (object !== undefined) image.dataset['object'] = String(object);
  }
  for (const link of parsed.querySelectorAll('link')) {
    const object = link.relList.contains('stylesheet') ? objectOf(link.getAttribute('href')) : undefined;
    const css = object === undefined ? undefined : styleOf(object);
    if (css === undefined) link.remove();
    else {
      const style = parsed.createElement('style');
      style.textContent = css;
      link.replaceWith(style);
    }
  }
  return parsed;
}
