import {readdir, rename, rm, rmdir, writeFile} from 'node:fs/promises';
import {dirname, join, resolve} from 'node:path';
import {FileError} from '../../files/fileError.ts';
import {makeFolders} from '../../files/makeFolder.ts';
import {temporaryBeside, writeWhole} from '../../files/outputFile.ts';
import type {Bundle, BundleDocument} from './bundle.ts';
import {DOCUMENT, documentText} from './bundleDocument.ts';

/**
 * Writes a bundle as a folder. The folder appears only when it is complete. An empty folder of that name is replaced.
 * @throws FileError if there is something else of that name, or if the folder cannot be written
 */
export async function writeBundle(folder: string, bundle: Bundle, signal: AbortSignal): Promise<void> {
  const place = resolve(folder);
  const temporary = temporaryBeside(place);
  try {
    await checkFree(place);
    makeFolders(temporary);
    for (const {path, bytes} of bundle.files) {
      signal.throwIfAborted();
      const file = join(temporary, path);
      makeFolders(dirname(file));
      await writeFile(file, bytes);
    }
    await writeDocument(temporary, bundle.document, signal);
    signal.throwIfAborted();
    await rmdir(place).catch(() => undefined);
    await rename(temporary, place);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw error instanceof FileError ? error : new FileError(folder, error);
  } finally {
    await rm(temporary, {recursive: true, force: true});
  }
}

/** Writes the `bundle.json` of a folder. @throws FileError */
export async function writeDocument(folder: string, document: BundleDocument, signal: AbortSignal): Promise<void> {
  await writeWhole(join(folder, DOCUMENT), Buffer.from(documentText(document)), signal);
}

/** Rejects unless the folder is empty or does not exist. */
export async function checkFree(folder: string): Promise<void> {
  const entries = await readdir(folder).catch(error => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  if (entries.length > 0) throw new Error('a folder of that name exists and is not empty');
}
