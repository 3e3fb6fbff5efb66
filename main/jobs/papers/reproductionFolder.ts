import {readdirSync, rmSync} from 'node:fs';
import {basename, join} from 'node:path';
import type {Json} from '../../../app/base/json.ts';
import {leftOverOf, writeWhole} from '../../files/outputFile.ts';
import {lockFolder} from '../experiment/folderLock.ts';
import {checkMark, checkResumable, entriesOf, type Mark, makeOwnFolder} from '../experiment/ownFolder.ts';

/** The file that names the papers and the seeds of a reproduction. */
const MARK: Mark = {file: 'reproduce.json', noun: 'reproduction'};

/**
 * Opens and locks the folder of a reproduction. The folder must be new or empty. If `isResumed`, it may also contain a
 * reproduction of the same papers with the same seeds. Returns a function that releases the lock.
 * @throws ExperimentError if the folder contains anything else, is damaged or is in use. @throws FileError if it cannot
 * be written to
 */
export async function openReproduction(
  path: string,
  document: Json,
  {isResumed, signal}: {readonly isResumed: boolean; readonly signal: AbortSignal},
): Promise<() => void> {
  makeOwnFolder(path);
  const unlock = await lockFolder(path);
  try {
    const entries = entriesOf(path, [MARK.file]);
    if (entries.length === 0) {
      const bytes = Buffer.from(`${JSON.stringify(document, null, 1)}\n`);
      await writeWhole(join(path, MARK.file), bytes, signal);
    } else {
      checkResumable(path, entries, isResumed);
      checkMark(path, MARK, document);
    }
    removeLeft(path);
    return unlock;
  } catch (error) {
    unlock();
    throw error;
  }
}

/** Removes incomplete files that killed programs left, in the folders of all papers and grids. */
function removeLeft(path: string): void {
  for (const entry of readdirSync(path, {recursive: true, encoding: 'utf8'})) {
    if (leftOverOf(basename(entry)) !== undefined) rmSync(join(path, entry), {force: true});
  }
}
