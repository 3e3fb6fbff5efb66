// @module-tag long
import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdirSync, mkdtempSync, readdirSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {root} from '../main/setup/command.mjs';
import {browsersOf} from './processes.ts';
import {whySkipped} from './window.ts';

// A program that is killed (SIGKILL) cannot remove its temporary files. The next program does.

describe.skipIf(whySkipped !== '')(`what a killed recording leaves${whySkipped}`, () => {
  let folder: string;
  let running: ChildProcess[];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'interleave-left-'));
    for (const part of ['films', 'tmp']) mkdirSync(join(folder, part));
    running = [];
  });
  afterEach(async () => {
    for (const child of running) await end(child);
    rmSync(folder, {recursive: true, force: true});
  });

  const films = () => readdirSync(join(folder, 'films')).sort();
  const temporary = () => readdirSync(join(folder, 'tmp'));
  const parts = () => films().filter(name => name.endsWith('.part'));

  test('is removed by the next program in that folder, which keeps what another program is writing', async () => {
    const killed = start('record', ...LONG, '--out', 'killed.webm');
    await expect.poll(() => parts().length).toBe(1);
    const other = start('record', ...LONG, '--out', 'other.webm');
    await expect.poll(() => parts().length).toBe(2);
    await expect.poll(() => temporary().length).toBe(2);
    const [left = ''] = parts().filter(name => name.startsWith('killed'));
    const browsers = browsersOf(killed.pid ?? 0);
    await end(killed);
    // the browser ends by itself, because its program is gone
    await expect.poll(() => browsers.filter(isAlive)).toEqual([]);
    expect([parts().length, temporary().length]).toEqual([2, 2]);
    const still = start('still', '--at', '1', '--out', 'still.png');
    const said = still.stderr === null ? '' : text(still.stderr);
    expect(await once(still, 'exit'), await said).toEqual([0, null]);
    expect(films()).not.toContain(left);
    expect(films()).toContain('still.png');
    expect([parts().length, temporary().length]).toEqual([1, 1]);
    const ended = once(other, 'exit');
    other.kill('SIGINT');
    expect(await ended).toEqual([130, null]);
    expect([films(), temporary()]).toEqual([['still.png'], []]);
  });

  function start(...args: string[]): ChildProcess {
    const program = join(root, 'main/cli/interleave.mjs');
    const child = spawn(process.execPath, [program, ...args, '--set', SMALL_PAGE], {
      cwd: join(folder, 'films'),
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {...process.env, TMPDIR: join(folder, 'tmp')},
    });
    running.push(child);
    return child;
  }
});

const SMALL_PAGE = 'page={"synthetic":{"indexBytes":3000,"objects":4,"objectBytes":8000}}';
/** Options of a recording that takes minutes. No test waits for its end. */
const LONG = ['--speed', '0.1', '--fps', '60'];

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
