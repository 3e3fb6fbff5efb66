import {crc32} from 'node:zlib';
import {type Entry, fromBufferPromise, type ZipFile} from 'yauzl';
import {messageOf} from '../../../app/base/text.ts';
import {FetchError, PageError} from '../base/pageErrors.ts';
import {type FileSet, fileSet, type SetFile} from './fileSet.ts';

/**
 * The files of a zip archive. Each is unpacked only when it is read, and never to more bytes than the archive says that
 * it has.
 * @throws PageError if it is not a zip archive, or was made to do harm
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
    if (doOverlap(places)) throw new PageError(name, 'has files that overlap: it is built to do harm');
  } catch (error) {
    if (error instanceof PageError) throw error;
    throw new PageError(name, `is not a readable zip file: ${messageOf(error)}`);
  }
  return fileSet(files);
}

/** Where some bytes of the archive are: from `first` to before `end`. */
interface Place {
  readonly first: number;
  readonly end: number;
}

/**
 * The bytes that an entry has at least. Its local header may have more fields than the archive's directory says
 * (APPNOTE §4.3.7).
 */
function placeOf({relativeOffsetOfLocalHeader: first, fileNameLength, compressedSize}: Entry): Place {
  return {first, end: first + LOCAL_HEADER_BYTES + fileNameLength + compressedSize};
}

/** Whether entries share bytes. A small archive in which they do can unpack to any size. */
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
    // yauzl ends with an error if more bytes come than the entry says
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

/** Most entries. A page has at most a thousand objects; a zipped folder may have more files. */
const MOST_ENTRIES = 20_000;
