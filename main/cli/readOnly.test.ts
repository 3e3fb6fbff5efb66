import {spawnSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {root} from '../setup/command.mjs';

// These tests put the cache on a read-only file system, in a separate mount namespace.

const canMount = spawnSync('unshare', ['--mount', 'true']).status === 0;
const why = canMount ? '' : ' (skipped: no file system can be mounted here)';

describe.skipIf(!canMount)(`a read-only cache${why}`, () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'interleave-read-only-'));
    mkdirSync(join(folder, 'disk'));
    writeFileSync(join(folder, 'page.html'), '<h1>a page</h1>');
  });
  afterAll(() => rmSync(folder, {recursive: true}));

  const run = (...args: string[]) => {
    const mounted = 'mount -t tmpfs -o ro none disk && exec "$@"';
    const program = [process.execPath, join(root, 'main/cli/interleave.mjs'), ...args];
    return spawnSync('unshare', ['--mount', 'sh', '-c', mounted, 'sh', ...program], {
      cwd: folder,
      env: {...process.env, XDG_CACHE_HOME: join(folder, 'disk/cache')},
      encoding: 'utf8',
    });
  };

  test('is reported, with the variable that chooses another folder', () => {
    const {status, stderr} = run('run', '--page', 'page.html');
    expect({status, stderr}).toEqual({
      status: 2,
      stderr: `interleave: cannot write ${folder}/disk/cache/interleave/pages: the file system is read-only; opened pages are stored there; set XDG_CACHE_HOME to choose another folder\n`,
    });
  });

  test('does not affect commands that need no cache', () => {
    expect(run('run').status).toBe(0);
  });
});
