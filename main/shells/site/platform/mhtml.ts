import {PageError} from '../../../pages/base/pageErrors.ts';
import type {LocalSource} from '../../../pages/open/localSource.ts';
import {DESKTOP} from '../desktopOnly.ts';

/** Replaces main/pages/open/mhtml.ts in the web edition, which cannot read MHTML files. @throws PageError */
export async function mhtmlSource(name: string): Promise<LocalSource> {
  throw new PageError(name, `is an MHTML file, which needs ${DESKTOP}`);
}
