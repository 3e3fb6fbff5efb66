import {lstatSync, lutimesSync, mkdirSync, readlinkSync, rmSync, symlinkSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {root} from './command.mjs';
import {isAlive} from './owner.mjs';

/**
 * Does a part of the set-up unless it is done, and never in two processes at once: a second process waits, and then
 * finds it done. Nothing is written to a checkout in which nothing is to be done.
 *
 * @param {() => boolean} isDone
 * @param {() => Promise<void>} work must leave the event loop free, which keeps the lock fresh
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

/** Takes the lock: a symbolic link to the process's id. A link, unlike a file, is created at once with its content. */
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
    // the id may now belong to another process, but that one does not keep the lock fresh
    if (!isAlive(Number(holder)) || performance.now() - seenMs > deadMs) rmSync(lock, {force: true});
    else {
      if (!isTold) console.error(`setup: waits for process ${holder}, which is doing it`);
      isTold = true;
      await sleep(100);
    }
  }
}

/** A holder without a sign of life for so long is considered dead. */
const DEAD_MS = 60_000;

/** @param {string} lock */
function refresh(lock) {
  try {
    lutimesSync(lock, new Date(), new Date());
  } catch {
    // the lock was taken from this process while it was stopped for long
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
