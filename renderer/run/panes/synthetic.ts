import type {Page} from '../../../app/page/page.ts';

/** Whether a page is synthetic: after the HTML it has at least one object, and all of these are only bytes. */
export function isSynthetic(page: Page): boolean {
  return (
    page.objects.slice(1).every(object => object.contentType === 'application/octet-stream') && page.objects.length > 1
  );
}
