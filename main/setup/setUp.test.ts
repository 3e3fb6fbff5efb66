import {spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, expect, test} from 'vitest';

// These tests run the scripts with a fake cargo, rustc and npm, in a checkout that contains little more than the
// scripts. One test runs the command line of this checkout.

let folder: string;
let root: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'interleave-setup-'));
  root = join(folder, 'checkout');
  for (const part of ['main/setup', 'native/Cargo.toml', 'native/addon/prebuilts.mjs', 'package.json']) {
    cpSync(part, join(root, part), {recursive: true});
  }
  mkdirSync(join(root, 'native/patches'));
  write('package-lock.json', '{}');
  write('native/Cargo.lock', '');
  program('rustc', 'echo "rustc 1.95.0 (of today)"');
  program(
    'cargo',
    `case $1 in
      --version) echo "cargo 1.95.0 (of today)";;
      build)
        echo built >> ${folder}/log; sleep 0.1; echo library > ${folder}/libaddon.so
        echo '{"reason":"compiler-artifact","target":{"name":"addon","kind":["cdylib"]},"filenames":["${folder}/libaddon.so"]}';;
    esac`,
  );
  program(
    'npm',
    `echo npm >> ${folder}/log; sleep 0.1; rm -rf node_modules; mkdir node_modules
    [ -e ${folder}/interrupt ] && exit 1
    echo {} > node_modules/.package-lock.json`,
  );
});
afterEach(() => rmSync(folder, {recursive: true, force: true}));

describe('one line says what to install', () => {
  test('without cargo', () => {
    rmSync(join(folder, 'bin/cargo'));
    expect(node('main/setup/addon.mjs')).toEqual({
      status: 1,
      stderr: 'interleave: cargo is missing: install Rust 1.95 or later (https://rustup.rs)\n',
    });
  });

  test('with a rustup that has no toolchain', () => {
    program('cargo', 'echo "error: no default toolchain"  >&2; exit 1');
    expect(node('main/setup/addon.mjs').stderr).toMatch(/^interleave: cargo is missing: .*\n$/);
  });

  test('with an old Rust', () => {
    program('rustc', 'echo "rustc 1.94.1 (of last year)"');
    expect(node('main/setup/addon.mjs')).toEqual({
      status: 1,
      stderr: 'interleave: Rust 1.94.1 is too old: install Rust 1.95 or later (https://rustup.rs)\n',
    });
  });

  test.each(['1.95.0', '1.100.0', '2.0.0', '1.96.0-nightly'])('except with Rust %s, which is new enough', version => {
    program('rustc', `echo "rustc ${version} (of tomorrow)"`);
    expect(node('main/setup/addon.mjs')).toEqual({status: 0, stderr: ''});
  });

  test.each(['start', 'test', 'check', 'bench'])('if npm run %s is started with an old Node', script => {
    const version = 'data:text/javascript,Object.defineProperty(process.versions, "node", {value: "20.18.3"})';
    expect(node('--import', version, `main/setup/${script}.mjs`)).toEqual({
      status: 1,
      stderr: 'interleave: Node 20.18.3 is too old: install 20.19 or later (https://nodejs.org)\n',
    });
  });

  test('if npm start needs cargo and cargo is missing', () => {
    rmSync(join(folder, 'bin/cargo'));
    expect(node('main/setup/start.mjs').stderr).toMatch(/^interleave: cargo is missing: .*\n$/);
  });
});

describe('npm start with a file', () => {
  test('that does not exist names the file before anything is set up', () => {
    expect(node('main/setup/start.mjs', 'mine.json')).toEqual({
      status: 1,
      stderr: `interleave: there is no file or folder at ${join(root, 'mine.json')}\n`,
    });
    expect(log()).toEqual([]);
  });

  test.each(['page.zip', './page'])('that is a page (%s) also checks whether the file exists', page => {
    expect(node('main/setup/start.mjs', page).stderr).toMatch(/^interleave: there is no file or folder at .*page/);
  });
});

