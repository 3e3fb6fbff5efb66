import {spawnSync} from 'node:child_process';
import {cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';
import {PREBUILTS, platformOf, prebuiltFile, prebuiltName} from '../../native/addon/prebuilts.mjs';
import {EXTERNAL} from './bundle.mjs';
import {type Manifest, packedManifest} from './pack.mjs';
import {prebuiltManifest} from './prebuilt.mjs';

// These tests use an installation that contains little more than the loader of the addon.

const {version} = JSON.parse(readFileSync('package.json', 'utf8')) as {version: string};
const platform = platformOf();
const name = prebuiltName(platform);

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'interleave-prebuilt-'));
  for (const part of [
    'main/setup',
    'native/addon/index.js',
    'native/addon/prebuilts.mjs',
    'package.json',
    'native/Cargo.toml',
  ])
    cpSync(part, join(root, part), {recursive: true});
});
afterEach(() => rmSync(root, {recursive: true, force: true}));

/** Installs a package with a prebuilt addon. @param addon what the addon exports */
function installPrebuilt(addon: string, manifest: object = {version}): void {
  const folder = join(root, 'node_modules', name);
  mkdirSync(folder, {recursive: true});
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, prebuiltFile(platform)), addon);
}

/** Loads the addon. Files with the ending `.node` are JavaScript here. @returns what it exports, or the error */
function loaded(): unknown {
  const script = `import Module from 'node:module';
    Module._extensions['.node'] = Module._extensions['.js'];
    const {Simulation} = await import('./native/addon/index.js').catch(({code, message}) => ({Simulation: {code, message}}));
    console.log(JSON.stringify(Simulation));`;
  const {stdout} = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: root,
    encoding: 'utf8',
  });
  return JSON.parse(stdout);
}

const exporting = (value: string, isPatched = true): string =>
  `module.exports = {PATCHED: ${isPatched}, Simulation: '${value}'};`;

describe('the loader of the addon', () => {
  test('loads a prebuilt addon of the same version', () => {
    installPrebuilt(exporting('prebuilt'));
    expect(loaded()).toBe('prebuilt');
  });

  test('prefers the addon that was built here', () => {
    installPrebuilt(exporting('prebuilt'));
    writeFileSync(join(root, 'native/addon/index.node'), exporting('built here'));
    expect(loaded()).toBe('built here');
  });

  test.each([
    [
      'of another version',
      () => installPrebuilt(exporting('old'), {version: '0.0.1'}),
      `has version 0.0.1, not ${version}`,
    ],
    ['that is not installed', () => undefined, `the package ${name} is not installed`],
    [
      'whose file is missing',
      () => {
        installPrebuilt('');
        rmSync(join(root, 'node_modules', name, prebuiltFile(platform)));
      },
      `lacks its file ${prebuiltFile(platform)}`,
    ],
    [
      'that the system cannot load',
      () => installPrebuilt('throw new Error("version GLIBC_2.99 not found")'),
      'cannot be loaded (version GLIBC_2.99 not found)',
    ],
  ])('refuses a prebuilt addon %s, and says what was looked for and what to do', (_, prepare, why) => {
    prepare();
    const {code, message} = loaded() as {code: string; message: string};
    expect(code).toBe('NO_ADDON');
    expect(message).toContain(`there is no native addon for ${platform}: `);
    expect(message).toContain(why);
    expect(message).toContain(`there is no ${join(root, 'native/addon/index.node')}`);
    expect(message).toContain(`install Rust (https://rustup.rs) and run node ${join(root, 'main/setup/addon.mjs')}`);
    expect(message.includes(`run npm install ${name}@${version}`)).toBe(!why.includes('GLIBC'));
  });

  test('refuses a prebuilt addon without our patches', () => {
    installPrebuilt(exporting('stock', false));
    expect(loaded()).toMatchObject({code: 'UNPATCHED', message: expect.stringContaining(prebuiltFile(platform))});
  });
});

