import {existsSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, symlinkSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import {once} from './lock.mjs';

let folder: string;
let lock: string;
const said = vi.spyOn(console, 'error').mockImplementation(() => {});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'interleave-lock-'));
  lock = join(folder, 'within/lock');
});
afterEach(() => {
  said.mockClear();
  rmSync(folder, {recursive: true});
});

test('work that is already done is not repeated, and nothing is written', async () => {
  const work = vi.fn(async () => {});
  await once(() => true, work, {lock});
  expect(work).not.toHaveBeenCalled();
  expect(existsSync(join(folder, 'within'))).toBe(false);
});

test('the lock is released, even if the work fails', async () => {
  const fail = async () => {
    expect(holder()).toBe(String(process.pid));
    throw new Error('no');
  };
  await expect(once(() => false, fail, {lock})).rejects.toThrow('no');
  expect(holder()).toBeUndefined();
});

test('a holder that does not refresh the lock is considered dead, even if a process with its id exists', async () => {
  hold();
  const work = vi.fn(async () => {});
  await once(() => false, work, {lock, deadMs: 150});
  expect(work).toHaveBeenCalledOnce();
  expect(said).toHaveBeenCalledExactlyOnceWith(expect.stringContaining(`waits for process ${process.ppid}`));
});

test('a holder without a process id is considered dead immediately', async () => {
  hold('0');
  const work = vi.fn(async () => {});
  await once(() => false, work, {lock});
  expect(work).toHaveBeenCalledOnce();
  expect(said).not.toHaveBeenCalled();
});

test('a holder that works for a long time refreshes its lock', async () => {
  const order: string[] = [];
  const longer = once(
    () => false,
    async () => {
      await sleep(1200);
      order.push('first');
    },
    {lock, deadMs: 400},
  );
  await sleep(100);
  await once(
    () => false,
    async () => void order.push('second'),
    {lock, deadMs: 400},
  );
  await longer;
  expect(order).toEqual(['first', 'second']);
});

/** Makes a lock of a process that is alive and does not refresh it. */
function hold(pid = String(process.ppid)): void {
  mkdirSync(join(lock, '..'));
  symlinkSync(pid, lock);
}

function holder(): string | undefined {
  try {
    return readlinkSync(lock);
  } catch {
    return undefined;
  }
}
