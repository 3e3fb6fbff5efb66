import {spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import {patchCrates} from './crates.mjs';

// The tests use a workspace that needs the crate `tiny`, and a CARGO_HOME with the tarball of that crate.

let folder: string;
let native: string;
let tarball: string;
let checksum: string;
const fetch = vi.fn(async () => {});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'interleave-crates-'));
  native = join(folder, 'native');
  const home = join(folder, 'cargo');
  vi.stubEnv('CARGO_HOME', home);
  mkdirSync(join(folder, 'tiny-1.2.3'));
  writeFileSync(join(folder, 'tiny-1.2.3/lib.rs'), 'stock\n');
  mkdirSync(join(home, 'registry/cache/index'), {recursive: true});
  tarball = join(home, 'registry/cache/index/tiny-1.2.3.crate');
  spawnSync('tar', ['-czf', tarball, '-C', folder, 'tiny-1.2.3']);
  checksum = createHash('sha256').update(readFileSync(tarball)).digest('hex');
  mkdirSync(join(native, 'patches'), {recursive: true});
  lock('1.2.3');
  patch('patched');
});
afterEach(() => {
  fetch.mockReset();
  vi.unstubAllEnvs();
  rmSync(folder, {recursive: true});
});

test('a crate is patched once', async () => {
  const [made = ''] = await patchCrates(native, fetch);
  expect(readFileSync(join(made, 'lib.rs'), 'utf8')).toBe('patched\n');
  rmSync(tarball);
  expect(await patchCrates(native, fetch)).toEqual([made]);
  expect(fetch).not.toHaveBeenCalled();
  expect(readdirSync(join(native, 'target/patched'))).toHaveLength(1);
});

test('a changed patch makes another folder', async () => {
  const [first = ''] = await patchCrates(native, fetch);
  patch('patched again');
  const [second = ''] = await patchCrates(native, fetch);
  expect(second).not.toBe(first);
  expect(readFileSync(join(second, 'lib.rs'), 'utf8')).toBe('patched again\n');
});

test('the patches of a crate are applied one after the other, by number', async () => {
  writeFileSync(join(native, 'patches/tiny+1.2.3+10-last.patch'), hunk('patched twice', 'patched thrice'));
  writeFileSync(join(native, 'patches/tiny+1.2.3+02-next.patch'), hunk('patched', 'patched twice'));
  const [made = '', ...others] = await patchCrates(native, fetch);
  expect(readFileSync(join(made, 'lib.rs'), 'utf8')).toBe('patched thrice\n');
  expect(others).toEqual([]);
  rmSync(join(native, 'patches/tiny+1.2.3+10-last.patch'));
  const [fewer = ''] = await patchCrates(native, fetch);
  expect(readFileSync(join(fewer, 'lib.rs'), 'utf8')).toBe('patched twice\n');
});

test('if one of several patches does not fit, the message names it', async () => {
  writeFileSync(join(native, 'patches/tiny+1.2.3+02-next.patch'), hunk('stock', 'something else'));
  await expect(patchCrates(native, fetch)).rejects.toThrow(
    'native/patches/tiny+1.2.3+02-next.patch: the patch does not fit lib.rs:1',
  );
  expect(readdirSync(join(native, 'target/patched'))).toEqual([]);
});

test.each(['tiny+1.2.3.patch', 'tiny+01-why.patch', 'README.md'])('%s is not a valid name of a patch', async file => {
  writeFileSync(join(native, 'patches', file), hunk('stock', 'patched'));
  await expect(patchCrates(native, fetch)).rejects.toThrow(
    `native/patches/${file}: the name of a patch must be CRATE+VERSION+NN-WHAT.patch`,
  );
});

test('two calls at the same time get the same patched crate', async () => {
  const [one, other] = await Promise.all([patchCrates(native, fetch), patchCrates(native, fetch)]);
  expect(one).toEqual(other);
  expect(readdirSync(join(native, 'target/patched'))).toHaveLength(1);
});

test('a missing crate is fetched', async () => {
  cpSync(tarball, `${tarball}.elsewhere`);
  rmSync(tarball);
  fetch.mockImplementation(async () => cpSync(`${tarball}.elsewhere`, tarball));
  expect(await patchCrates(native, fetch)).toHaveLength(1);
});

test('a crate that cannot be fetched is named', async () => {
  rmSync(tarball);
  await expect(patchCrates(native, fetch)).rejects.toThrow(/there is no tiny-1\.2\.3\.crate in .*registry\/cache/);
});

test('a tarball that is not the one of Cargo.lock is refused', async () => {
  writeFileSync(tarball, 'something else');
  await expect(patchCrates(native, fetch)).rejects.toThrow(/has SHA-256 .*, but Cargo\.lock has .*: delete the file/);
  expect(readdirSync(native)).not.toContain('target');
});

test('a patch that does not fit leaves nothing behind', async () => {
  writeFileSync(join(native, 'patches/tiny+1.2.3+01-why.patch'), hunk('shop', 'patched'));
  await expect(patchCrates(native, fetch)).rejects.toThrow('tiny+1.2.3+01-why.patch: the patch does not fit lib.rs:1');
  expect(readdirSync(join(native, 'target/patched'))).toEqual([]);
});

test('the message says what to do with a patch for a version that Cargo.lock no longer has', async () => {
  lock('1.2.4');
  await expect(patchCrates(native, fetch)).rejects.toThrow(
    'native/patches/tiny+1.2.3+01-why.patch: Cargo.lock has tiny 1.2.4: delete the patch if it is no longer needed, otherwise make a new one',
  );
});

test('the message asks to delete a patch whose change the original crate already contains', async () => {
  writeFileSync(join(native, 'patches/tiny+1.2.3+01-why.patch'), hunk('shock', 'stock'));
  await expect(patchCrates(native, fetch)).rejects.toThrow(
    'lib.rs:1 already contains the change of the patch: delete the patch',
  );
});

test('every patch in the repository begins with its reason', () => {
  for (const file of readdirSync('native/patches')) {
    expect(readFileSync(join('native/patches', file), 'utf8')).toMatch(/^[A-Z].{20,72}\n\n.{40}/);
  }
});

test('the addon’s crate, which `npm test` leaves out, has no tests in Rust', () => {
  const sources = readdirSync('native/addon/src', {recursive: true, encoding: 'utf8'}).filter(path =>
    /\.rs$/.test(path),
  );
  expect(sources).toContain('lib.rs');
  const isTest = (path: string) =>
    /#\[(\w+::)?test\]|cfg\(test\)/.test(readFileSync(join('native/addon/src', path), 'utf8'));
  expect(sources.filter(isTest)).toEqual([]);
});

function lock(version: string): void {
  const entry = `[[package]]\nname = "tiny"\nversion = "${version}"\nsource = "registry"\nchecksum = "${checksum}"\n`;
  writeFileSync(
    join(native, 'Cargo.lock'),
    `version = 4\n\n[[package]]\nname = "tiny-er"\nversion = "9.0.0"\n\n${entry}`,
  );
}

function patch(text: string): void {
  writeFileSync(join(native, 'patches/tiny+1.2.3+01-why.patch'), hunk('stock', text));
}

function hunk(before: string, after: string): string {
  return `Why\n\n--- a/lib.rs\n+++ b/lib.rs\n@@ -1 +1 @@\n-${before}\n+${after}\n`;
}
