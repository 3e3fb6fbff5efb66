import {promises as fs, readdirSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {nearest} from '../../app/base/text.ts';
import type {PageSnapshot} from '../../app/page/page.ts';
import {syntheticPage} from '../../app/page/synthetic.ts';
import type {BundleSource, PageSource} from '../../app/run/scenario/pageSource.ts';
import {findFile, readFound} from '../files/folderFile.ts';
import {PageError} from './base/pageErrors.ts';
import {takeSnapshot} from './base/pageSnapshot.ts';
import {type PageFiles, readPage, readStoredPage} from './readPage.ts';
import {BundleError, BundleStore} from './store/bundleStore.ts';

/**
 * Opens the page that a scenario names, and takes a snapshot of it. The page is a built-in page (in the folder
 * `fixtures`), a folder with an index.html, a stored bundle, or a synthetic page.
 * @throws PageError if there is no such page, or if it cannot be read
 */
export async function openPage(source: PageSource, fixtures: string): Promise<PageSnapshot> {
  if (source.kind === 'synthetic') return takeSnapshot(syntheticPage(source), []);
  if (source.kind === 'bundle') return readBundle(source);
  const {name} = source;
  if (name.length > LONGEST_NAME) {
    throw new PageError(name, `has a name of ${name.length} characters (at most ${LONGEST_NAME})`);
  }
  if (name.includes('\0')) throw new PageError(name, 'cannot exist: a name cannot contain U+0000');
  const known = fixtureNames(fixtures);
  if (known.includes(name)) return readPage(name, folderFiles(join(fixtures, name)));
  const folder = resolve(name);
  if (!(await isFolder(folder))) {
    const near = nearest(name, known);
    const hint = near === undefined ? 'the command interleave pages lists the names' : `did you mean ${near}?`;
    throw new PageError(name, `is neither a page's name nor a file or folder that can be opened; ${hint}`);
  }
  return readPage(name, folderFiles(folder));
}

/** Names of the pages that are shipped with the program. */
export function fixtureNames(fixtures: string): readonly string[] {
  return readdirSync(fixtures, {withFileTypes: true})
    .filter(entry => entry.isDirectory())
    .map(entry => entry.name)
    .sort();
}

async function isFolder(path: string): Promise<boolean> {
  const stats = await fs.stat(path).catch(() => undefined);
  return stats?.isDirectory() ?? false;
}

async function readBundle({bundle: hash, name}: BundleSource): Promise<PageSnapshot> {
  try {
    return await readStoredPage(name, await new BundleStore().open(hash));
  } catch (error) {
    if (!(error instanceof BundleError)) throw error;
    throw new PageError(
      name,
      `${error.message} (bundle ${hash.slice(0, 12)}…); open it again from its address or file`,
    );
  }
}

/** Longest name of a page, in characters. Linux allows paths of 4096 bytes (PATH_MAX). */
const LONGEST_NAME = 4096;

/** Reads the files of a folder on disk. Each call sees the current state of the disk. */
function folderFiles(folder: string): PageFiles {
  return {
    find: async path => {
      const found = await findFile(folder, path);
      return found && {bytes: found.bytes, read: most => readFound(found, most)};
    },
  };
}
