import type {Page} from '../../../app/page/page.ts';

/** A page of bytes without a look: a synthetic one. */
export function hasNoLook(page: Page): boolean {
  return (
    page.objects.slice(1).every(object => object.contentType === 'application/octet-stream') && page.objects.length > 1
  );
}
