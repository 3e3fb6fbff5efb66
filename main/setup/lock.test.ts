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

test('what is done is not done again, and nothing is written', async () => {
  const work = vi.fn(async () => {});
  await once(() => true, work, {lock});
  expect(work).not.toHaveBeenCalled();
  expect(existsSync(join(folder, 'within'))).toBe(false);
});

test('the lock is given back, also by who fails', async () => {
  const fail = async () => {
    expect(holder()).toBe(String(process.pid));
    throw new Error('no');
  };
  await expect(once(() => false, fail, {lock})).rejects.toThrow('no');
  expect(holder()).toBeUndefined();
});

test('a holder whose number another process has now is taken for dead when it is silent', async () => {
  hold();
  const work = vi.fn(async () => {});
  await once(() => false, work, {lock, deadMs: 150});
  expect(work).toHaveBeenCalledOnce();
  expect(said).toHaveBeenCalledExactlyOnceWith(expect.stringContaining(`waits for process ${process.ppid}`));
});

test('a holder without a number is taken for dead at once', async () => {
  hold('0');
  const work = vi.fn(async () => {});
  await once(() => false, work, {lock});
  expect(work).toHaveBeenCalledOnce();
  expect(said).not.toHaveBeenCalled();
});

test('a holder that is long at it gives signs of life', async () => {
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

/** A process that is alive and knows nothing of the lock. */
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
