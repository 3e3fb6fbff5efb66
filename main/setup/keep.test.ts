import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {afterEach, beforeEach, expect, test} from 'vitest';

// These tests pass a program to `keep`. Like a browser, it starts another program. It writes the process ids of both.

let folder: string;
let profile: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'interleave-keep-'));
  profile = join(folder, 'profile');
  mkdirSync(profile);
});
afterEach(() => {
  for (const pid of browserPids().filter(isAlive)) process.kill(pid, 'SIGKILL');
  rmSync(folder, {recursive: true, force: true});
});

test.each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const)('%s ends all processes of the program', async signal => {
  const starter = start(BROWSER);
  const pids = await startedPids();
  starter.kill(signal);
  expect(await once(starter, 'exit')).toEqual([null, signal]);
  await expect.poll(() => pids.filter(isAlive), PATIENT).toEqual([]);
  await expect.poll(() => existsSync(profile), PATIENT).toBe(false);
});

test('a program that ignores signals is killed', {tags: ['long']}, async () => {
  const starter = start(`trap '' TERM HUP INT; ${BROWSER}`);
  const pids = await startedPids();
  starter.kill('SIGTERM');
  expect(await once(starter, 'exit')).toEqual([null, 'SIGTERM']);
  await expect.poll(() => pids.filter(isAlive), PATIENT).toEqual([]);
});

test('if the program ends by itself, the processes that it started end too, and its exit is reported', async () => {
  const starter = start(`sleep 600 & echo $! >> ${join(folder, 'pids')}; echo why >&2; exit 7`);
  await once(starter, 'exit');
  expect(JSON.parse(readFileSync(join(folder, 'ending'), 'utf8'))).toEqual({code: 7, signal: null, said: 'why\n'});
  await expect.poll(() => browserPids().filter(isAlive), PATIENT).toEqual([]);
  expect(existsSync(profile)).toBe(false);
});

test('a missing program causes an error', async () => {
  await once(start('', join(folder, 'nothing')), 'exit');
  const {error} = JSON.parse(readFileSync(join(folder, 'ending'), 'utf8'));
  expect(error).toContain('ENOENT');
});

test('the program’s temporary files are in its profile, except on macOS', async () => {
  await once(start(`echo $TMPDIR > ${join(folder, 'tmpdir')}`), 'exit');
  const tmp = readFileSync(join(folder, 'tmpdir'), 'utf8').trim();
  expect(tmp).toBe(process.platform === 'darwin' ? (process.env['TMPDIR'] ?? '') : profile);
});

/** A long time, because the machine may be busy. */
const PATIENT = {timeout: 30_000};
const BROWSER = 'sleep 600 & echo $$ $! > $0/pids.new; mv $0/pids.new $0/pids; wait; sleep 600';

/** Starts a process that keeps a shell with this script. */
function start(script: string, program = '/bin/sh'): ChildProcess {
  const path = join(folder, 'start.mjs');
  writeFileSync(
    path,
    `import {writeFileSync} from 'node:fs';
    import {endWith, keep} from ${JSON.stringify(pathToFileURL(join(import.meta.dirname, 'keep.mjs')).href)};
    const {ended, end} = keep(${JSON.stringify(program)}, ['-c', ${JSON.stringify(script)}, ${JSON.stringify(folder)}], {
      profile: ${JSON.stringify(profile)},
    });
    endWith(() => (end(), ended));
    writeFileSync(${JSON.stringify(join(folder, 'ending'))}, JSON.stringify(await ended));`,
  );
  return spawn(process.execPath, [path], {stdio: 'inherit'});
}

async function startedPids(): Promise<number[]> {
  await expect.poll(browserPids, PATIENT).not.toEqual([]);
  return browserPids();
}

function browserPids(): number[] {
  const path = join(folder, 'pids');
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split(/\s/).map(Number) : [];
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(stateOf(pid));
  } catch {
    return false;
  }
}

/** In a container without an init process, a process that has ended may remain as a zombie forever. */
function stateOf(pid: number): string {
  return process.platform === 'linux' ? readFileSync(`/proc/${pid}/status`, 'utf8') : '';
}
