import {LARGEST_PIECE_BYTES, MOST_SENT_BYTES} from '../../app/host/contract.ts';
import type {OpenedFile} from '../pages/open/openFiles.ts';

/**
 * The files that windows send in pieces. They are kept in memory until they are opened. Files that are opened together
 * belong to one opening, for which the window chooses a name.
 */
export class SentFiles {
  /** The pieces of files, keyed by the opening's name and then by path. The newest opening is at the end. */
  readonly #sent = new Map<string, Map<string, Uint8Array[]>>();
  readonly #decode: (base64: string) => Uint8Array;
  #bytes = 0;

  /** `decode` decodes base64. By default Node's `Buffer` is used. */
  constructor(decode = (base64: string): Uint8Array => Buffer.from(base64, 'base64')) {
    this.#decode = decode;
  }

  /**
   * Adds a piece of a file. @throws TypeError if the arguments are not strings. @throws RangeError if the path is too
   * long or the piece is too large, or if too many bytes or files were sent
   */
  add(opening: string, path: unknown, base64: unknown): void {
    if (typeof path !== 'string' || typeof base64 !== 'string')
      throw new TypeError('the path and the content of a piece must be strings');
    if (path.length > LONGEST_PATH) throw new RangeError(`a path has at most ${LONGEST_PATH} characters`);
    const piece = this.#decode(base64);
    if (piece.length > LARGEST_PIECE_BYTES) throw new RangeError(`a piece has at most ${LARGEST_PIECE_BYTES} bytes`);
    const files = this.#sent.get(opening) ?? new Map<string, Uint8Array[]>();
    const isNew = !files.has(path);
    if (isNew && files.size >= MOST_FILES) throw new RangeError(`there are more than ${MOST_FILES} files`);
    this.#makeRoom(opening, piece.length);
    this.#bytes += piece.length;
    this.#sent.set(opening, files.set(path, [...(files.get(path) ?? []), piece]));
  }

  /** Returns the files that were sent for an opening, and forgets them. */
  take(opening: string): readonly OpenedFile[] {
    const files = [...(this.#sent.get(opening) ?? [])];
    this.#sent.delete(opening);
    const taken = files.map(([path, pieces]) => ({path, bytes: joined(pieces)}));
    this.#bytes -= taken.reduce((sum, {bytes}) => sum + bytes.length, 0);
    return taken;
  }

  /**
   * Forgets other openings, the oldest first, until there is room for these bytes and for this opening. A window that
   * is closed while it sends files leaves an opening here, because it never opens these files.
   * @throws RangeError if this opening alone has too many bytes. This opening is then forgotten as well
   */
  #makeRoom(opening: string, bytes: number): void {
    const others = [...this.#sent.keys()].filter(each => each !== opening);
    while (this.#bytes + bytes > MOST_SENT_BYTES || others.length >= MOST_OPENINGS) {
      const oldest = others.shift();
      this.take(oldest ?? opening);
      if (oldest === undefined) throw new RangeError(`the files have more than ${MOST_SENT_BYTES} bytes`);
    }
  }
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((sum, {length}) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

const LONGEST_PATH = 4096;

/** Largest number of files of an opening. A page has far fewer, but a folder may have many. */
const MOST_FILES = 20_000;

const MOST_OPENINGS = 4;
