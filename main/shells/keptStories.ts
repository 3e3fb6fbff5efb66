import {mkdir, readFile, stat} from 'node:fs/promises';
import {join} from 'node:path';
import {writeWhole} from '../files/outputFile.ts';

/** The stories that a window's user writes, kept in a file that is there whole or not at all. */
export class KeptStories {
  readonly #folder: string;
  readonly #path: string;
  #writing: Promise<void> = Promise.resolve();
  /** There is something in its place that could not be read. */
  #isUnread = false;

  constructor(folder: string) {
    this.#folder = folder;
    this.#path = join(folder, 'stories.json');
  }

  /** Null without any, or if they cannot be read: a window opens all the same. */
  async read(): Promise<string | null> {
    await this.#writing.catch(() => undefined);
    return this.#read();
  }

  async #read(): Promise<string | null> {
    try {
      const {size} = await stat(this.#path);
      const text = size > LARGEST_BYTES ? null : await readFile(this.#path, 'utf8');
      this.#isUnread = text === null;
      return text;
    } catch (error) {
      this.#isUnread = (error as NodeJS.ErrnoException).code !== 'ENOENT';
      return null;
    }
  }

  /**
   * In the order of the calls. What could not be read is never written over.
   * @throws TypeError, RangeError if it is no such text; FileError; Error if something is there that cannot be read
   */
  async keep(text: unknown): Promise<void> {
    if (typeof text !== 'string') throw new TypeError('stories are a text');
    const bytes = Buffer.from(text);
    if (bytes.length > LARGEST_BYTES) {
      throw new RangeError(`the stories have ${bytes.length} bytes (at most ${LARGEST_BYTES})`);
    }
    const write = this.#writing
      .catch(() => undefined)
      .then(async () => {
        // somebody may have moved it away
        if (this.#isUnread) await this.#read();
        if (this.#isUnread) throw new Error(`${this.#path} cannot be read, and is left as it is`);
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
