import {closeSync, constants, fstatSync, openSync, readSync} from 'node:fs';
import {gunzipSync} from 'node:zlib';
import {showName} from '../../app/base/text.ts';
import {MOST_FILE_BYTES} from '../../app/run/trace/runFile.ts';

/** Thrown if an input file cannot be used. The message is one line for the user and names the file. */
export class InputError extends Error {
  override readonly name = 'InputError';
}

/**
 * Reads a file that the user named, and unpacks it if it is gzip (RFC 1952). A pipe is read until the writer closes it.
 * A file may have at most {@link LARGEST_BYTES}, both packed and unpacked.
 * @throws InputError if the file cannot be used, or NodeJS.ErrnoException if it cannot be opened or read
 */
export function readInput(path: string): Uint8Array {
  const name = showName(path, 200);
  // Opening a FIFO without O_NONBLOCK would block until somebody writes to it.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(file);
    if (stats.isDirectory()) throw new InputError(`${name}: is a folder`);
    if (!stats.isFile() && !stats.isFIFO()) throw new InputError(`${name}: is a device, not a file`);
    if (stats.size > LARGEST_BYTES) {
      throw new InputError(`${name}: has ${stats.size} bytes (at most ${LARGEST_BYTES})`);
    }
    return unpacked(name, readAll(name, file, stats.isFIFO()));
  } finally {
    closeSync(file);
  }
}

function readAll(name: string, file: number, isPipe: boolean): Buffer {
  const pieces: Buffer[] = [];
  let done = 0;
  for (let waitedMs = 0; done <= LARGEST_BYTES; ) {
    const piece = readPiece(file);
    if (piece === 'nothing yet' || (piece.length === 0 && isPipe && done === 0)) {
      // The writer of a pipe may start or continue later.
      if (waitedMs >= PATIENCE_MS) throw new InputError(`${name}: no data arrived in ${PATIENCE_MS / 1000} s`);
      waitedMs += STEP_MS;
      Atomics.wait(SLEEPER, 0, 0, STEP_MS);
    } else if (piece.length === 0) return Buffer.concat(pieces);
    else {
      // The bytes are copied. Otherwise a pipe that delivers single bytes would keep a whole buffer for each byte.
      pieces.push(Buffer.from(piece));
      done += piece.length;
      waitedMs = 0;
    }
  }
  throw new InputError(`${name}: has more than ${LARGEST_BYTES} bytes`);
}

function readPiece(file: number): Buffer | 'nothing yet' {
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  try {
    return piece.subarray(0, readSync(file, piece, 0, PIECE_BYTES, null));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 'nothing yet';
    throw error;
  }
}

function unpacked(name: string, bytes: Buffer): Uint8Array {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes, {maxOutputLength: LARGEST_BYTES});
  } catch (error) {
    const isLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
    throw new InputError(
      `${name}: ${isLarge ? `unpacked, it has more than ${LARGEST_BYTES} bytes` : 'damaged gzip file'}`,
    );
  }
}

/**
 * Largest size of a file, in bytes. It is far above the size of usual files: the default demo's trace has 40 KB, and a
 * trace with 200 objects has 10 MB.
 */
const LARGEST_BYTES = MOST_FILE_BYTES;
const PIECE_BYTES = 64 * 1024;
const PATIENCE_MS = 5000;
const STEP_MS = 20;
const SLEEPER = new Int32Array(new SharedArrayBuffer(4));
