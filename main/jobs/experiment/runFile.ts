import {closeSync, createReadStream, fdatasync, fstatSync, ftruncateSync, openSync, writeSync} from 'node:fs';
import {promisify} from 'node:util';
import {type RunRow, readRow} from '../../../app/study/experiment/row.ts';
import {FileError} from '../../files/fileError.ts';

/**
 * Yields the rows of `runs.ndjson` in order, up to the first line that is incomplete or is not a row. `metrics` is the
 * number of metrics in a row for each pane. `endByte` is the offset in the file at which the row's line has ended.
 */
export async function* readRows(path: string, metrics: number): AsyncGenerator<RunRow & {endByte: number}> {
  let [endByte, text] = [0, ''];
  for await (const piece of createReadStream(path, {encoding: 'latin1', highWaterMark: PIECE_BYTES})) {
    const lines = (text + piece).split('\n');
    text = lines.pop() ?? '';
    if (text.length > LONGEST_LINE) return;
    for (const line of lines) {
      // in Latin-1 each character is a byte
      endByte += line.length + 1;
      const row = readRow(Buffer.from(line, 'latin1').toString(), metrics);
      if (row === undefined) return;
      yield {...row, endByte};
    }
  }
}

/** A file to which lines are appended. Appended lines remain in the file even if the program is killed. */
export class RunFile {
  readonly #path: string;
  readonly #file: number;
  #bytes: number;
  #syncing: Promise<void> | null = null;
  #failure: FileError | null = null;

  /** Opens the file to append after its first `bytes` bytes, and drops everything after them. @throws FileError */
  constructor(path: string, bytes: number) {
    this.#path = path;
    this.#bytes = bytes;
    this.#file = this.#try(() => openSync(path, 'a'));
    this.#try(() => ftruncateSync(this.#file, bytes));
  }

  /**
   * Appends a text.
   * @throws FileError, for example if the disk is full. In that case the file may contain a part of the text
   */
  append(text: string): void {
    if (this.#failure !== null) throw this.#failure;
    const bytes = Buffer.from(text);
    for (let done = 0; done < bytes.length; ) {
      done += this.#try(() => writeSync(this.#file, bytes, done));
    }
    this.#bytes += bytes.length;
  }

  /**
   * Starts flushing the file to the disk, unless a flush is in progress. Flushed content survives a crash of the
   * machine.
   */
  sync(): void {
    this.#syncing ??= promisify(fdatasync)(this.#file)
      .catch((error: unknown) => {
        this.#failure = new FileError(this.#path, error);
      })
      .finally(() => {
        this.#syncing = null;
      });
  }

  /** Resolves when all content is flushed to the disk. @throws FileError */
  async finish(): Promise<void> {
    await this.#syncing;
    this.sync();
    await this.#syncing;
    if (this.#failure !== null) throw this.#failure;
  }

  /** Truncates the file after the last complete text, and closes it. */
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
/**
 * Longest part of a line that is kept while the end of the line is not read yet, in characters. Rows are far shorter.
 * Without this limit, a file of another kind that has no line ends would be kept whole.
 */
const LONGEST_LINE = 1024 * 1024;
