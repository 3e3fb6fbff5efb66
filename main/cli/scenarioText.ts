import {closeSync, constants, fstatSync, openSync, readSync} from 'node:fs';
import {showName} from '../../app/scenario/show.ts';
import {UsageError} from './usageError.ts';

/**
 * The text of a scenario file; of a pipe, what comes until it is closed.
 * @throws UsageError if it is none. @throws NodeJS.ErrnoException if it cannot be opened.
 */
export function readScenarioText(path: string): string {
  const name = showName(path, 200);
  // a FIFO that nobody writes to would keep us
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(file);
    if (stats.isDirectory()) throw new UsageError(`${name}: is a folder`);
    if (!stats.isFile() && !stats.isFIFO()) throw new UsageError(`${name}: is a device, and no file`);
    if (stats.size > LARGEST_BYTES) {
      throw new UsageError(`${name}: has ${stats.size} bytes (at most ${LARGEST_BYTES})`);
    }
    return decode(name, readAll(name, file, stats.isFIFO()));
  } finally {
    closeSync(file);
  }
}

function readAll(name: string, file: number, isPipe: boolean): Buffer {
  const bytes = Buffer.alloc(LARGEST_BYTES + 1);
  let done = 0;
  for (let waitedMs = 0; done < bytes.length; ) {
    const read = readSome(file, bytes, done);
    if (read === 'nothing yet' || (read === 0 && isPipe && done === 0)) {
      // whoever writes may come late
      if (waitedMs >= PATIENCE_MS) throw new UsageError(`${name}: nothing came in ${PATIENCE_MS / 1000} s`);
      waitedMs += STEP_MS;
      Atomics.wait(SLEEPER, 0, 0, STEP_MS);
    } else if (read === 0) return bytes.subarray(0, done);
    else {
      done += read;
      waitedMs = 0;
    }
  }
  throw new UsageError(`${name}: has more than ${LARGEST_BYTES} bytes`);
}

function readSome(file: number, bytes: Buffer, at: number): number | 'nothing yet' {
  try {
    return readSync(file, bytes, at, bytes.length - at, null);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 'nothing yet';
    throw error;
  }
}

function decode(name: string, bytes: Buffer): string {
  if (bytes.length === 0) throw new UsageError(`${name}: is empty`);
  try {
    return new TextDecoder('utf-8', {fatal: true}).decode(bytes);
  } catch {
    throw new UsageError(`${name}: not JSON: not UTF-8`);
  }
}

/** As the window takes them. */
const LARGEST_BYTES = 4 * 1024 * 1024;
const PATIENCE_MS = 5000;
const STEP_MS = 20;
const SLEEPER = new Int32Array(new SharedArrayBuffer(4));
