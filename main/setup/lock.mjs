import {lstatSync, lutimesSync, mkdirSync, readlinkSync, rmSync, symlinkSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {root} from './command.mjs';
import {isAlive} from './owner.mjs';

/**
 * Does a work of the set-up unless it is done, and never in two processes at once: who comes second waits, and
 * finds it done. A checkout in which nothing is to be done is not written to.
 *
 * @param {() => boolean} isDone
 * @param {() => Promise<void>} work leaves the event loop free: the lock is kept fresh from there
 * @param {{lock?: string, deadMs?: number}} [options] `lock` is the lock's path
 */
export async function once(isDone, work, {lock = join(root, '.cache/setup.lock'), deadMs = DEAD_MS} = {}) {
  if (isDone()) return;
  await take(lock, deadMs);
  const beat = setInterval(() => refresh(lock), deadMs / 10);
  try {
    if (!isDone()) await work();
  } finally {
    clearInterval(beat);
    if (holderOf(lock) === String(process.pid)) rmSync(lock);
  }
}

/** A symbolic link to the process's number: it is made at once with what it says, unlike a file. */
async function take(/** @type {string} */ lock, /** @type {number} */ deadMs) {
  mkdirSync(join(lock, '..'), {recursive: true});
  let seen = '';
  let seenMs = 0;
  let isTold = false;
  for (;;) {
    try {
      symlinkSync(String(process.pid), lock);
      await sleep(20); // another one may just have found the last holder dead, too, and remove this lock
      if (holderOf(lock) === String(process.pid)) return;
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
    }
    const holder = holderOf(lock);
    if (holder === undefined) continue;
    const state = `${holder} ${lstatSync(lock, {throwIfNoEntry: false})?.mtimeMs}`;
    if (state !== seen) [seen, seenMs] = [state, performance.now()];
    // a number may have passed to another process: that one does not keep the lock fresh
    if (!isAlive(Number(holder)) || performance.now() - seenMs > deadMs) rmSync(lock, {force: true});
    else {
      if (!isTold) console.error(`setup: waits for process ${holder}, which is at it`);
      isTold = true;
      await sleep(100);
    }
  }
}

/** After which time without a sign of life a holder is taken for dead. */
const DEAD_MS = 60_000;

/** @param {string} lock */
function refresh(lock) {
  try {
    lutimesSync(lock, new Date(), new Date());
  } catch {
    // it was taken from a process that was stopped for long
  }
}

/** @param {string} lock */
function holderOf(lock) {
  try {
    return readlinkSync(lock);
  } catch {
    return undefined;
  }
}
