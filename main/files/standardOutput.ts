import {fstatSync, writeSync} from 'node:fs';
import {FileError} from './fileError.ts';

/** Writes all bytes to standard output. @throws FileError, with code EPIPE if the reader has closed the pipe */
export async function writeOut(bytes: string | Uint8Array): Promise<void> {
  try {
    const to = fstatSync(STDOUT);
    // `process.stdout` treats a partial write to a file as complete. Writes are partial if the disk becomes full. So
    // `writeAll` is used for files, and for devices that are not terminals.
    if (to.isFile() || (to.isCharacterDevice() && !process.stdout.isTTY)) writeAll(Buffer.from(bytes));
    else await writeStream(bytes);
  } catch (error) {
    throw new FileError('standard output', error);
  }
}

function writeAll(bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(STDOUT, bytes, done);
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
