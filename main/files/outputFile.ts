import {randomBytes} from 'node:crypto';
import type {Stats} from 'node:fs';
import {
  access,
  constants,
  type FileHandle,
  link,
  open,
  readdir,
  realpath,
  rename,
  rm,
  stat,
  unlink,
  writeFile,
} from 'node:fs/promises';
import {basename, dirname, join, parse} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {hasEnded, OWNER_NAME, ownerName} from '../setup/owner.mjs';
import {FileError} from './fileError.ts';

/**
 * What happens to an existing file with the same name. 'replaced' replaces it. 'kept' keeps it and adds a number to the
 * new file's name.
 */
export type Existing = 'replaced' | 'kept';

/**
 * A file that appears complete or not at all. It is written under a temporary name in the same folder, and then
 * renamed.
 */
export class OutputFile {
  readonly #path: string;
  readonly #existing: Existing;
  readonly #temporary: string;
  readonly #handle: FileHandle;

  private constructor(path: string, existing: Existing, temporary: string, handle: FileHandle) {
    this.#path = path;
    this.#existing = existing;
    this.#temporary = temporary;
    this.#handle = handle;
  }

  /** Opens a temporary file for `path`. @throws FileError if the path cannot be written to */
  static async create(path: string, existing: Existing = 'replaced'): Promise<OutputFile> {
    try {
      const found = await statOf(path);
      const old = found && existing === 'replaced' ? await replaceable(path, found) : undefined;
      const place = old?.path ?? path;
      await sweepFolder(dirname(place));
      const temporary = temporaryBeside(place);
      const handle = await open(temporary, 'wx');
      if (old !== undefined) await handle.chmod(old.mode);
      return new OutputFile(place, existing, temporary, handle);
    } catch (error) {
      throw new FileError(path, error);
    }
  }

