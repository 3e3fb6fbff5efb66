import {decode} from '@msgpack/msgpack';
import type {Conversion, ConvertedPictures} from '../../../../app/page/conversion.ts';
import type {PageSnapshot} from '../../../../app/page/page.ts';
import {PageError} from '../../../pages/base/pageErrors.ts';
import {withConverted} from '../../../pages/base/pageSnapshot.ts';
import {DESKTOP} from '../desktopOnly.ts';
import type {ConvertedFile} from '../makePages.ts';
import {fetchPageFile, fixtureNames} from './openPage.ts';

/**
 * Replaces main/pages/convertPage.ts in the web edition, which cannot convert pictures. The pages of the program were
 * converted when the site was built.
 * @throws PageError if the page is not one of the program's pages, or if its pictures cannot be fetched
 */
export async function convertPage(page: PageSnapshot, conversions: readonly Conversion[]): Promise<PageSnapshot> {
  if (conversions.length === 0) return page;
  return withConverted(page, await Promise.all(conversions.map(each => converted(page, each))));
}

async function converted({name, hash}: PageSnapshot, conversion: Conversion): Promise<ConvertedPictures> {
  // A page of the user can have the same name as a page of the program.
  const file = fixtureNames().includes(name)
    ? (decode(await fetchPageFile(name, `${name}+${conversion}.page`, PAGES)) as ConvertedFile)
    : undefined;
  if (file?.hash === hash) return file.pictures;
  throw new PageError(name, `has to be converted (${conversion}), which needs ${DESKTOP}`);
}

// Vite would look for a file if this were one expression.
const here = import.meta.url;
/** The address of the folder of the site's pages, relative to the script of the worker that contains this module. */
const PAGES = new URL('../pages/', here).href;
