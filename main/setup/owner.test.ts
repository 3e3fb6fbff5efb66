import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {hasEnded, OWNER_NAME, ownerName} from './owner.mjs';

let folder: string;
let child: ChildProcess;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'interleave-owner-'));
  child = spawn('sleep', ['600']);
  await once(child, 'spawn');
});
afterEach(async () => {
  await kill();
  rmSync(folder, {recursive: true, force: true});
});

async function kill(): Promise<void> {
  if (child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

test('the name of a process has its documented form', () => {
  expect(ownerName()).toMatch(new RegExp(`^${OWNER_NAME}$`));
  // the name on a system that provides no start times
  expect('0123abcd-12-').toMatch(new RegExp(`^${OWNER_NAME}$`));
});

describe('a process is considered ended', () => {
  test('after its end, and not before', async () => {
    const name = ownerName(child.pid);
    expect([hasEnded(ownerName()), hasEnded(name)]).toEqual([false, false]);
    await kill();
    expect([hasEnded(ownerName()), hasEnded(name)]).toEqual([false, true]);
  });

  const hasProc = existsSync('/proc/self/stat');
  test.skipIf(!hasProc)(`even if another process has its id now${hasProc ? '' : ' (skipped: no /proc)'}`, () => {
    const [host, pid, start] = ownerName(child.pid).split('-');
    expect(hasEnded(`${host}-${pid}-${Number(start) - 1}`)).toBe(true);
  });

  test('only if it ran on this machine, because nothing is known about other machines', async () => {
    const [, ...rest] = ownerName(child.pid).split('-');
    await kill();
    expect(hasEnded(['00000000', ...rest].join('-'))).toBe(false);
  });
});

describe('a temporary folder', () => {
  /** Makes a folder that `owner` left. If `owner` is undefined, the folder names no owner. */
  const leave = (name: string, owner: string | undefined, mode = 0o700) => {
    const path = join(folder, name);
    mkdirSync(join(path, 'deep/er'), {recursive: true});
    if (owner !== undefined) writeFileSync(join(path, 'owner'), owner);
    chmodSync(path, mode);
  };

  test('is accessible only to this user, and names its owner', async () => {
    const made = await make();
    expect(readdirSync(folder)).toEqual([made]);
    expect(readFileSync(join(folder, made, 'owner'), 'utf8')).toMatch(new RegExp(`^${OWNER_NAME}$`));
  });

  test('of a killed process is removed when the next process makes its own, but no other folder is', async () => {
    const ended = ownerName(child.pid);
    await kill();
    leave('interleave-killed', ended);
    leave('interleave-alives', ownerName());
    leave('interleave-nobody', undefined);
    leave('interleave-public', ended, 0o755);
    leave('interleave-longname', ended);
    leave('another-killed', ended);
    const made = await make();
    expect(readdirSync(folder).sort()).toEqual(
      [
        'another-killed',
        'interleave-alives',
        'interleave-longname',
        'interleave-nobody',
        'interleave-public',
        made,
      ].sort(),
    );
  });

  const isRoot = process.getuid?.() === 0;
  test.skipIf(!isRoot)(`of another user remains${isRoot ? '' : ' (skipped: needs root)'}`, async () => {
    const ended = ownerName(child.pid);
    await kill();
    leave('interleave-theirs', ended);
    const {chownSync} = await import('node:fs');
    chownSync(join(folder, 'interleave-theirs'), 65534, 65534);
    await make();
    expect(readdirSync(folder)).toContain('interleave-theirs');
  });

  /** Makes a temporary folder in a new process, and returns the folder's name. */
  async function make(): Promise<string> {
    const script = `
      import {makeTemporaryFolder} from ${JSON.stringify(join(import.meta.dirname, 'owner.mjs'))};
      process.stdout.write(makeTemporaryFolder(process.argv[1]));`;
    const maker = spawn(process.execPath, ['--input-type=module', '-e', script, folder]);
    const [made] = await Promise.all([text(maker.stdout), once(maker, 'exit')]);
    return made.slice(folder.length + 1);
  }
});
