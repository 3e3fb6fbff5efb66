import type {Page} from '../../../app/page/page.ts';

/** Whether a page is synthetic: all objects after the HTML, at least one, are only bytes and cannot be shown. */
export function isSynthetic(page: Page): boolean {
  return (
    page.objects.slice(1).every(object => object.contentType === 'application/octet-stream') && page.objects.length > 1
  );
}
