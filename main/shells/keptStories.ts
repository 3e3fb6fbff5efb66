import {mkdir, readFile, stat} from 'node:fs/promises';
import {join} from 'node:path';
import {writeWhole} from '../files/outputFile.ts';

/** The stories that a window's user writes, kept in a file that is there whole or not at all. */
export class KeptStories {
  readonly #folder: string;
  readonly #path: string;
  #writing: Promise<void> = Promise.resolve();

  constructor(folder: string) {
    this.#folder = folder;
    this.#path = join(folder, 'stories.json');
  }

  /** Null without any, or if they cannot be read: a window opens all the same. */
  async read(): Promise<string | null> {
    await this.#writing.catch(() => undefined);
    try {
      const {size} = await stat(this.#path);
      return size > LARGEST_BYTES ? null : await readFile(this.#path, 'utf8');
    } catch {
      return null;
    }
  }

  /** In the order of the calls. @throws TypeError, RangeError if it is no such text; FileError */
  async keep(text: unknown): Promise<void> {
    if (typeof text !== 'string') throw new TypeError('stories are a text');
    const bytes = Buffer.from(text);
    if (bytes.length > LARGEST_BYTES) {
      throw new RangeError(`the stories have ${bytes.length} bytes (at most ${LARGEST_BYTES})`);
    }
    const write = this.#writing
      .catch(() => undefined)
      .then(async () => {
        await mkdir(this.#folder, {recursive: true, mode: 0o700});
        await writeWhole(this.#path, bytes, new AbortController().signal);
      });
    this.#writing = write;
    return write;
  }

  /** Kept when what was given is there. */
  async close(): Promise<void> {
    await this.#writing.catch(() => undefined);
  }
}

/** Twenty of them, each of many steps; a larger one is still a file that can be saved. */
const LARGEST_BYTES = 8 * 1024 * 1024;