describe('a clone with a prebuilt addon', () => {
  /** Sets the addon up without Rust. */
  const setUp = (): {status: number | null; stderr: string} => {
    writeFileSync(join(root, 'package-lock.json'), '{}');
    const {status, stderr} = spawnSync(process.execPath, ['main/setup/addon.mjs'], {
      cwd: root,
      encoding: 'utf8',
      env: {PATH: root},
    });
    return {status, stderr};
  };
  /** The hash of the Rust sources in `root`. */
  const sources = (): string => {
    const script = "import {addonSources} from './main/setup/addon.mjs'; process.stdout.write(addonSources());";
    return spawnSync(process.execPath, ['--input-type=module', '--eval', script], {cwd: root, encoding: 'utf8'}).stdout;
  };

  test('of the same sources needs no Rust, and no older addon stays', () => {
    installPrebuilt(exporting('prebuilt'), {version, sources: sources()});
    writeFileSync(join(root, 'native/addon/index.node'), exporting('older'));
    expect(setUp()).toEqual({status: 0, stderr: ''});
    expect(existsSync(join(root, 'native/addon/index.node'))).toBe(false);
    expect(loaded()).toBe('prebuilt');
  });

  test('of other sources builds its own', () => {
    installPrebuilt(exporting('prebuilt'), {version, sources: sources()});
    writeFileSync(join(root, 'native/Cargo.lock'), 'changed');
    expect(setUp()).toEqual({status: 1, stderr: expect.stringContaining('cargo is missing')});
  });
});

describe('the platform', () => {
  test.each([
    [{platform: 'darwin', arch: 'arm64'}, 'darwin-arm64'],
    [{platform: 'win32', arch: 'x64'}, 'win32-x64-msvc'],
    [{platform: 'freebsd', arch: 'x64'}, 'freebsd-x64'],
  ])('of %j is %s', (machine, expected) => {
    expect(platformOf(machine)).toBe(expected);
  });

  test.runIf(process.platform === 'linux')('of Linux ends with the name of the C library', () => {
    expect(platformOf({platform: 'linux', arch: 'arm64'})).toBe(
      existsSync('/etc/alpine-release') ? 'linux-arm64-musl' : 'linux-arm64-gnu',
    );
  });
});

test('each prebuilt addon has a package that npm installs only where it fits', () => {
  const manifests = PREBUILTS.map(({platform}) => prebuiltManifest(platform));
  expect(manifests.map(({name, os, cpu, libc}) => [name, ...os, ...cpu, ...(libc ?? [])].join(' '))).toEqual([
    'interleave-linux-x64-gnu linux x64 glibc',
    'interleave-linux-x64-musl linux x64 musl',
    'interleave-linux-arm64-gnu linux arm64 glibc',
    'interleave-linux-arm64-musl linux arm64 musl',
    'interleave-darwin-x64 darwin x64',
    'interleave-darwin-arm64 darwin arm64',
    'interleave-win32-x64-msvc win32 x64',
  ]);
  for (const each of manifests)
    expect(each).toMatchObject({version, license: 'MIT', files: [each.main, 'THIRD_PARTY_NOTICES.md']});
  expect(() => prebuiltManifest('linux-riscv64-gnu')).toThrow('linux-riscv64-gnu: must be one of linux-x64-gnu, ');
});

test('the package depends on the packages that are not bundled, and optionally on its prebuilt addons', () => {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
  const packed = packedManifest(manifest);
  expect(packed.optionalDependencies).toEqual(
    Object.fromEntries(PREBUILTS.map(each => [prebuiltName(each.platform), version])),
  );
  const needed = EXTERNAL.filter(each => each !== 'electron');
  expect(Object.keys(packed.dependencies).sort()).toEqual(needed.sort());
  expect(packed).not.toHaveProperty('devDependencies');
  expect(packed).not.toHaveProperty('private');
});
