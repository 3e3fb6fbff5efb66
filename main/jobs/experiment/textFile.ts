import {OutputFile} from '../../files/outputFile.ts';

/** A text file that appears only when it is complete. It is written from beginning to end, in large pieces. */
export class TextFile {
  readonly #file: OutputFile;
  #pieces: string[] = [];
  #waiting = 0;
  #bytes = 0;

  private constructor(file: OutputFile) {
    this.#file = file;
  }

  /** @throws FileError */
  static async create(path: string): Promise<TextFile> {
    return new TextFile(await OutputFile.create(path));
  }

  async write(text: string): Promise<void> {
    this.#pieces.push(text);
    this.#waiting += text.length;
    if (this.#waiting >= PIECE_CHARACTERS) await this.#flush();
  }

  async keep(): Promise<void> {
    await this.#flush();
    await this.#file.keep();
  }

  async discard(): Promise<void> {
    await this.#file.discard();
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.from(this.#pieces.join(''));
    [this.#pieces, this.#waiting] = [[], 0];
    await this.#file.write(bytes, this.#bytes);
    this.#bytes += bytes.length;
  }
}

const PIECE_CHARACTERS = 256 * 1024;
