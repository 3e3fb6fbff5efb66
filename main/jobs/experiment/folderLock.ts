import {rmSync} from 'node:fs';
import {hostname} from 'node:os';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {FileError} from '../../files/fileError.ts';
import {isAlive, startOf} from '../../setup/owner.mjs';
import {makeTextLink, readTextLink} from '../../setup/textLink.mjs';
import {ExperimentError} from './experimentError.ts';

/** The lock's name in the folder. */
export const LOCK = 'lock';

/**
 * Locks a folder for this process. Returns a function that releases the lock. If the lock's holder ran on this machine
 * and has ended (because it was killed or the machine was restarted), the lock is replaced.
 * @throws ExperimentError if the lock is held. @throws FileError if the folder cannot be written to
 */
export async function lockFolder(folder: string): Promise<() => void> {
  const lock = join(folder, LOCK);
  const self = holderName(process.pid);
  for (;;) {
    if (makeLink(self, lock)) {
      // Another process may also have found that the last holder has ended, and may remove this lock.
      await sleep(20);
      if (holderOf(lock) === self) return () => releaseLock(lock, self);
    }
    const holder = holderOf(lock);
    if (holder === undefined) continue;
    if (isHeld(holder)) throw new ExperimentError(heldText(folder, holder));
    rmSync(lock, {force: true});
  }
}

/**
 * Names a process of this machine as `HOST:PID:START`. The name contains the start time, because process ids are
 * reused.
 */
function holderName(pid: number): string {
  return `${hostname()}:${pid}:${startOf(pid) ?? ''}`;
}

/** Creates a link that contains a text, in a single step. Returns false if the link already exists. */
function makeLink(text: string, path: string): boolean {
  try {
    makeTextLink(text, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw new FileError(path, error);
  }
}

function releaseLock(lock: string, self: string): void {
  if (holderOf(lock) === self) rmSync(lock, {force: true});
}

/**
 * Returns the holder of the lock. Returns undefined if there is no lock, and an empty text if the lock is not a link
 * that can be read.
 */
function holderOf(lock: string): string | undefined {
  try {
    return readTextLink(lock);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : '';
  }
}

/**
 * Whether the holder still has the lock. A holder on another machine counts as alive, because nothing is known about
 * it.
 */
function isHeld(holder: string): boolean {
  const {host, pid} = partsOf(holder);
  return host !== hostname() || (isAlive(pid) && holder === holderName(pid));
}

function heldText(folder: string, holder: string): string {
  const {host, pid} = partsOf(holder);
  if (host === hostname()) return `${folder} is in use by process ${pid}`;
  const who = host === '' ? 'an unknown process' : `process ${pid} on ${host}`;
  return `${folder} is in use by ${who}; if that process has ended, remove ${join(folder, LOCK)}`;
}

function partsOf(holder: string): {readonly host: string; readonly pid: number} {
  const [, host = '', pid] = /^(.*):(\d+):\d*$/.exec(holder) ?? [];
  return {host, pid: Number(pid)};
}
