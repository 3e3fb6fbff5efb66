import {decode} from '@msgpack/msgpack';
import {nearest} from '../../../../app/base/text.ts';
import type {PageSnapshot} from '../../../../app/page/page.ts';
import {syntheticPage} from '../../../../app/page/synthetic.ts';
import type {PageSource} from '../../../../app/run/scenario/pageSource.ts';
import {PageError} from '../../../pages/base/pageErrors.ts';
import {takeSnapshot} from '../../../pages/base/pageSnapshot.ts';
import {readStoredPage} from '../../../pages/readPage.ts';
import {DESKTOP} from '../desktopOnly.ts';
import {PageStore, PageStoreError} from '../pageStore.ts';

/** The names of the pages that are part of the program. The build fills them in. */
declare const INTERLEAVE_PAGES: readonly string[];

/**
 * Replaces main/pages/openPage.ts in the web edition. The build has written a snapshot of each of the program's pages
 * into a file of the site. `fixtures` is the address of the folder of these files.
 * @throws PageError if there is no such page, or if it cannot be read
 */
export async function openPage(source: PageSource, fixtures: string): Promise<PageSnapshot> {
  if (source.kind === 'synthetic') return takeSnapshot(syntheticPage(source), []);
  if (source.kind === 'named') return fetchSnapshot(source.name, fixtures);
  const {bundle: hash, name} = source;
  try {
    return await readStoredPage(name, await new PageStore().open(hash));
  } catch (error) {
    if (!(error instanceof PageStoreError)) throw error;
    throw new PageError(name, `${error.message} (bundle ${hash.slice(0, 12)}…); open it again from its file`);
  }
}

export function fixtureNames(): readonly string[] {
  return INTERLEAVE_PAGES;
}

async function fetchSnapshot(name: string, fixtures: string): Promise<PageSnapshot> {
  if (!INTERLEAVE_PAGES.includes(name)) {
    const near = nearest(name, INTERLEAVE_PAGES);
    const hint = near === undefined ? '' : `; did you mean ${near}?`;
    throw new PageError(name, `is not a page of the web edition; addresses and paths need ${DESKTOP}${hint}`);
  }
  return decode(await fetchPageFile(name, `${name}.page`, fixtures)) as PageSnapshot;
}

/** Fetches a file of the page `name` from the folder at the address `fixtures`. @throws PageError */
export async function fetchPageFile(name: string, file: string, fixtures: string): Promise<ArrayBuffer> {
  const response = await fetch(new URL(file, fixtures)).catch(() => undefined);
  if (response?.ok !== true) throw new PageError(name, 'cannot be fetched from this site: check the connection');
  return response.arrayBuffer();
}
