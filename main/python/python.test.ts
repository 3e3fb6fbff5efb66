import {spawnSync} from 'node:child_process';
import {cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {delimiter, join} from 'node:path';
import {afterAll, expect, test} from 'vitest';
import {root} from '../setup/command.mjs';

// Tests the Python package. The fast tests run it from its sources. The long tests build a wheel, install it into a
// new environment, and run what docs/python.md and the notebook show.

const PYTHON = process.platform === 'win32' ? 'python' : 'python3';
const OLDEST = 'import sys; sys.exit(sys.version_info < (3, 9))';
const isPythonThere = spawnSync(PYTHON, ['-c', OLDEST]).status === 0;
if (!isPythonThere) console.log('the Python package is not tested: there is no Python 3.9 or later');

const sources = join(root, 'main/python');
const folder = mkdtempSync(join(tmpdir(), 'interleave-python-'));
afterAll(() => rmSync(folder, {recursive: true, force: true}));
const env = {...process.env, INTERLEAVE: join(root, 'main/cli/interleave.mjs'), PYTHONDONTWRITEBYTECODE: '1'};

function output(program: string, args: readonly string[], more: Record<string, string> = {}): string {
  const {status, stdout, stderr, error} = spawnSync(program, args, {
    cwd: folder,
    env: {...env, ...more},
    encoding: 'utf8',
  });
  expect({status, error, stderr: status === 0 ? '' : stderr}).toEqual({status: 0, error: undefined, stderr: ''});
  return `${stdout}${stderr}`;
}

const fromSources = {PYTHONPATH: [sources, join(sources, 'tests')].join(delimiter)};

test.skipIf(!isPythonThere)('the package finds the program, runs it, and turns its results into objects', () => {
  const classes = ['Finding', 'Failing', 'Statistics', 'Dataframes'];
  const runs = [
    'test_a_complete_load_has_times',
    'test_an_incomplete_object_says_why',
    'test_an_incomplete_load_has_the_times_of_what_happened',
  ];
  const names = [...classes, ...runs.map(run => `Run.${run}`)].map(name => `test_interleave.${name}`);
  expect(output(PYTHON, ['-m', 'unittest', ...names], fromSources)).toMatch(/^OK/m);
});

test('the package has the version of the program', () => {
  const {version} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(readFileSync(join(sources, 'pyproject.toml'), 'utf8')).toContain(`\nversion = "${version}"\n`);
});

test('the notebook is of format 4.5, is small, and has outputs of all code cells', () => {
  const text = readFileSync(NOTEBOOK, 'utf8');
  const {nbformat, nbformat_minor, cells} = JSON.parse(text) as Notebook;
  expect([nbformat, nbformat_minor]).toEqual([4, 5]);
  expect(new Set(cells.map(({id}) => id)).size).toBe(cells.length);
  for (const {cell_type, outputs = []} of cells) expect(outputs).toHaveLength(cell_type === 'code' ? 1 : 0);
  expect(text.length).toBeLessThan(30_000);
});

test.skipIf(!isPythonThere)(
  'a wheel of the package can be installed and passes all tests of the package',
  {tags: ['long']},
  () => {
    const python = install();
    if (python === undefined) return;
    const tests = ['-m', 'unittest', 'discover', '--start-directory', join(sources, 'tests')];
    expect(output(python, tests)).toMatch(/^OK/m);
    // it is the installed package that was tested, and type checkers read its types
    const where = output(python, ['-c', 'import interleave; print(interleave.__path__[0])']).trim();
    expect(where.startsWith(folder)).toBe(true);
    expect(readdirSync(where)).toContain('py.typed');
  },
);

test.skipIf(!isPythonThere)('the code in docs/python.md runs without an error', {tags: ['long']}, () => {
  const blocks = readFileSync(join(root, 'docs/python.md'), 'utf8').matchAll(/^```python\n([\s\S]*?)^```$/gm);
  const file = join(folder, 'documented.py');
  writeFileSync(file, Array.from(blocks, ([, code]) => code).join('\n'));
  const printed = output(PYTHON, [file], fromSources);
  expect(printed).toMatch(/^tcp [\d.]+ ± [\d.]+ ms\nsctp [\d.]+ ± [\d.]+ ms\n/);
  // the comment in the document says what is printed last
  const [, promised = ''] = /print\(error\) {2}# (.+)/.exec(readFileSync(file, 'utf8')) ?? [];
  expect(printed.trimEnd().split('\n').at(-1)).toBe(promised);
});

test.skipIf(!isPythonThere)('the notebook draws a line for each transport in both panels', {tags: ['long']}, () => {
  const {cells} = JSON.parse(readFileSync(NOTEBOOK, 'utf8')) as Notebook;
  const code = cells.filter(({cell_type}) => cell_type === 'code').map(({source}) => source.join(''));
  const file = join(folder, 'notebook.py');
  writeFileSync(file, [...code, 'print(svg)'].join('\n').replace('SEEDS = "1-20"', 'SEEDS = "1-3"'));
  const printed = output(PYTHON, [file], fromSources);
  expect(printed).toContain('36 loads, 0 of them incomplete');
  expect(printed.match(/<polyline/g)).toHaveLength(4);
  expect(printed.match(/ 10 % loss: 50 %Page of TCP .* ms, of SCTP, 10 streams .* ms/)).not.toBeNull();
});

const NOTEBOOK = join(root, 'examples/n07-figure.ipynb');

interface Notebook {
  readonly nbformat: number;
  readonly nbformat_minor: number;
  readonly cells: readonly {
    readonly id: string;
    readonly cell_type: 'code' | 'markdown';
    readonly source: readonly string[];
    readonly outputs?: readonly unknown[];
  }[];
}

/**
 * Builds a wheel and installs it into a new environment. Returns the environment's Python, or undefined if the wheel
 * cannot be built here. Only the build may need the network, because it downloads setuptools if this machine has none.
 */
function install(): string | undefined {
  const environment = join(folder, 'environment');
  output(PYTHON, ['-m', 'venv', environment]);
  const python = join(environment, ...(process.platform === 'win32' ? ['Scripts', 'python.exe'] : ['bin', 'python']));
  // setuptools writes next to the sources
  const copy = join(folder, 'sources');
  cpSync(sources, copy, {recursive: true});
  const pip = ['-m', 'pip', '--quiet', '--disable-pip-version-check'];
  const build = ['wheel', '--no-deps', '--wheel-dir', folder, copy];
  const offline = spawnSync(PYTHON, [...pip, ...build, '--no-index', '--no-build-isolation'], {env});
  if (offline.status !== 0) {
    const online = spawnSync(python, [...pip, '--retries', '1', ...build], {env, encoding: 'utf8'});
    if (online.status !== 0) {
      console.log(`no wheel of the Python package was built, which needs setuptools: ${online.stderr.trim()}`);
      return undefined;
    }
  }
  const [wheel = ''] = readdirSync(folder).filter(name => name.endsWith('.whl'));
  expect(wheel).toMatch(/^interleave-.*-py3-none-any\.whl$/);
  output(python, [...pip, 'install', '--no-index', '--no-deps', join(folder, wheel)]);
  return python;
}
