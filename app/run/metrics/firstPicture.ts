import type {Page} from '../../page/page.ts';
import {isViewersPicture, type PageQuality} from '../quality/pageQuality.ts';
import type {PaneMetrics} from './metrics.ts';

/**
 * Returns the object numbers of the page's pictures. These are the pictures that a viewer counts, without logos and
 * icons (`isViewersPicture`). If there are none, or if the appearance of the objects is not known, these are all
 * picture files, including logos. If the page has no picture files either, like the papers' synthetic pages, all
 * objects except the HTML count as pictures. Missing objects never count.
 */
export function pictureNumbers({objects}: Page, quality: PageQuality | null): readonly number[] {
  const all = [...objects.entries()].filter(([i, {body}]) => i > 0 && body !== null);
  const files = all.filter(([, {contentType}]) => contentType.startsWith('image/'));
  const seen = all.filter(([i]) => {
    const own = quality?.objects[i] ?? null;
    return own !== null && isViewersPicture(own);
  });
  const [some = []] = [seen, files, all].filter(list => list.length > 0);
  return some.map(([i]) => i);
}

/** Returns the time when the first of these objects was complete, in ms since navigation. Null if none was. */
export function firstPictureMs({objects}: Pick<PaneMetrics, 'objects'>, pictures: readonly number[]): number | null {
  const times = pictures.map(i => objects[i]?.completeMs ?? null).filter(ms => ms !== null);
  return times.length === 0 ? null : Math.min(...times);
}
