import {crc32} from 'node:zlib';
import {type Entry, fromBufferPromise, type ZipFile} from 'yauzl';
import {messageOf} from '../../app/scenario/messageOf.ts';
import {PageError} from '../engine/pageError.ts';
import {FetchError} from '../gateway/fetchError.ts';
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
    for await (const entry of zip.eachEntry()) {
      if (!entry.fileName.endsWith('/')) files.push(fileOf(zip, entry));
    }
  } catch (error) {
    if (error instanceof PageError) throw error;
    throw new PageError(name, `is no zip file that can be read: ${messageOf(error)}`);
  }
  return fileSet(files);
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

/** A page has at most a thousand objects; a folder that is zipped may have more. */
const MOST_ENTRIES = 20_000;
