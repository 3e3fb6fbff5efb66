import {createHash} from 'node:crypto';
import {readdir, rm, stat, utimes} from 'node:fs/promises';
import {join} from 'node:path';
import type {Conversion} from '../../../app/page/conversion.ts';
import {cacheFolder, type KeptFile, keep, placeOf, readKept} from '../../files/cache.ts';
import type {Converted} from './picture.ts';

/** Converts pictures as `convertedPicture` does, in this process or in another. */
export type Convert = (bytes: Uint8Array, conversion: Conversion) => Promise<Converted | undefined>;

/**
 * Converts a picture, or reads the result from the user's cache if the same versions of sharp and its codecs made the
 * same conversion of the same bytes before. The `tookMs` of a cached result is the duration of the first conversion.
 * Errors are not cached.
 */
export async function convertedOnce(
  bytes: Uint8Array,
  conversion: Conversion,
  convert: Convert,
): Promise<Converted | undefined> {
  const key = await keyOf(bytes, conversion);
  const known = await readPicture(key);
  if (known !== undefined) return known.made;
  const made = await convert(bytes, conversion);
  await keepPicture(key, made);
  return made;
}

/** Removes the least recently used pictures from the cache, until the others have at most `mostBytes` together. */
export async function shrinkPictures(mostBytes = MOST_BYTES): Promise<void> {
  const folder = cacheFolder('pictures');
  const names = await readdir(folder).catch(() => []);
  const files = await Promise.all(
    names.map(async name => {
      const path = join(folder, name);
      // another process may have removed it
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

/** Makes the key of a result from the picture, the conversion, and the versions of sharp, its codecs and this code. */
async function keyOf(bytes: Uint8Array, conversion: Conversion): Promise<string> {
  const {default: sharp} = await import('sharp');
  const hash = createHash('sha256').update(JSON.stringify([conversion, sharp.versions, CONVERTING_VERSION]));
  return hash.update(bytes).digest('hex');
}

/**
 * Part of the key. Raise it with every change that makes `convertedPicture` return other bytes for the same picture.
 */
const CONVERTING_VERSION = 4;

/**
 * Reads a result from the cache. Returns undefined if there is none or its file is damaged. `made` is undefined if the
 * conversion gave no picture.
 */
async function readPicture(key: string): Promise<{readonly made: Converted | undefined} | undefined> {
  const content = await readKept(fileOf(key));
  if (content === undefined) return undefined;
  const headEnd = content.indexOf('\n'.charCodeAt(0));
  const head = JSON.parse(new TextDecoder().decode(content.subarray(0, headEnd))) as Head | null;
  // the file's modification time records when the picture was last used
  await utimes(placeOf(fileOf(key)), new Date(), new Date()).catch(() => undefined);
  return {made: head === null ? undefined : {...head, bytes: content.subarray(headEnd + 1)}};
}

async function keepPicture(key: string, made: Converted | undefined): Promise<void> {
  const {bytes = new Uint8Array(), ...head} = made ?? {};
  const line = Buffer.from(`${JSON.stringify(made === undefined ? null : head)}\n`);
  await keep(fileOf(key), Buffer.concat([line, bytes]));
}

type Head = Omit<Converted, 'bytes'>;

function fileOf(key: string): KeptFile {
  return {kind: 'pictures', name: key, key};
}

/** Largest size of all pictures in the cache together. Several thousand pictures fit. */
const MOST_BYTES = 300_000_000;
