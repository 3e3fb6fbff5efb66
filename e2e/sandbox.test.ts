import type {ChildProcess} from 'node:child_process';
import {once} from 'node:events';
import {readlinkSync} from 'node:fs';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {afterAll, afterEach, beforeAll, describe, expect, test} from 'vitest';
import {root} from '../main/setup/command.mjs';
import {openDisplay} from './display.ts';
import {interrupt, type OtherUser, openOtherUser, type UserProcess, whyNoOtherUser} from './otherUser.ts';
import {whySkipped} from './window.ts';

// Checks in the kernel's data, not in flags, whether Chromium's processes are in its sandbox.

const program = join(root, 'main/cli/interleave.mjs');
const why = whySkipped || whyNoOtherUser;

describe.skipIf(why !== '')(`Chromium of a user who is not root${why}`, () => {
  let user: OtherUser;
  beforeAll(() => {
    user = openOtherUser();
  });
  afterAll(() => user?.close());
  // the next test must not see processes of this one
  afterEach(() => expect.poll(() => user.processes()).toEqual([]));

  test('takes pictures in its sandbox', {tags: ['long']}, async () => {
    const recording = user.run([program, 'record', '--out', 'movie.webm']);
    const said = text(recording.stderr);
    await expectSandboxed();
    await interrupt(recording);
    expect(await said).not.toContain('sandbox');
  });

  test('shows the window in its sandbox', async () => {
    let display: ChildProcess | undefined;
    const name = await openDisplay(child => {
      display = child;
    });
    const env = {DISPLAY: name, ELECTRON_OVERRIDE_DIST_PATH: join(user.home, 'no Electron')};
    const start = user.run([join(root, 'main/setup/start.mjs')], {env});
    const said = text(start.stderr);
    try {
      await expectSandboxed();
    } finally {
      await interrupt(start);
      display?.kill();
    }
    expect(await said).not.toContain('sandbox');
  });

  test('takes pictures without a sandbox if the system has none, and says why, once', {tags: ['long']}, async () => {
    const args = [program, 'still', '--at', '1', '--out', 'still.png'];
    const still = await user.runWithoutNamespaces(args);
    const [said] = await Promise.all([text(still.stderr), once(still, 'exit')]);
    expect(still.exitCode, said).toBe(0);
    expect(said.match(/Chromium runs without its sandbox: this system provides neither/g)).toHaveLength(1);
  });

  test('shows the window without a sandbox if the system has none, and says why', {tags: ['long']}, async () => {
    let display: ChildProcess | undefined;
    const name = await openDisplay(child => {
      display = child;
    });
    const env = {DISPLAY: name, ELECTRON_OVERRIDE_DIST_PATH: join(user.home, 'no Electron')};
    const start = await user.runWithoutNamespaces([join(root, 'main/setup/start.mjs')], {env});
    const said = text(start.stderr);
    try {
      await expect.poll(renderers).not.toEqual([]);
      expect(renderers()[0]?.args).toContain('--no-sandbox');
    } finally {
      await interrupt(start);
      display?.kill();
    }
    expect((await said).match(/Chromium runs without its sandbox: this system/g)).toHaveLength(1);
  });

  /**
   * Checks the renderers, which decode data from strangers. A renderer must not gain rights by starting a program, and
   * must have a filter of system calls, which is the last protection that is set up when it starts.
   */
  async function expectSandboxed(): Promise<void> {
    const states = () => renderers().map(({status}) => `${status['NoNewPrivs']} ${status['Seccomp']}`);
    await expect.poll(() => new Set(states())).toEqual(new Set(['1 2']));
    for (const {args} of user.processes()) expect(args).not.toContain('--no-sandbox');
    for (const {userNamespace} of renderers()) {
      expect(userNamespace).not.toBe(readlinkSync('/proc/self/ns/user'));
    }
  }

  function renderers(): readonly UserProcess[] {
    return user.processes().filter(({args}) => args.includes('--type=renderer'));
  }
});
