import {createHash} from 'node:crypto';
import {mkdir, readdir, readFile, rm, stat, utimes} from 'node:fs/promises';
import {join} from 'node:path';
import type {Conversion} from '../../app/page/conversion.ts';
import {cacheFolder} from '../files/cacheFolder.ts';
import {FileError} from '../files/fileError.ts';
import {writeWhole} from '../files/outputFile.ts';
import {type Converted, convertedPicture} from './picture.ts';

/**
 * {@link convertedPicture}, from the user's cache where the same bytes were converted before by the same sharp and codecs,
 * with what it took then.
 */
export async function convertedOnce(
  bytes: Uint8Array,
  conversion: Conversion,
  nowMs: () => number,
): Promise<Converted | undefined> {
  const key = await keyOf(bytes, conversion);
  const known = await readKept(key);
  if (known !== undefined) return known.made;
  const made = await convertedPicture(bytes, conversion, nowMs);
  await keep(key, made);
  return made;
}

/** What was not used for the longest goes, as long as all has more than `mostBytes`. */
export async function shrinkPictures(mostBytes = MOST_BYTES): Promise<void> {
  const folder = cacheFolder('pictures');
  const names = await readdir(folder).catch(() => []);
  const files = await Promise.all(
    names.map(async name => {
      const path = join(folder, name);
      // another process removes it
      const {size, mtimeMs} = await stat(path).catch(() => ({size: 0, mtimeMs: 0}));
      return {path, size, mtimeMs};
    }),
  );
  let bytes = 0;
  for (const {path, size} of files.sort((a, b) => b.mtimeMs - a.mtimeMs)) {
    bytes += size;
    if (bytes > mostBytes) await rm(path, {force: true});
  }
}

/** A text that names what is converted, as what, and by whom. */
async function keyOf(bytes: Uint8Array, conversion: Conversion): Promise<string> {
  const {default: sharp} = await import('sharp');
  const hash = createHash('sha256').update(JSON.stringify([conversion, sharp.versions, CONVERTING_VERSION]));
  return hash.update(bytes).digest('hex');
}

/** Raised with each change of what convertedPicture makes of the same bytes. */
const CONVERTING_VERSION = 4;

/** Undefined if there is none, or it is damaged; `made` is undefined if the picture stays as it is. */
async function readKept(key: string): Promise<{readonly made: Converted | undefined} | undefined> {
  try {
    const file = await readFile(fileOf(key));
    const content = file.subarray(SUM_LETTERS);
    // what another program or half a disk wrote has another sum
    if (file.subarray(0, SUM_LETTERS).toString('latin1') !== sumOf(key, content)) return undefined;
    const headEnd = content.indexOf('\n');
    const head = JSON.parse(content.subarray(0, headEnd).toString()) as Omit<Converted, 'bytes'> | null;
    await utimes(fileOf(key), new Date(), new Date());
    return {made: head === null ? undefined : {...head, bytes: content.subarray(headEnd + 1)}};
  } catch {
    return undefined;
  }
}

/** Where nothing can be written, it is converted again the next time. */
async function keep(key: string, made: Converted | undefined): Promise<void> {
  const {bytes = new Uint8Array(), ...head} = made ?? {};
  const content = Buffer.concat([
    Buffer.from(`${JSON.stringify(made === undefined ? null : head)}\n`),
    bytes,
  ]);
  try {
    await mkdir(cacheFolder('pictures'), {recursive: true});
    await writeWhole(fileOf(key), Buffer.concat([Buffer.from(sumOf(key, content)), content]), UNABORTED);
  } catch (error) {
    const isOfFiles = error instanceof FileError || (error as NodeJS.ErrnoException).code !== undefined;
    if (!isOfFiles) throw error;
  }
}

/** It is small: whoever is in a hurry looks afterwards. */
const UNABORTED = new AbortController().signal;

function fileOf(key: string): string {
  return join(cacheFolder('pictures'), key);
}

function sumOf(key: string, content: Uint8Array): string {
  return createHash('sha256').update(key).update(content).digest('hex');
}

const SUM_LETTERS = 64;

/** Some thousand pictures. */
const MOST_BYTES = 300_000_000;
