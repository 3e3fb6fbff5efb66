import type {Page} from '../../page/page.ts';
import {isViewersPicture, type PageQuality} from '../quality/pageQuality.ts';
import type {PaneMetrics} from './metrics.ts';

/**
 * Numbers of the page's pictures. If their appearance is known, these are the pictures that a viewer counts; otherwise
 * all picture files, including logos. On a page without pictures, such as the papers' synthetic ones, all objects stand
 * for pictures.
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

/** When the first of these objects was complete, in ms from the first packet. Null if none was. */
export function firstPictureMs({objects}: Pick<PaneMetrics, 'objects'>, pictures: readonly number[]): number | null {
  const times = pictures.map(i => objects[i]?.completeMs ?? null).filter(ms => ms !== null);
  return times.length === 0 ? null : Math.min(...times);
}
