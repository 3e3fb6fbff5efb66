import {readFile, stat} from 'node:fs/promises';
import {join} from 'node:path';
import type {Json} from '../../app/base/json.ts';
import {makeFolders} from '../files/makeFolder.ts';
import {OutputFile} from '../files/outputFile.ts';

/**
 * The file in which windows store what they need to know when the program is started again. Several programs that run
 * at the same time share the file. The content is that of the program that wrote last.
 */
export class RememberedFile {
  readonly #folder: string;
  readonly #path: string;
  #work: Promise<unknown> = Promise.resolve();

  constructor(userFolder: string) {
    this.#folder = userFolder;
    this.#path = join(userFolder, 'window.json');
  }

  /**
   * Returns what is stored: null if there is no file, and an empty object if the file cannot be read, is damaged or is
   * too large.
   */
  async read(): Promise<Json> {
    await this.#work;
    try {
      const {size} = await stat(this.#path);
      if (size > LARGEST_BYTES) return {};
      return JSON.parse(await readFile(this.#path, 'utf8')) as Json;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : {};
    }
  }

  /**
   * Replaces what is stored. @throws RangeError if it is too large; FileError or a system error if it cannot be written
   */
  write(remembered: unknown): Promise<void> {
    const bytes = Buffer.from(JSON.stringify(remembered ?? {}));
    if (bytes.length > LARGEST_BYTES) {
      throw new RangeError(`what is to be remembered has ${bytes.length} bytes (at most ${LARGEST_BYTES})`);
    }
    const done = this.#work.then(async () => {
      makeFolders(this.#folder, 0o700);
      const file = await OutputFile.create(this.#path);
      await file.write(bytes, 0);
      await file.keep();
    });
    this.#work = done.catch(() => undefined);
    return done;
  }

  /** Resolves when all calls of {@link write} have ended, even if one of them failed. */
  async close(): Promise<void> {
    await this.#work;
  }
}

/** Largest size of the file, in bytes. A scenario's file has at most 4 MiB. */
const LARGEST_BYTES = 8 * 1024 * 1024;
