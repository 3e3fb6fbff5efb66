import {createHash} from 'node:crypto';
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {cacheFolder} from './cacheFolder.ts';
import {FileError} from './fileError.ts';
import {makeFolders} from './makeFolder.ts';
import {writeWhole} from './outputFile.ts';

/** A file of the user's cache. */
export interface KeptFile {
  readonly kind: 'pictures' | 'quality';
  readonly name: string;
  /** What its content is of: that of another is none. */
  readonly key: string;
}

/** What was kept; undefined if nothing was, or the file is damaged. */
export async function readKept(file: KeptFile): Promise<Uint8Array | undefined> {
  try {
    const bytes = await readFile(placeOf(file));
    const content = bytes.subarray(SUM_BYTES);
    // what another program or half a disk wrote has another sum
    return bytes.subarray(0, SUM_BYTES).toString('latin1') === sumOf(file, content) ? content : undefined;
  } catch {
    return undefined;
  }
}

/** Where nothing can be written, nothing is kept: it is made again the next time. */
export async function keep(file: KeptFile, content: Uint8Array): Promise<void> {
  try {
    makeFolders(cacheFolder(file.kind));
    await writeWhole(placeOf(file), Buffer.concat([Buffer.from(sumOf(file, content)), content]), UNABORTED);
  } catch (error) {
    const isOfFiles = error instanceof FileError || (error as NodeJS.ErrnoException).code !== undefined;
    if (!isOfFiles) throw error;
  }
}

/** Where it is kept. */
export function placeOf({kind, name}: Pick<KeptFile, 'kind' | 'name'>): string {
  return join(cacheFolder(kind), name);
}

function sumOf({key}: KeptFile, content: Uint8Array): string {
  return `${createHash('sha256').update(key).update(content).digest('hex')}\n`;
}

/** Of SHA-256 in hexadecimal, in a line. */
const SUM_BYTES = 65;

/** It is small: whoever is in a hurry looks afterwards. */
const UNABORTED = new AbortController().signal;
