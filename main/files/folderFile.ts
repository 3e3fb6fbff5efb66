import {constants, promises as fs} from 'node:fs';
import {join, sep} from 'node:path';
import {UnreadableError} from './unreadableError.ts';

type FileHandle = Awaited<ReturnType<typeof fs.open>>;

/** A file in a folder that the user named. Size and time are those at the time of {@link findFile}. */
export interface FolderFile {
  readonly path: string;
  readonly bytes: number;
  readonly modifiedMs: number;
}

/**
 * Finds a file by its path in the folder, without opening it. Undefined if there is none, or if it is a folder.
 * @throws UnreadableError if the path is a device, a FIFO or a socket, if it leads out of the folder by a link, or if
 * this user may not read it
 */
export async function findFile(folder: string, path: string): Promise<FolderFile | undefined> {
  try {
    const root = await fs.realpath(folder);
    const file = await fs.realpath(join(root, path));
    const isInside = file.startsWith(root.endsWith(sep) ? root : root + sep);
    if (!isInside && file !== root) throw new UnreadableError('it is a link that leads out of the folder');
    const stats = await fs.stat(file);
    if (stats.isDirectory()) return undefined;
    if (!stats.isFile()) throw new UnreadableError(`it is ${kindOf(stats)}`);
    await fs.access(file, constants.R_OK);
    return {path: file, bytes: stats.size, modifiedMs: stats.mtimeMs};
  } catch (error) {
    if (MISSING.has(codeOf(error))) return undefined;
    throw unreadable(error);
  }
}

/**
 * Reads the first `most` bytes of a file from {@link findFile}. Threads can share the memory of the result.
 * @throws UnreadableError if the file cannot be read, or has changed since {@link findFile}
 */
export async function readFound(file: FolderFile, most = file.bytes): Promise<Uint8Array> {
  try {
    // If a FIFO has replaced the file, opening it without O_NONBLOCK would block.
    const handle = await fs.open(file.path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      await checkSame(handle, file);
      const bytes = new Uint8Array(new SharedArrayBuffer(Math.min(most, file.bytes)));
      let done = 0;
      for (let read = 1; read > 0 && done < bytes.length; done += read) {
        read = (await handle.read(bytes, done, bytes.length - done, done)).bytesRead;
      }
      await checkSame(handle, file);
      return bytes;
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw unreadable(error);
  }
}

async function checkSame(handle: FileHandle, {bytes, modifiedMs}: FolderFile): Promise<void> {
  const now = await handle.stat();
  if (now.isFile() && now.size === bytes && now.mtimeMs === modifiedMs) return;
  throw new UnreadableError('it changed while it was read: load it again');
}

/** Converts an error of the file system. @throws any other error unchanged, because it is a bug */
function unreadable(error: unknown): UnreadableError {
  if (error instanceof UnreadableError) return error;
  const code = codeOf(error);
  if (code === '') throw error;
  return new UnreadableError(REASONS[code] ?? `it cannot be read (${code})`);
}

function codeOf(error: unknown): string {
  const {code} = error as {code?: unknown};
  return typeof code === 'string' && /^E[A-Z0-9]+$/.test(code) ? code : '';
}

function kindOf(stats: {isFIFO(): boolean; isSocket(): boolean}): string {
  return stats.isFIFO() ? 'a FIFO' : stats.isSocket() ? 'a socket' : 'a device';
}

/** Error codes that mean that there is no such file. */
const MISSING: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG']);

const REASONS: {readonly [code: string]: string} = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ELOOP: 'it is a link to itself',
  ENXIO: 'it is not a file',
};
