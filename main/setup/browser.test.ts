import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {chromium} from 'playwright-core';
import {afterEach, beforeEach, describe, expect, test, vi} from 'vitest';
import {launchSandboxed, PLAYWRIGHT_FEATURES, printOnce} from './browser.mjs';

// The texts are those of Chromium 156. e2e/sandbox.test.ts makes Chromium print them.
const NONE = '[FATAL:zygote_host_impl_linux.cc:130] No usable sandbox! If this is a Debian system, …';

const told = vi.fn<(line: string) => void>();
/** Whether each launch had a sandbox. */
let launches: boolean[];
beforeEach(() => {
  launches = [];
});
afterEach(() => {
  told.mockReset();
  vi.restoreAllMocks();
});

/** A Chromium that fails with this text if it is started with a sandbox. Without a sandbox it starts. */
const launching = (said: string | null) => async (hasSandbox: boolean) => {
  launches.push(hasSandbox);
  if (hasSandbox && said !== null) throw new Error(said);
  return 'started';
};

describe('started by a user who is not root', () => {
  beforeEach(() => void vi.spyOn(process, 'getuid').mockReturnValue(1000));

  test('Chromium has its sandbox, and nothing is printed', async () => {
    expect(await launchSandboxed(launching(null), told)).toBe('started');
    expect(launches).toEqual([true]);
    expect(told).not.toHaveBeenCalled();
  });

  test.each([
    NONE,
    '[FATAL:setuid_sandbox_host.cc(157)] The SUID sandbox helper binary was found, but is not configured correctly.',
    'Failed to move to new namespace: PID namespaces supported, Network namespace supported, but failed',
    'browserType.launch: Chromium sandboxing failed!',
  ])('Chromium starts without a sandbox if the system has none, and that is reported: %s', async said => {
    expect(await launchSandboxed(launching(said), told)).toBe('started');
    expect(launches).toEqual([true, false]);
    expect(told).toHaveBeenCalledExactlyOnceWith(
      expect.stringMatching(/^Chromium runs without its sandbox: this system provides neither/),
    );
  });

  test('Chromium is not tried without a sandbox if it does not start for another reason', async () => {
    const missing = 'error while loading shared libraries: libnss3.so';
    await expect(launchSandboxed(launching(missing), told)).rejects.toThrow(missing);
    expect(launches).toEqual([true]);
    expect(told).not.toHaveBeenCalled();
  });
});

test('started by root, Chromium has no sandbox, and that is reported', async () => {
  vi.spyOn(process, 'getuid').mockReturnValue(0);
  expect(await launchSandboxed(launching(NONE), told)).toBe('started');
  expect(launches).toEqual([false]);
  expect(told).toHaveBeenCalledExactlyOnceWith(
    'Chromium runs without its sandbox: root cannot use it; run this as another user',
  );
});

test('`printOnce` prints a line only once', () => {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  for (const line of ['one', 'two', 'one']) printOnce(line);
  expect(write.mock.calls).toEqual([['interleave: one\n'], ['interleave: two\n']]);
});

test('the features that Playwright switches off are also switched off by our list, which replaces its list', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'interleave-browser-'));
  const [executablePath, printed] = [join(folder, 'browser'), join(folder, 'arguments')];
  writeFileSync(executablePath, `#!/bin/sh\nprintf '%s\\n' "$@" > '${printed}'\n`, {mode: 0o755});
  await expect(chromium.launch({executablePath, args: [PLAYWRIGHT_FEATURES]})).rejects.toThrow();
  const lists = readFileSync(printed, 'utf8').matchAll(/^--disable-features=(.*)$/gm);
  const [theirs, ours, ...others] = [...lists].map(([, list = '']) => list.split(','));
  expect([theirs?.length, others]).toEqual([expect.any(Number), []]);
  expect(ours).toEqual(expect.arrayContaining(theirs ?? []));
  rmSync(folder, {recursive: true});
});
