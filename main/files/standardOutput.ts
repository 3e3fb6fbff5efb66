import {fstatSync, writeSync} from 'node:fs';
import {setTimeout as sleep} from 'node:timers/promises';
import {FileError} from './fileError.ts';

/**
 * Writes all bytes to standard output. If it is a pipe and nobody reads it, the signal ends the wait.
 * @throws FileError, with code EPIPE if the reader has closed the pipe; the signal's reason after an abort
 */
export async function writeOut(bytes: string | Uint8Array, signal?: AbortSignal): Promise<void> {
  try {
    const to = fstatSync(STDOUT);
    // `process.stdout` treats a partial write to a file as complete. Writes are partial if the disk becomes full. So
    // `writeAll` is used for files, and for devices that are not terminals.
    if (to.isFile() || (to.isCharacterDevice() && !process.stdout.isTTY)) writeAll(Buffer.from(bytes));
    else if (signal !== undefined && (to.isFIFO() || to.isSocket())) await writePipe(Buffer.from(bytes), signal);
    else await writeStream(bytes);
  } catch (error) {
    signal?.throwIfAborted();
    throw new FileError('standard output', error);
  }
}

function writeAll(bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(STDOUT, bytes, done);
}

/**
 * Writes to a pipe as long as it has room, and waits for its reader. A write of `process.stdout` could not be ended, and
 * would keep the process alive until the pipe is read.
 */
async function writePipe(bytes: Uint8Array, signal: AbortSignal): Promise<void> {
  void process.stdout.fd; // when Node opens this stream, it makes the pipe non-blocking
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(STDOUT, bytes, done);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      await sleep(STEP_MS, undefined, {signal});
    }
  }
}

function writeStream(bytes: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.once('error', reject);
    process.stdout.write(bytes, error => {
      if (error) return reject(error);
      process.stdout.off('error', reject);
      resolve();
    });
  });
}

const STDOUT = 1;
/** A pipe has room for 64 KiB, so a reader gets up to 64 MB/s. */
const STEP_MS = 1;
