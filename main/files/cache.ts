import {createHash} from 'node:crypto';
import {readFile} from 'node:fs/promises';
import {homedir} from 'node:os';
import {join} from 'node:path';
import {FileError} from './fileError.ts';
import {makeFolders} from './makeFolder.ts';
import {writeWhole} from './outputFile.ts';

/**
 * Folder for files that the program can make again. It is where the platform keeps caches, unless `XDG_CACHE_HOME`
 * names another place (XDG Base Directory 0.8).
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
  /** Identifies what the content was made from. Content with another key is not returned. */
  readonly key: string;
}

/** The cached content. Undefined if there is none or the file is damaged. */
export async function readKept(file: KeptFile): Promise<Uint8Array | undefined> {
  try {
    const bytes = await readFile(placeOf(file));
    const content = bytes.subarray(SUM_BYTES);
    // the checksum differs if another program wrote the file, or if it was written in part
    return bytes.subarray(0, SUM_BYTES).toString('latin1') === sumOf(file, content) ? content : undefined;
  } catch {
    return undefined;
  }
}

/** Writes to the cache. If that fails nothing is kept, and the content is made again next time. */
export async function keep(file: KeptFile, content: Uint8Array): Promise<void> {
  try {
    makeFolders(cacheFolder(file.kind));
    // The file is small, so its writing is never aborted.
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

/** A line with SHA-256 in hexadecimal. */
const SUM_BYTES = 65;
