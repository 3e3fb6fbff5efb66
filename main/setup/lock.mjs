import {lstatSync, lutimesSync, mkdirSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {root} from './command.mjs';
import {isAlive} from './owner.mjs';
import {makeTextLink, readTextLink} from './textLink.mjs';

/**
 * Runs a part of the set-up, unless it is already done. Only one process runs it at a time: a second process waits, and
 * then finds the part done. If there is nothing to do, nothing is written to the checkout.
 *
 * @param {() => boolean} isDone
 * @param {() => Promise<void>} work must not block the event loop, in which a timer refreshes the lock
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

/**
 * Takes the lock. The lock is a link whose text is the process id. Unlike a file, a link is created together with its
 * text in one step.
 */
async function take(/** @type {string} */ lock, /** @type {number} */ deadMs) {
  mkdirSync(join(lock, '..'), {recursive: true});
  let seen = '';
  let seenMs = 0;
  let hasPrinted = false;
  for (;;) {
    try {
      makeTextLink(String(process.pid), lock);
      // Another process may have found the previous holder dead at the same time, and may then remove this new lock. So
      // the lock is taken only if it is still there after a pause.
      await sleep(20);
      if (holderOf(lock) === String(process.pid)) return;
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
    }
    const holder = holderOf(lock);
    if (holder === undefined) continue;
    const state = `${holder} ${lstatSync(lock, {throwIfNoEntry: false})?.mtimeMs}`;
    if (state !== seen) [seen, seenMs] = [state, performance.now()];
    // The id of a dead holder may now belong to another process. That process is alive, but does not refresh the lock.
    // So a lock that is not refreshed is also removed.
    if (!isAlive(Number(holder)) || performance.now() - seenMs > deadMs) rmSync(lock, {force: true});
    else {
      if (!hasPrinted) console.error(`setup: waits for process ${holder}, which is already setting up`);
      hasPrinted = true;
      await sleep(100);
    }
  }
}

/** A holder that has not refreshed the lock for this long is considered dead. */
const DEAD_MS = 60_000;

/** @param {string} lock */
function refresh(lock) {
  try {
    lutimesSync(lock, new Date(), new Date());
  } catch {
    // another process took the lock while this process was stopped for long
  }
}

/** @param {string} lock */
function holderOf(lock) {
  try {
    return readTextLink(lock);
  } catch {
    return undefined;
  }
}
