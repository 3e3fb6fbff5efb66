import {readlinkSync, rmSync, symlinkSync} from 'node:fs';
import {hostname} from 'node:os';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {FileError} from '../../files/fileError.ts';
import {isAlive, startOf} from '../../setup/owner.mjs';
import {ExperimentError} from './experimentError.ts';

/** Its name in the folder. */
export const LOCK = 'lock';

/**
 * Takes a folder for this process alone; gives what lets go of it. A holder that is dead, killed or gone with its
 * machine's boot, has lost it.
 * @throws ExperimentError if another program has it. @throws FileError if nothing can be written there.
 */
export async function lockFolder(folder: string): Promise<() => void> {
  const lock = join(folder, LOCK);
  const self = holderName(process.pid);
  for (;;) {
    if (makeLink(self, lock)) {
      // another one may just have found the last holder dead, too, and remove this lock
      await sleep(20);
      if (holderOf(lock) === self) return () => letGo(lock, self);
    }
    const holder = holderOf(lock);
    if (holder === undefined) continue;
    if (isHeld(holder)) throw new ExperimentError(heldText(folder, holder));
    rmSync(lock, {force: true});
  }
}

/** Of this machine: `HOST:PID:START`, as numbers of processes come again. A link is made at once with what it says. */
function holderName(pid: number): string {
  return `${hostname()}:${pid}:${startOf(pid) ?? ''}`;
}

/** False if there is one. */
function makeLink(text: string, path: string): boolean {
  try {
    symlinkSync(text, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw new FileError(path, error);
  }
}

function letGo(lock: string, self: string): void {
  if (holderOf(lock) === self) rmSync(lock, {force: true});
}

/** Undefined if nobody has it; empty if it is no link. */
function holderOf(lock: string): string | undefined {
  try {
    return readlinkSync(lock);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? undefined : '';
  }
}

/** Of a holder on another machine nothing can be known. */
function isHeld(holder: string): boolean {
  const {host, pid} = partsOf(holder);
  return host !== hostname() || (isAlive(pid) && holder === holderName(pid));
}

function heldText(folder: string, holder: string): string {
  const {host, pid} = partsOf(holder);
  if (host === hostname()) return `${folder} is in use by process ${pid}`;
  const who = host === '' ? 'somebody' : `process ${pid} on ${host}`;
  return `${folder} is in use by ${who}; if that has ended, remove ${join(folder, LOCK)}`;
}

function partsOf(holder: string): {readonly host: string; readonly pid: number} {
  const [, host = '', pid] = /^(.*):(\d+):\d*$/.exec(holder) ?? [];
  return {host, pid: Number(pid)};
}
