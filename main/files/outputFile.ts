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

/** What happens to an existing file of that name: it is replaced, or it is kept and the new one gets a number. */
export type Existing = 'replaced' | 'kept';

/** A file that is either there whole or not at all: it is written beside its place and then moved there. */
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

  /** @throws FileError if nothing can be written there */
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

  /** @throws FileError, for example if the disk is full */
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

  /** Moves the file into its place, and returns its path. @throws FileError */
  async keep(): Promise<string> {
    try {
      // some disks report only now that they are full
      await this.#handle.sync();
      await this.#handle.close();
      if (this.#existing === 'kept') return await this.#moveBeside();
      await rename(this.#temporary, this.#path);
      return this.#path;
    } catch (error) {
      throw new FileError(this.#path, error);
    }
  }

  /** Removes what was written. After {@link keep} it does nothing. */
  async discard(): Promise<void> {
    await this.#handle.close().catch(() => undefined);
    await rm(this.#temporary, {force: true});
  }

  /** Moves the file to the first name that is free at that moment. */
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

/** A temporary name beside a place, for a file that is moved there when it is complete. */
export function temporaryBeside(place: string): string {
  const mark = `${ownerName()}-${randomBytes(MARK_BYTES).toString('hex')}`;
  return join(dirname(place), `${basename(place).slice(0, MOST_NAME)}.${mark}.part`);
}

/**
 * The name of the file that this one was to become, if a program was killed while it wrote an {@link OutputFile}:
 * perhaps only the name's beginning. Undefined for other files.
 */
export function leftOverOf(name: string): string | undefined {
  return LEFT_OVER.exec(name)?.[1];
}

/** Whether the name is a {@link temporaryBeside} whose process has ended. */
export function isLeftBehind(name: string): boolean {
  const [, , owner] = LEFT_OVER.exec(name) ?? [];
  return owner !== undefined && hasEnded(owner);
}

/** Removes partly written files that killed programs left in a folder. It looks once per process and folder. */
export async function sweepFolder(folder: string): Promise<void> {
  if (swept.has(folder)) return;
  swept.add(folder);
  const names = await readdir(folder).catch(() => []);
  // unlink does not remove folders: the store removes its own
  for (const name of names.filter(isLeftBehind)) await unlink(join(folder, name)).catch(() => undefined);
}

const swept = new Set<string>();

/** Writes a whole file, unless `signal` aborts. Devices and pipes are written to directly. @throws FileError */
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

/** Writes a new file. False, with nothing left behind, if one of that name exists. @throws FileError */
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

/** Moves a file to a free name. Rejects with EEXIST if the name is taken, where rename() would replace the file. */
async function moveToFree(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
    await rm(from);
  } catch (error) {
    if (!NO_LINKS.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    // some file systems, FAT for one, have no links: take the name first, then move the file there
    await (await open(to, 'wx')).close();
    await rename(from, to);
  }
}

const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK']);

/** The real path of the file that is to be replaced, and its mode. */
async function replaceable(path: string, found: Stats): Promise<{path: string; mode: number}> {
  if (found.isDirectory()) throw Object.assign(new Error('a folder'), {code: 'EISDIR'});
  if (!found.isFile()) throw new Error('it is a device or a pipe');
  // rename() needs rights for the folder only, so the file's own are checked here
  await access(path, constants.W_OK);
  return {path: await realpath(path), mode: found.mode & 0o777};
}

/** Undefined if nothing is there. */
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

/** Waits until somebody reads the pipe or `signal` aborts. A plain open() would block and could not be aborted. */
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

/** Opens the pipe for writing. open(2) fails with ENXIO as long as nobody reads it. */
async function openPipe(path: string, signal: AbortSignal): Promise<FileHandle> {
  for (;;) {
    const handle = await unless('ENXIO', open(path, constants.O_WRONLY | constants.O_NONBLOCK));
    if (handle !== undefined) return handle;
    await sleep(STEP_MS, undefined, {signal});
  }
}

/** The work's result. Undefined if it fails with that code. */
async function unless<T>(code: string, work: Promise<T>): Promise<T | undefined> {
  return work.catch(error => {
    if (error.code !== code) throw error;
    return undefined;
  });
}

const STEP_MS = 20;

/** Length of the random mark that tells temporary files of one name apart. */
const MARK_BYTES = 4;
/** The owner is optional because the first version did not write it. */
const LEFT_OVER = new RegExp(`^(.+)\\.(?:(${OWNER_NAME})-)?[0-9a-f]{${2 * MARK_BYTES}}\\.part$`);

/** Most characters that a temporary name takes from the file's. A name has at most 255 bytes. */
const MOST_NAME = 50;