describe('the addon', () => {
  test('is built once', () => {
    for (let i = 0; i < 2; i++) node('main/setup/addon.mjs');
    expect(log()).toEqual(['built']);
    expect(addon()).toBe('library\n');
  });

  test.each([
    ['contains something else', 'half a download'],
    ['is truncated', 'libr'],
    ['is empty', ''],
  ])('that %s is replaced', (_, text) => {
    node('main/setup/addon.mjs');
    write('native/addon/index.node', text);
    node('main/setup/addon.mjs');
    expect(addon()).toBe('library\n');
  });

  test.each([
    {path: 'native/Cargo.lock', times: 2},
    {path: 'native/netsim/src/lib.rs', times: 2},
    {path: 'native/netsim/tests/claims.rs', times: 1},
  ])('has been built $times times in all after a change of $path', ({path, times}) => {
    node('main/setup/addon.mjs');
    write(path, 'changed');
    node('main/setup/addon.mjs');
    expect(log()).toHaveLength(times);
  });

  test('is built with the patched crates, and cargo is told so in INTERLEAVE_PATCHED', () => {
    program(
      'cargo',
      `case $1 in
        --version) echo "cargo 1.95.0 (of today)";;
        build)
          echo "$2 $INTERLEAVE_PATCHED" > ${folder}/libaddon.so
          echo '{"reason":"compiler-artifact","target":{"name":"addon","kind":["cdylib"]},"filenames":["${folder}/libaddon.so"]}';;
      esac`,
    );
    node('main/setup/addon.mjs');
    expect(addon()).toBe('--config=paths=[] 1\n');
  });

  test('that was built without the patches is refused in one line', () => {
    const unpatched = `import Module from 'node:module';
      const load = Module._extensions['.node'];
      Module._extensions['.node'] = (module, file) => {
        load(module, file);
        if (file.endsWith('addon/index.node')) module.exports = {...module.exports, PATCHED: false};
      };`;
    const {status, stderr} = spawnSync(
      process.execPath,
      ['--import', `data:text/javascript,${encodeURIComponent(unpatched)}`, 'main/cli/interleave.mjs', 'presets'],
      {encoding: 'utf8'},
    );
    expect({status, stderr}).toEqual({
      status: 1,
      stderr: `interleave: native/addon/index.node was built without the patches of native/patches: npm start or npm test builds it with them (in ${process.cwd()})\n`,
    });
  });

  test('is not loaded by the command line when it is damaged', () => {
    cpSync('main/cli/interleave.mjs', join(root, 'main/cli/interleave.mjs'));
    node('main/setup/addon.mjs');
    write('native/addon/index.node', 'libr');
    expect(node('main/cli/interleave.mjs', 'presets')).toEqual({
      status: 1,
      stderr: `interleave: native/addon/index.node is damaged: run npm start or npm test once in ${root}\n`,
    });
  });
});

describe('several processes at the same time', () => {
  test('build the addon once', async () => {
    const both = [1, 2].map(() => start('main/setup/addon.mjs'));
    expect(await Promise.all(both)).toEqual([0, 0]);
    expect(log()).toEqual(['built']);
    expect(readdirSync(join(root, 'native/addon'))).toEqual(['index.node', 'prebuilts.mjs']);
  });

  test('install the packages once', async () => {
    write('install.mjs', INSTALL);
    expect(await Promise.all([1, 2, 3].map(() => start('install.mjs')))).toEqual([0, 0, 0]);
    expect(log()).toEqual(['npm']);
  });

  test('set up the addon and the packages in parallel, because neither needs the other', () => {
    // each program continues only after the other program has begun
    const meet = (own: string, other: string) =>
      `touch ${folder}/${own}; for i in 1 2 3 4 5 6 7 8 9; do [ -e ${folder}/${other} ] && break; sleep 1; done
      [ -e ${folder}/${other} ] || exit 1; echo ${own} >> ${folder}/log`;
    program('cargo', `case $1 in --version) echo "cargo 1.95.0";; build) ${meet('addon', 'npm')};; esac`);
    program('npm', meet('npm', 'addon'));
    write(
      'both.mjs',
      `import {buildAddon} from './main/setup/addon.mjs';
      import {installPackages} from './main/setup/packages.mjs';
      await Promise.allSettled([buildAddon(), installPackages()]);`,
    );
    node('both.mjs');
    expect(log().sort()).toEqual(['addon', 'npm']);
  });

  test('do not block each other if the first one was killed', async () => {
    mkdirSync(join(root, '.cache'));
    const {pid} = spawnSync('true');
    symlinkSync(String(pid), join(root, '.cache/addon.lock'));
    expect(node('main/setup/addon.mjs')).toEqual({status: 0, stderr: ''});
    expect(readdirSync(join(root, '.cache'))).toEqual(['addon.json']);
  });
});