  /** Writes bytes at a position. @throws FileError, for example if the disk is full */
  async write(bytes: Uint8Array, position: number): Promise<void> {
    try {
      for (let done = 0; done < bytes.length; ) {
        const {bytesWritten} = await this.#handle.write(bytes, done, bytes.length - done, position + done);
        done += bytesWritten;
      }
    } catch (error) {
      throw new FileError(this.#path, error);
    }
  }

  /** Completes the file under its final name. Returns its path. @throws FileError */
  async keep(): Promise<string> {
    try {
      // Some file systems report only on `sync` that the disk is full.
      await this.#handle.sync();
      await this.#handle.close();
      if (this.#existing === 'kept') return await this.#moveBeside();
      await rename(this.#temporary, this.#path);
      return this.#path;
    } catch (error) {
      throw new FileError(this.#path, error);
    }
  }

  /** Removes the temporary file. Does nothing after {@link keep}. */
  async discard(): Promise<void> {
    await this.#handle.close().catch(() => undefined);
    await rm(this.#temporary, {force: true});
  }

  /** Renames the file to the first free name, with a number if necessary. */
  async #moveBeside(): Promise<string> {
    const {dir, name, ext} = parse(this.#path);
    for (let number = 1; ; number++) {
      const path = join(dir, `${name}${number === 1 ? '' : `-${number}`}${ext}`);
      try {
        await moveToFree(this.#temporary, path);
        return path;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
    }
  }
}

/** Returns a temporary path in the folder of `place`, for a file that is renamed to `place` when it is complete. */
export function temporaryBeside(place: string): string {
  const mark = `${ownerName()}-${randomBytes(MARK_BYTES).toString('hex')}`;
  return join(dirname(place), `${basename(place).slice(0, MOST_NAME)}.${mark}.part`);
}

/**
 * Returns the part of the final name, at most {@link MOST_NAME} characters, that a temporary name contains. Undefined
 * if `name` is not temporary. A temporary file remains if the program is killed while it writes the file.
 */
export function leftOverOf(name: string): string | undefined {
  return LEFT_OVER.exec(name)?.[1];
}

/** Whether the name is from {@link temporaryBeside} and the process that chose it has ended. */
export function isAbandoned(name: string): boolean {
  const [, , owner] = LEFT_OVER.exec(name) ?? [];
  return owner !== undefined && hasEnded(owner);
}

/**
 * Removes temporary files that killed processes have left in a folder. Only the first call for each folder does this.
 */
export async function sweepFolder(folder: string): Promise<void> {
  if (swept.has(folder)) return;
  swept.add(folder);
  const names = await readdir(folder).catch(() => []);
  // `unlink` does not remove folders. Temporary folders are removed by the code that created them.
  for (const name of names.filter(isAbandoned)) await unlink(join(folder, name)).catch(() => undefined);
}

const swept = new Set<string>();

/**
 * Writes a file that appears complete or not at all. Writes to devices and pipes directly. @throws FileError; the
 * signal's reason after an abort
 */
export async function writeWhole(path: string, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFIFO()) return writePipe(path, bytes, signal);
  if (found !== undefined && !found.isFile() && !found.isDirectory()) return writeThrough(path, bytes);
  const file = await OutputFile.create(path);
  try {
    await file.write(bytes, 0);
    signal.throwIfAborted();
    await file.keep();
  } finally {
    await file.discard();
  }
}

/**
 * Writes a new file that appears complete or not at all. Returns false and writes nothing if the name is in use.
 * @throws FileError
 */
export async function writeNew(path: string, bytes: Uint8Array): Promise<boolean> {
  await sweepFolder(dirname(path));
  const temporary = temporaryBeside(path);
  try {
    await writeFile(temporary, bytes, {flag: 'wx', flush: true});
    await moveToFree(temporary, path);
    return true;
  } catch (error) {
    await rm(temporary, {force: true});
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw new FileError(path, error);
  }
}

/**
 * Renames a file to a free name. Unlike rename(2), it never replaces a file, but rejects with EEXIST if the name is in
 * use.
 */
async function moveToFree(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
    await rm(from);
  } catch (error) {
    if (!NO_LINKS.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    // Some file systems, for example FAT, have no links. There an empty file reserves the name, and the rename replaces
    // it.
    await (await open(to, 'wx')).close();
    await rename(from, to);
  }
}

const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** Returns the real path and the mode of a file to replace. Throws if it cannot be replaced. */
async function replaceable(path: string, found: Stats): Promise<{path: string; mode: number}> {
  if (found.isDirectory()) throw Object.assign(new Error('a folder'), {code: 'EISDIR'});
  if (!found.isFile()) throw new Error('it is a device or a pipe');
  // rename(2) checks only the permissions of the folder, so the file's own permissions are checked here.
  await access(path, constants.W_OK);
  return {path: await realpath(path), mode: found.mode & 0o777};
}

/** Like `stat`, but undefined if there is no such file. */
async function statOf(path: string): Promise<Stats | undefined> {
  return stat(path).catch(error => {
    if (error.code !== 'ENOENT') throw error;
    return undefined;
  });
}

async function writeThrough(path: string, bytes: Uint8Array): Promise<void> {
  try {
    const handle = await open(path, 'w');
    try {
      await handle.writeFile(bytes);
    } finally {
      await handle.close();
    }
  } catch (error) {
    throw new FileError(path, error);
  }
}

/**
 * Writes to a pipe. Waits until somebody reads the pipe or `signal` aborts. A blocking open(2) could not be aborted.
 */
async function writePipe(path: string, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  try {
    const handle = await openPipe(path, signal);
    try {
      for (let done = 0; done < bytes.length; ) {
        const written = await unless('EAGAIN', handle.write(bytes, done));
        if (written === undefined) await sleep(STEP_MS, undefined, {signal});
        else done += written.bytesWritten;
      }
    } finally {
      await handle.close();
    }
  } catch (error) {
    signal.throwIfAborted();
    throw new FileError(path, error);
  }
}

/** Opens a pipe for writing. While nobody reads the pipe, open(2) fails with ENXIO, and is tried again. */
async function openPipe(path: string, signal: AbortSignal): Promise<FileHandle> {
  for (;;) {
    const handle = await unless('ENXIO', open(path, constants.O_WRONLY | constants.O_NONBLOCK));
    if (handle !== undefined) return handle;
    await sleep(STEP_MS, undefined, {signal});
  }
}

/** The result of `work`. Undefined if it fails with this error code. */
async function unless<T>(code: string, work: Promise<T>): Promise<T | undefined> {
  return work.catch(error => {
    if (error.code !== code) throw error;
    return undefined;
  });
}

const STEP_MS = 20;

/** Length of the random part that distinguishes temporary names for the same file. */
const MARK_BYTES = 4;
/** Matches temporary names. The owner is optional, because the first version of the program did not write it. */
const LEFT_OVER = new RegExp(`^(.+)\\.(?:(${OWNER_NAME})-)?[0-9a-f]{${2 * MARK_BYTES}}\\.part$`);

/**
 * A temporary name contains at most this many characters of the final name, because file names have at most 255 bytes.
 */
const MOST_NAME = 50;
