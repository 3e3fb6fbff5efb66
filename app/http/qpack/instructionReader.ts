import {joinedBytes} from '../buffers.ts';
import {BlockReader, EndsEarlyError, HpackError} from '../hpack/primitives.ts';
import {QpackError, type QpackErrorCode} from './qpackError.ts';

/**
 * Reads the instructions of an encoder stream or decoder stream (RFC 9204 §4.2), which arrive in pieces of any size.
 */
export class InstructionReader {
  readonly #code: QpackErrorCode;
  readonly #mostBytes: number;
  /** The beginning of an instruction that is incomplete. */
  #held: Uint8Array = NOTHING;

  /**
   * `code` is the code of the errors. `mostTextBytes` is the largest encoded size of all strings of an instruction
   * together, in bytes. The size of an instruction is limited to these strings and {@link MOST_NUMBER_BYTES}. An
   * incomplete instruction that exceeds this limit is an error.
   */
  constructor(code: QpackErrorCode, mostTextBytes: number) {
    this.#code = code;
    this.#mostBytes = mostTextBytes + MOST_NUMBER_BYTES;
  }

  /** Calls `next` for each complete instruction. `next` must read exactly one instruction. @throws QpackError */
  read(bytes: Uint8Array, next: (reader: BlockReader) => void): void {
    const all = this.#held.length === 0 ? bytes : joinedBytes([this.#held, bytes]);
    const reader = new BlockReader(all);
    let at = 0;
    try {
      while (!reader.isDone) {
        next(reader);
        at = reader.at;
      }
    } catch (error) {
      if (!(error instanceof HpackError)) throw error;
      if (!(error instanceof EndsEarlyError)) throw new QpackError(this.#code, error.message);
    }
    this.#hold(all.slice(at));
  }

  /** Keeps the bytes after the last complete instruction. */
  #hold(bytes: Uint8Array): void {
    if (bytes.length > this.#mostBytes)
      throw new QpackError(this.#code, `an instruction of more than ${this.#mostBytes} bytes`);
    this.#held = bytes;
  }
}

const NOTHING = new Uint8Array(0);
/**
 * The largest number of bytes of all integers in an instruction. No instruction has more than three integers, and each
 * has at most five bytes.
 */
const MOST_NUMBER_BYTES = 3 * 5;
