import {randomBytes} from 'node:crypto';
import {type FileHandle, open, rename, rm} from 'node:fs/promises';
import {MovieError} from './studio.ts';

/** A file that is there whole, or not at all: written beside its place, then renamed into it. */
export class OutputFile {
  readonly path: string;
  readonly #temporary: string;
  readonly #handle: FileHandle;

  private constructor(path: string, temporary: string, handle: FileHandle) {
    this.path = path;
    this.#temporary = temporary;
    this.#handle = handle;
  }

  /** @throws MovieError if nothing can be written there. */
  static async create(path: string): Promise<OutputFile> {
    const temporary = `${path}.${randomBytes(4).toString('hex')}.part`;
    try {
      return new OutputFile(path, temporary, await open(temporary, 'wx'));
    } catch (error) {
      throw cannotWrite(path, error);
    }
  }

  /** @throws MovieError, for example when the disk is full. */
  async write(bytes: Uint8Array, position: number): Promise<void> {
    try {
      for (let done = 0; done < bytes.length; ) {
        const {bytesWritten} = await this.#handle.write(bytes, done, bytes.length - done, position + done);
        done += bytesWritten;
      }
    } catch (error) {
      throw cannotWrite(this.path, error);
    }
  }

  /** Puts it into its place. */
  async keep(): Promise<void> {
    try {
      await this.#handle.close();
      await rename(this.#temporary, this.path);
    } catch (error) {
      throw cannotWrite(this.path, error);
    }
  }

  /** Leaves nothing; after {@link keep} it does nothing. */
  async discard(): Promise<void> {
    await this.#handle.close().catch(() => undefined);
    await rm(this.#temporary, {force: true});
  }
}

function cannotWrite(path: string, error: unknown): MovieError {
  const {code, message} = error as NodeJS.ErrnoException;
  const why = REASONS[code ?? ''] ?? message;
  return new MovieError(`cannot write ${path}: ${why}`);
}

const REASONS: {readonly [code: string]: string} = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EACCES: 'not allowed there',
  EPERM: 'not allowed there',
  EROFS: 'the file system is read-only',
  ENOENT: 'there is no such folder',
  ENOTDIR: 'there is no such folder',
  EISDIR: 'it is a folder',
};
