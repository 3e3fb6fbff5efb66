import {closeSync, createReadStream, fdatasync, fstatSync, ftruncateSync, openSync, writeSync} from 'node:fs';
import {promisify} from 'node:util';
import {type RunRow, readRow} from '../../../app/study/experiment/row.ts';
import {FileError} from '../../files/fileError.ts';

/** The rows of `runs.ndjson` in their order, as far as they are whole. */
export async function* readRows(path: string, metrics: number): AsyncGenerator<RunRow & {endByte: number}> {
  let [endByte, text] = [0, ''];
  for await (const piece of createReadStream(path, {encoding: 'latin1', highWaterMark: PIECE_BYTES})) {
    const lines = (text + piece).split('\n');
    text = lines.pop() ?? '';
    if (text.length > LONGEST_LINE) return;
    for (const line of lines) {
      // in Latin-1 a character is a byte
      endByte += line.length + 1;
      const row = readRow(Buffer.from(line, 'latin1').toString(), metrics);
      if (row === undefined) return;
      yield {...row, endByte};
    }
  }
}

/** A file that only grows, line by line; what is in it stays, whatever becomes of the program. */
export class RunFile {
  readonly #path: string;
  readonly #file: number;
  #bytes: number;
  #syncing: Promise<void> | null = null;
  #failure: FileError | null = null;

  /** Goes on after the first `bytes`, and drops what comes after them. @throws FileError */
  constructor(path: string, bytes: number) {
    this.#path = path;
    this.#bytes = bytes;
    this.#file = this.#try(() => openSync(path, 'a'));
    this.#try(() => ftruncateSync(this.#file, bytes));
  }

  /** @throws FileError, for example when the disk is full; a part of the text can be there then. */
  append(text: string): void {
    if (this.#failure !== null) throw this.#failure;
    const bytes = Buffer.from(text);
    for (let done = 0; done < bytes.length; ) {
      done += this.#try(() => writeSync(this.#file, bytes, done));
    }
    this.#bytes += bytes.length;
  }

  /** Begins to have what is there outlive the machine's end, too, unless that is under way. */
  sync(): void {
    this.#syncing ??= promisify(fdatasync)(this.#file)
      .catch((error: unknown) => {
        this.#failure = new FileError(this.#path, error);
      })
      .finally(() => {
        this.#syncing = null;
      });
  }

  /** All is on the disk. @throws FileError */
  async finish(): Promise<void> {
    await this.#syncing;
    this.sync();
    await this.#syncing;
    if (this.#failure !== null) throw this.#failure;
  }

  /** Ends the file after the last text that was written whole. */
  async close(): Promise<void> {
    await this.#syncing;
    if (fstatSync(this.#file).size > this.#bytes) ftruncateSync(this.#file, this.#bytes);
    closeSync(this.#file);
  }

  #try<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw new FileError(this.#path, error);
    }
  }
}

const PIECE_BYTES = 128 * 1024;
/** Far longer than any row: a file that is none of ours is not read into memory as one line. */
const LONGEST_LINE = 1024 * 1024;
