import {createHash} from 'node:crypto';
import {readFile} from 'node:fs/promises';
import {homedir} from 'node:os';
import {join} from 'node:path';
import {FileError} from './fileError.ts';
import {makeFolders} from './makeFolder.ts';
import {writeWhole} from './outputFile.ts';

/**
 * Returns the path of the folder for cached files of a kind. The program can compute `pictures` and `quality` again. It
 * can open `pages` again if their sources still exist. If the environment variable `XDG_CACHE_HOME` names a folder, the
 * result is below that folder (XDG Base Directory 0.8). Otherwise it is below the platform's usual folder for caches.
 */
export function cacheFolder(kind: 'pages' | 'pictures' | 'quality'): string {
  const {XDG_CACHE_HOME, LOCALAPPDATA} = process.env;
  const usual: {readonly [platform: string]: string} = {
    darwin: join(homedir(), 'Library/Caches'),
    win32: LOCALAPPDATA ?? join(homedir(), 'AppData/Local'),
  };
  const folder = XDG_CACHE_HOME || (usual[process.platform] ?? join(homedir(), '.cache'));
  return join(folder, 'interleave', kind);
}

/** A file in the user's cache. */
export interface KeptFile {
  readonly kind: 'pictures' | 'quality';
  readonly name: string;
  /** Identifies the input from which the content was computed. Content with another key is not returned. */
  readonly key: string;
}

/** Reads content from the cache. Undefined if there is none with this key, or if the file is damaged. */
export async function readKept(file: KeptFile): Promise<Uint8Array | undefined> {
  try {
    const bytes = await readFile(placeOf(file));
    const content = bytes.subarray(SUM_BYTES);
    // The checksum differs if the key differs, if the file was only partly written, or if another program wrote it.
    return bytes.subarray(0, SUM_BYTES).toString('latin1') === sumOf(file, content) ? content : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Writes content to the cache. If the file cannot be written, the error is ignored, and the content is computed again
 * next time.
 */
export async function keep(file: KeptFile, content: Uint8Array): Promise<void> {
  try {
    makeFolders(cacheFolder(file.kind));
    // The file is small, so writing it need not be abortable.
    await writeWhole(
      placeOf(file),
      Buffer.concat([Buffer.from(sumOf(file, content)), content]),
      new AbortController().signal,
    );
  } catch (error) {
    const isOfFiles = error instanceof FileError || (error as NodeJS.ErrnoException).code !== undefined;
    if (!isOfFiles) throw error;
  }
}

export function placeOf({kind, name}: Pick<KeptFile, 'kind' | 'name'>): string {
  return join(cacheFolder(kind), name);
}

function sumOf({key}: KeptFile, content: Uint8Array): string {
  return `${createHash('sha256').update(key).update(content).digest('hex')}\n`;
}

/** Length of the first line, which is a SHA-256 hash in hexadecimal. */
const SUM_BYTES = 65;
