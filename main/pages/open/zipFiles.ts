import {crc32} from 'node:zlib';
import {type Entry, fromBufferPromise, type ZipFile} from 'yauzl';
import {messageOf} from '../../../app/base/text.ts';
import {FetchError, PageError} from '../base/pageErrors.ts';
import {type FileSet, fileSet, type SetFile} from './fileSet.ts';

/**
 * Reads the directory of a zip archive. Each file is unpacked only when it is read, and only up to the size that the
 * archive states.
 * @throws PageError if it is not a readable zip archive, has too many files or is malicious
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
    if (doOverlap(places)) throw new PageError(name, 'has files that overlap: the archive is malicious');
  } catch (error) {
    if (error instanceof PageError) throw error;
    throw new PageError(name, `is not a readable zip file: ${messageOf(error)}`);
  }
  return fileSet(files);
}

/** A range of bytes in the archive. It begins at `first`, and `end` is the first byte after it. */
interface Place {
  readonly first: number;
  readonly end: number;
}

/**
 * The smallest range of bytes that an entry can occupy. Its local header may have more fields than the archive's
 * directory says (APPNOTE §4.3.7).
 */
function placeOf({relativeOffsetOfLocalHeader: first, fileNameLength, compressedSize}: Entry): Place {
  return {first, end: first + LOCAL_HEADER_BYTES + fileNameLength + compressedSize};
}

/** Whether entries overlap. A small archive with overlapping entries can unpack to any size. */
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
    // yauzl reports an error if the entry unpacks to more bytes than it states
    for await (const piece of await zip.openReadStreamPromise(entry)) pieces.push(piece);
  } catch (error) {
    throw new FetchError(`it is damaged: ${messageOf(error)}`);
  }
  const bytes = Buffer.concat(pieces);
  if (crc32(bytes) !== entry.crc32) throw new FetchError('it is damaged: its checksum is wrong');
  return bytes;
}

/** Size of a local header without name and extra field. */
const LOCAL_HEADER_BYTES = 30;

/** Largest number of entries. A page has at most a thousand objects, but a zipped folder may have more files. */
const MOST_ENTRIES = 20_000;
