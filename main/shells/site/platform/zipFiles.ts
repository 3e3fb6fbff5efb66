import {type FileEntry, Uint8ArrayReader, ZipReader} from '@zip.js/zip.js/index-native.js';
import {messageOf} from '../../../../app/base/text.ts';
import {FetchError, PageError} from '../../../pages/base/pageErrors.ts';
import {type FileSet, fileSet, type SetFile} from '../../../pages/open/fileSet.ts';

/**
 * Replaces main/pages/open/zipFiles.ts in the web edition, with the same limits. Each file is unpacked only when it is
 * read, and only up to the size that the archive states.
 * @throws PageError if it is not a readable zip archive, has too many files or is malicious
 */
export async function zipFiles(name: string, bytes: Uint8Array): Promise<FileSet> {
  const files: SetFile[] = [];
  const places: Place[] = [];
  try {
    const zip = new ZipReader(new Uint8ArrayReader(bytes), {useWebWorkers: false, checkCrc32: true});
    for await (const entry of zip.getEntriesGenerator()) {
      if (places.length === MOST_ENTRIES) throw new PageError(name, `has more than ${MOST_ENTRIES} files`);
      const {offset: first, rawFilename, compressedSize} = entry;
      places.push({first, end: first + LOCAL_HEADER_BYTES + rawFilename.length + compressedSize});
      if (!entry.directory) files.push(fileOf(entry));
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

/** Whether entries overlap. A small archive with overlapping entries can unpack to any size. */
function doOverlap(places: readonly Place[]): boolean {
  const sorted = places.toSorted((a, b) => a.first - b.first);
  return sorted.some(({first}, i) => first < (sorted[i - 1]?.end ?? 0));
}

function fileOf(entry: FileEntry): SetFile {
  return {path: entry.filename, bytes: entry.uncompressedSize, read: () => unpacked(entry)};
}

/** @throws FetchError */
async function unpacked(entry: FileEntry): Promise<Uint8Array> {
  if (entry.encrypted) throw new FetchError('it is encrypted');
  const bytes = new Uint8Array(entry.uncompressedSize);
  let at = 0;
  const sink = new WritableStream<Uint8Array>({
    write: piece => {
      if (at + piece.length > bytes.length) throw new Error('it has more bytes than the archive states');
      bytes.set(piece, at);
      at += piece.length;
    },
  });
  try {
    await entry.getData(sink);
  } catch (error) {
    throw new FetchError(`it is damaged: ${messageOf(error)}`);
  }
  if (at < bytes.length) throw new FetchError('it is damaged: it has fewer bytes than the archive states');
  return bytes;
}

/** Size of a local header without name and extra field (APPNOTE §4.3.7). */
const LOCAL_HEADER_BYTES = 30;

/** Largest number of entries. A page has at most a thousand objects, but a zipped folder may have more files. */
const MOST_ENTRIES = 20_000;
