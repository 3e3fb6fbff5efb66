import {lastOf} from '../trace/lastOf.ts';
import {type ObjectQuality, type PageQuality, seenObjects} from './pageQuality.ts';

/**
 * The pictures that a viewer counts, in the order in which the page names them. Logos and icons, which cover less than
 * {@link LEAST_PICTURE_AREA}, are left out. Pictures below the first screen cover none of it, but count.
 */
export const picturesOf = lastOf((trace, quality: PageQuality): readonly (readonly [number, ObjectQuality])[] =>
  seenObjects(trace, quality).filter(([, seen]) => isViewersPicture(seen)),
);

/** Whether an object of the page is one of {@link picturesOf}. */
export function isViewersPicture({kind, area}: Pick<ObjectQuality, 'kind' | 'area'>): boolean {
  return kind === 'picture' && (area === 0 || area >= LEAST_PICTURE_AREA);
}

/** 64 × 64 CSS px: the largest size of icon sets. The demo's logo has 40 × 40. */
const LEAST_PICTURE_AREA = 64 * 64;
