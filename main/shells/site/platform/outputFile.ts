import {basename} from './path.ts';

/**
 * Replaces main/files/outputFile.ts in the web edition. The file is in memory until it is complete. Then the browser
 * saves it as a download, under another name if a file of this name exists.
 */
export class OutputFile {
  readonly #name: string;
  readonly #blocks: Uint8Array<ArrayBuffer>[] = [];
  #bytes = 0;

  private constructor(name: string) {
    this.#name = name;
  }

  static create(path: string): Promise<OutputFile> {
    return Promise.resolve(new OutputFile(basename(path)));
  }

  /** Writes bytes at a position, which may be before the end. */
  write(bytes: Uint8Array, position: number): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      const [block, at] = [Math.floor((position + done) / BLOCK_BYTES), (position + done) % BLOCK_BYTES];
      const piece = bytes.subarray(done, done + BLOCK_BYTES - at);
      while (this.#blocks.length <= block) this.#blocks.push(new Uint8Array(BLOCK_BYTES));
      this.#blocks[block]?.set(piece, at);
      done += piece.length;
    }
    this.#bytes = Math.max(this.#bytes, position + bytes.length);
    return Promise.resolve();
  }

  /** Downloads the file. Returns its name. */
  keep(): Promise<string> {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob(this.#blocks).slice(0, this.#bytes));
    link.download = this.#name;
    link.click();
    URL.revokeObjectURL(link.href);
    return Promise.resolve(this.#name);
  }

  discard(): Promise<void> {
    this.#blocks.length = 0;
    return Promise.resolve();
  }
}

/** Does nothing, because unfinished files in a browser leave nothing behind. */
export function sweepFolder(): Promise<void> {
  return Promise.resolve();
}

/** Bytes that are allocated together. */
const BLOCK_BYTES = 1024 * 1024;
