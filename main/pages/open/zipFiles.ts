import {crc32} from 'node:zlib';
import {type Entry, fromBufferPromise, type ZipFile} from 'yauzl';
import {messageOf} from '../../../app/base/text.ts';
import {FetchError} from '../base/fetchError.ts';
import {PageError} from '../base/pageError.ts';
import {type FileSet, fileSet, type SetFile} from './fileSet.ts';

/**
 * The files of a zip archive, each unpacked when it is asked for, never to more bytes than the archive says of it.
 * @throws PageError if it is none, or is made to do harm.
 */
export async function zipFiles(name: string, bytes: Uint8Array): Promise<FileSet> {
  const files: SetFile[] = [];
  try {
    const zip = await fromBufferPromise(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    if (zip.entryCount > MOST_ENTRIES) {
      throw new PageError(name, `has ${zip.entryCount} files (at most ${MOST_ENTRIES})`);
    }
    const places: Place[] = [];
    for await (const entry of zip.eachEntry()) {
      places.push(placeOf(entry));
      if (!entry.fileName.endsWith('/')) files.push(fileOf(zip, entry));
    }
    if (doOverlap(places)) throw new PageError(name, 'has files that overlap: it is made to do harm');
  } catch (error) {
    if (error instanceof PageError) throw error;
    throw new PageError(name, `is no zip file that can be read: ${messageOf(error)}`);
  }
  return fileSet(files);
}

/** Bytes of the archive, from `first` to before `end`. */
interface Place {
  readonly first: number;
  readonly end: number;
}

/** What an entry takes at least: its own header may have more fields than are known here (APPNOTE §4.3.7). */
function placeOf({relativeOffsetOfLocalHeader: first, fileNameLength, compressedSize}: Entry): Place {
  return {first, end: first + LOCAL_HEADER_BYTES + fileNameLength + compressedSize};
}

/** Whether some bytes are in two entries: a small archive then unpacks to as much as its maker wants. */
function doOverlap(places: readonly Place[]): boolean {
  const sorted = places.toSorted((a, b) => a.first - b.first);
  return sorted.some(({first}, i) => first < (sorted[i - 1]?.end ?? 0));
}

function fileOf(zip: ZipFile, entry: Entry): SetFile {
  return {path: entry.fileName, bytes: entry.uncompressedSize, read: () => unpacked(zip, entry)};
}

/** @throws FetchError */
async function unpacked(zip: ZipFile, entry: Entry): Promise<Uint8Array> {
  if (entry.isEncrypted()) throw new FetchError('it is encrypted');
  const pieces: Buffer[] = [];
  try {
    // no more comes than the entry says: yauzl counts
    for await (const piece of await zip.openReadStreamPromise(entry)) pieces.push(piece);
  } catch (error) {
    throw new FetchError(`it is damaged: ${messageOf(error)}`);
  }
  const bytes = Buffer.concat(pieces);
  if (crc32(bytes) !== entry.crc32) throw new FetchError('it is damaged: its sum is another');
  return bytes;
}

/** Without name and extra field. */
const LOCAL_HEADER_BYTES = 30;

/** A page has at most a thousand objects; a folder that is zipped may have more. */
const MOST_ENTRIES = 20_000;
