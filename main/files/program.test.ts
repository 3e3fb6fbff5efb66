import {execFileSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {afterEach, beforeEach, expect, test} from 'vitest';
import {COMMIT_FILE, program, versionAt} from './program.ts';

const HASH = '0123456789abcdef0123456789abcdef01234567';
const OTHER = 'fedcba9876543210fedcba9876543210fedcba98';
let root = '';

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'interleave-program-'));
  put('package.json', '{"version": "1.2.3"}');
});

afterEach(() => rmSync(root, {recursive: true}));

test('the program’s name, version and commit are known', () => {
  expect(program()).toMatch(/^interleave \d+\.\d+\.\d+( \([0-9a-f]{7}\))?$/);
});

test('the commit of a clone is read from its branch, loose or packed, or from a detached head', () => {
  put('.git/HEAD', 'ref: refs/heads/main\n');
  expect(versionAt(root)).toBe('1.2.3');
  put('.git/packed-refs', `# pack-refs with: peeled\n${OTHER} refs/heads/x/refs/heads/main\n${HASH} refs/heads/main\n`);
  expect(versionAt(root)).toBe('1.2.3 (0123456)');
  put('.git/refs/heads/main', `${OTHER}\n`);
  expect(versionAt(root)).toBe('1.2.3 (fedcba9)');
  put('.git/HEAD', `${HASH}\n`);
  expect(versionAt(root)).toBe('1.2.3 (0123456)');
});

test('the commit of a worktree is read from the worktree’s own branch', () => {
  put('tree/package.json', '{"version": "1.2.3"}');
  put('tree/.git', 'gitdir: ../clone/worktrees/tree\n');
  put('clone/worktrees/tree/HEAD', 'ref: refs/heads/side\n');
  put('clone/worktrees/tree/commondir', '../..\n');
  put('clone/refs/heads/side', `${HASH}\n`);
  expect(versionAt(join(root, 'tree'))).toBe('1.2.3 (0123456)');
});

test('without a clone the commit is read from a file, and is unknown if the file is not filled in', () => {
  expect(versionAt(root)).toBe('1.2.3');
  put(COMMIT_FILE, readFileSync(COMMIT_FILE, 'utf8'));
  expect(versionAt(root)).toBe('1.2.3');
  put(COMMIT_FILE, `${HASH}\n`);
  expect(versionAt(root)).toBe('1.2.3 (0123456)');
  // In a clone the file is ignored, because it may be out of date.
  put('.git/HEAD', `${OTHER}\n`);
  expect(versionAt(root)).toBe('1.2.3 (fedcba9)');
});

test('an archive made by git contains its commit', context => {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {cwd: root, stdio: 'pipe'});
  try {
    git('init');
  } catch {
    return context.skip();
  }
  put(COMMIT_FILE, readFileSync(COMMIT_FILE, 'utf8'));
  put('.gitattributes', readFileSync('.gitattributes', 'utf8'));
  git('add', '.');
  git('commit', '-m', 'x', '--no-gpg-sign');
  const hash = git('rev-parse', 'HEAD').toString();
  const archive = git('archive', '--format=tar', 'HEAD', COMMIT_FILE).toString('latin1');
  expect(archive).toContain(hash);
});

function put(name: string, text: string): void {
  mkdirSync(dirname(join(root, name)), {recursive: true});
  writeFileSync(join(root, name), text);
}