describe('packages', () => {
  beforeEach(() => write('install.mjs', INSTALL));

  test('are installed once, and again when the lockfile changes', () => {
    for (let i = 0; i < 2; i++) node('install.mjs');
    expect(log()).toEqual(['npm']);
    write('package-lock.json', '{"changed": true}');
    node('install.mjs');
    expect(log()).toEqual(['npm', 'npm']);
  });

  test('whose installation was interrupted are installed again', () => {
    writeFileSync(join(folder, 'interrupt'), '');
    expect(node('install.mjs').status).toBe(1);
    rmSync(join(folder, 'interrupt'));
    expect(node('install.mjs').status).toBe(0);
    node('install.mjs');
    expect(log()).toEqual(['npm', 'npm']);
  });

  test('that an interrupted npm ci of the user left incomplete are installed again', () => {
    node('install.mjs');
    rmSync(join(root, 'node_modules/.package-lock.json'));
    node('install.mjs');
    expect(log()).toEqual(['npm', 'npm']);
  });
});

describe('aioquic', () => {
  beforeEach(() => {
    write('native/interop/requirements.txt', 'aioquic==1');
    const imports = "import {findAioquic, installAioquic} from './main/setup/aioquic.mjs';";
    write('install.mjs', `${imports}\nawait installAioquic();\nconsole.error(findAioquic() !== undefined);\n`);
    program('python3', `echo venv >> ${folder}/log; mkdir -p $3/bin; cp ${folder}/bin/pip $3/bin/python`);
    program('pip', `echo pip >> ${folder}/log; [ ! -e ${folder}/interrupt ]`);
  });

  test('is installed once, and again when requirements.txt changes', () => {
    for (let i = 0; i < 2; i++) expect(node('install.mjs')).toEqual({status: 0, stderr: 'true\n'});
    expect(log()).toEqual(['venv', 'pip']);
    write('native/interop/requirements.txt', 'aioquic==2');
    node('install.mjs');
    expect(log()).toHaveLength(4);
  });

  test('that cannot be installed causes no error, and is not found', () => {
    writeFileSync(join(folder, 'interrupt'), '');
    expect(node('install.mjs')).toEqual({status: 0, stderr: 'false\n'});
    rmSync(join(folder, 'interrupt'));
    expect(node('install.mjs').stderr).toBe('true\n');
  });
});

const isRoot = process.getuid?.() === 0;
const whyNot = isRoot && spawnSync('setpriv', ['--version']).status !== 0 ? ' (skipped: root, and no setpriv)' : '';

test.skipIf(whyNot !== '')(`a checkout that is already built may be read-only${whyNot}`, () => {
  write('setUp.mjs', `${INSTALL}import {buildAddon} from './main/setup/addon.mjs';\nawait buildAddon();\n`);
  node('setUp.mjs');
  const built = log();
  spawnSync('chmod', ['-R', 'a+rX,a-w', root]);
  chmodSync(folder, 0o755);
  // root may write to every folder
  const nobody = isRoot ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : ['env'];
  const asNobody = (...args: string[]) =>
    spawnSync(nobody[0] ?? '', [...nobody.slice(1), ...args], {cwd: root, env: env(), encoding: 'utf8'});
  const {status, stderr} = asNobody(process.execPath, 'setUp.mjs');
  const touched = asNobody('touch', join(root, 'new')).status;
  spawnSync('chmod', ['-R', 'u+w', root]);
  expect({status, stderr, touched}).toEqual({status: 0, stderr: '', touched: 1});
  expect(log()).toEqual(built);
});

const INSTALL = "import {installPackages} from './main/setup/packages.mjs';\nawait installPackages();\n";

function write(path: string, text: string): void {
  mkdirSync(join(root, path, '..'), {recursive: true});
  writeFileSync(join(root, path), text);
}

function program(name: string, script: string): void {
  mkdirSync(join(folder, 'bin'), {recursive: true});
  writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${script}\n`, {mode: 0o755});
}

/** PATH has the fake programs, and only those programs of this machine that the scripts and the fakes need. */
function env(): NodeJS.ProcessEnv {
  const own = join(folder, 'bin');
  mkdirSync(own, {recursive: true});
  for (const name of ['sh', 'cp', 'env', 'mkdir', 'rm', 'setpriv', 'sleep', 'touch']) {
    const place = join('/bin', name);
    if (existsSync(place) && !existsSync(join(own, name))) symlinkSync(place, join(own, name));
  }
  return {HOME: folder, PATH: own};
}

function node(...args: string[]): {status: number | null; stderr: string} {
  const {status, stderr} = spawnSync(process.execPath, args, {cwd: root, env: env(), encoding: 'utf8'});
  return {status, stderr};
}

async function start(script: string): Promise<unknown> {
  const [code] = await once(spawn(process.execPath, [script], {cwd: root, env: env(), stdio: 'ignore'}), 'exit');
  return code;
}

/** Lists the calls of the fake programs. */
function log(): string[] {
  const path = join(folder, 'log');
  return existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : [];
}

function addon(): string {
  return readFileSync(join(root, 'native/addon/index.node'), 'utf8');
}
