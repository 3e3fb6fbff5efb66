import type {Conversion} from '../../../../app/page/conversion.ts';
import type {PageSnapshot} from '../../../../app/page/page.ts';
import {PageError} from '../../../pages/base/pageErrors.ts';
import {DESKTOP} from '../desktopOnly.ts';

/** Replaces main/pages/convertPage.ts in the web edition, which cannot convert pictures. @throws PageError */
export async function convertPage(page: PageSnapshot, conversions: readonly Conversion[]): Promise<PageSnapshot> {
  if (conversions.length === 0) return page;
  throw new PageError(page.name, `has to be converted (${conversions.join(', ')}), which needs ${DESKTOP}`);
}
