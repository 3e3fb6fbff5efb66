import {opendir, stat} from 'node:fs/promises';
import {basename, dirname, join, relative, resolve, sep} from 'node:path';
import {findFile, readFound} from '../../files/folderFile.ts';
import {UnreadableError} from '../../files/unreadableError.ts';
import {FetchError, PageError} from '../base/pageErrors.ts';
import type {Bundle} from '../store/bundle.ts';
import {checkBytes, type FileSet} from './fileSet.ts';
import {openSet} from './openFiles.ts';

/**
 * Makes a bundle of the page in a file or folder, as {@link openFiles} does. Files that an HTML file names are read
 * from its folder and the folders below. Returns undefined if the path does not exist, or if it is a folder with an
 * index.html.
 * @throws PageError that says what is wrong; the signal's reason after an abort
 */
export async function openPath(path: string, signal: AbortSignal): Promise<Bundle | undefined> {
  const place = resolve(path);
  const stats = await stat(place).catch(() => undefined);
  if (stats === undefined) return undefined;
  const name = basename(place);
  if (!stats.isDirectory()) return openSet(name, diskFiles(dirname(place), [name]), signal);
  const isPage = await stat(join(place, 'index.html')).then(
    () => true,
    () => false,
  );
  if (isPage) return undefined;
  return openSet(name, diskFiles(place, await pathsIn(name, place)), signal);
}

function diskFiles(folder: string, paths: readonly string[]): FileSet {
  return {
    paths,
    read: async (path, mostBytes) => {
      try {
        const found = await findFile(folder, path);
        checkBytes(found?.bytes ?? 0, mostBytes);
        return found && (await readFound(found));
      } catch (error) {
        if (error instanceof UnreadableError) throw new FetchError(error.message);
        throw error;
      }
    },
  };
}

/** @throws PageError if there are too many files, or the folder cannot be listed */
async function pathsIn(name: string, folder: string): Promise<readonly string[]> {
  const paths: string[] = [];
  try {
    for await (const entry of await opendir(folder, {recursive: true})) {
      if (entry.isDirectory()) continue;
      paths.push(relative(folder, join(entry.parentPath, entry.name)).replaceAll(sep, '/'));
      if (paths.length > MOST_FILES) throw new PageError(name, `has more than ${MOST_FILES} files`);
    }
  } catch (error) {
    if (error instanceof PageError) throw error;
    throw new PageError(name, `cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  return paths;
}

/** Largest number of files in the folder. A page has at most a thousand objects. */
const MOST_FILES = 20_000;
