import type {Page} from '../../../app/page/page.ts';

/** Whether a page is synthetic: its objects are only bytes, which cannot be shown as a page. */
export function isSynthetic(page: Page): boolean {
  return (
    page.objects.slice(1).every(object => object.contentType === 'application/octet-stream') && page.objects.length > 1
  );
}
