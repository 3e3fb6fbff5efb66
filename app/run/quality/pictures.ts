import {lastOf} from '../trace/lastOf.ts';
import {type ObjectQuality, type PageQuality, seenObjects} from './pageQuality.ts';

/**
 * The pictures that a viewer counts, in the order in which the page names them: logos and icons, which take less than
 * {@link LEAST_PICTURE_AREA}, are none. What is below the first screen takes nothing of it, and counts.
 */
export const picturesOf = lastOf((trace, quality: PageQuality): readonly (readonly [number, ObjectQuality])[] =>
  seenObjects(trace, quality).filter(([, seen]) => isViewersPicture(seen)),
);

/** Whether it is one of {@link picturesOf}, where the page has it. */
export function isViewersPicture({kind, area}: Pick<ObjectQuality, 'kind' | 'area'>): boolean {
  return kind === 'picture' && (area === 0 || area >= LEAST_PICTURE_AREA);
}

/** 64 × 64 CSS px: where icon sets end. The demo's logo has 40 × 40. */
const LEAST_PICTURE_AREA = 64 * 64;
