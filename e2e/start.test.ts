import {type ChildProcess, spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, readdirSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, onTestFailed, test} from 'vitest';
import {openDisplay} from './display.ts';
import {whySkipped} from './window.ts';

// npm start itself, with a browser on a display.

const hasDisplay = spawnSync('Xvfb', ['-help']).error === undefined;
const why = hasDisplay ? whySkipped : ' (skipped: there is no Xvfb)';

describe.skipIf(why !== '')(`npm start${why}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'interleave-start-'));
  let display: ChildProcess;
  let name: string;

  beforeAll(async () => {
    name = await openDisplay(child => {
      display = child;
    });
  });
  afterAll(() => {
    display?.kill();
    rmSync(folder, {recursive: true, force: true});
  });

  const ended = 'ended by %s leaves no process and no file';
  // npm passes a signal on to its script, but cannot do so with SIGKILL
  test.each([['SIGINT', 'npm'] as const, ['SIGKILL', 'node'] as const])(ended, testEnded);
  test.each([['SIGTERM', 'npm'] as const, ['SIGHUP', 'node'] as const])(ended, {tags: ['long']}, testEnded);

  async function testEnded(signal: NodeJS.Signals, program: 'npm' | 'node'): Promise<void> {
    const args = program === 'npm' ? ['start', '--silent'] : ['main/setup/start.mjs'];
    const env = {
      ...process.env,
      DISPLAY: name,
      TMPDIR: folder,
      ELECTRON_OVERRIDE_DIST_PATH: join(folder, 'no Electron'),
    };
    const start = spawn(program, args, {env, detached: true, stdio: ['ignore', 'pipe', 'inherit']});
    // after a failure, what is left would keep the test run from ending
    onTestFailed(() => void process.kill(-(start.pid as number), 'SIGKILL'));
    await expect.poll(() => processes().length).toBeGreaterThan(4);
    start.kill(signal);
    await once(start, 'exit');
    await expect.poll(processes).toEqual([]);
    await expect.poll(() => readdirSync(folder)).toEqual([]);
  }

  /**
   * Returns the command lines that contain the path of the browser's profile: those of the browser and of its keeper.
   * All other processes of the browser are started by these.
   */
  function processes(): string[] {
    const {stdout} = spawnSync('ps', ['-eo', 'args'], {encoding: 'utf8'});
    return stdout.split('\n').filter(line => line.includes(join(folder, 'interleave-')));
  }
});
