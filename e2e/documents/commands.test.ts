import {spawnSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, symlinkSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, describe, expect, test} from 'vitest';
import {readArguments} from '../../main/cli/command.ts';
import {COMMANDS} from '../../main/cli/commands/list.ts';
import {root} from '../../main/setup/command.mjs';
import {documents, type Fenced, fencedBlocks, textOf} from './markdown.ts';

// Tests the commands that documents tell their readers to type. The `sh` blocks of a document are run one after the
// other, in a folder of their own. A block whose first line gives a reason, for example ```sh long, is not run but only
// parsed.

/** Why a block is not run. */
const NOT_RUN = {
  long: 'it takes longer than a test may',
  root: 'it changes the network of the machine',
  network: 'it loads from elsewhere',
  server: 'it runs until it is ended, or needs a program that does',
  window: 'it opens a window, or sets up the repository',
  browser: 'it needs a Chromium',
  docker: 'it needs the daemon of Docker',
};

const PROGRAM = join(root, 'main/cli/interleave.mjs');

const written = documents()
  .map(path => ({path, blocks: fencedBlocks(textOf(path)).filter(({language}) => language === 'sh')}))
  .filter(({blocks}) => blocks.length > 0);

describe.each(written)('$path', ({path, blocks}) => {
  const folder = mkdtempSync(join(tmpdir(), 'interleave-documents-'));
  for (const name of ['fixtures', 'examples']) symlinkSync(join(root, name), join(folder, name));
  afterAll(() => rmSync(folder, {recursive: true}));

  test.each(blocks.map(block => [block.line, block] as const))('line %i can be read', (_, block) => {
    expect(['', ...Object.keys(NOT_RUN)], `${path}:${block.line}`).toContain(block.mark);
    const problems = commandLines(block.text).map(problemOf);
    expect(problems.filter(problem => problem !== null)).toEqual([]);
  });

  const run = blocks.filter(({mark}) => mark === '').map(block => [block.line, block] as const);
  test.each(run)('line %i runs', {tags: path === 'README.md' ? [] : ['long']}, (_, block) => {
    expect(runBlock(folder, block)).toEqual({code: 0, stderr: ''});
  });
});

/** Runs the commands of a block, up to the first command that fails. */
function runBlock(folder: string, {text}: Fenced): {readonly code: number | null; readonly stderr: string} {
  const script = `set -e\nnpx() { shift; "$NODE" "$PROGRAM" "$@"; }\n${text}`;
  const env = {...process.env, NODE: process.execPath, PROGRAM};
  const {status, stderr} = spawnSync('sh', ['-c', script], {cwd: folder, env, encoding: 'utf8'});
  return {code: status, stderr: status === 0 ? '' : stderr};
}

/** Returns the commands of a block, each as one line without comments. */
function commandLines(text: string): readonly string[] {
  const lines = text.replaceAll(/\s*\\\n\s*/g, ' ').split('\n');
  return lines.map(line => line.replace(/(^|\s+)#\s.*$/, '').trim()).filter(line => line !== '');
}

/**
 * Returns what is wrong with a command, for example an option or an npm script that does not exist; null if nothing is.
 */
function problemOf(line: string): string | null {
  if (/^[A-Z]+=\$\(.*\)$/.test(line)) return null;
  const words = wordsOf(line.replaceAll('$TOKEN', '0123456789abcdef'));
  while (/^[A-Z_]+=/.test(words[0] ?? '')) words.shift();
  if (words[0] === 'ip') words.splice(0, words.indexOf('npx'));
  const [program, ...args] = words;
  if (program === 'npx' && args[0] === 'interleave') return commandProblem(args.slice(1));
  if (program === 'docker') return dockerProblem(args);
  if (program === 'npm') return scripts().includes(args.find(word => word !== 'run') ?? '') ? null : 'no such script';
  return PROGRAMS.includes(program ?? '') ? null : 'a program that readers need not have';
}

const PROGRAMS = ['cp', 'curl', 'head', 'mkdir', 'node', 'python3'];

function commandProblem([name, ...args]: readonly string[]): string | null {
  const command = COMMANDS.find(each => each.name === name);
  if (command === undefined) return ['help', '--help', '--version'].includes(name ?? '') ? null : `no command ${name}`;
  if (args.includes('--help')) return null;
  try {
    readArguments(command, args);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Returns what is wrong with the command that an image of the Dockerfile is to run. */
function dockerProblem(args: readonly string[]): string | null {
  if (args[0] === 'build') return null;
  const image = args.indexOf('interleave');
  return image < 0 ? 'no such image' : commandProblem(args.slice(image + 1));
}

function scripts(): readonly string[] {
  const {scripts} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {scripts: object};
  return Object.keys(scripts);
}

/** Returns the words of a line as a shell reads them, up to a redirection or pipe. */
function wordsOf(line: string): string[] {
  const words = Array.from(line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g), ([word]) => word);
  const end = words.findIndex(word => /^(\d?>|\||&)/.test(word));
  return (end < 0 ? words : words.slice(0, end)).map(word => word.replaceAll(/'([^']*)'|"([^"]*)"/g, '$1$2'));
}

test('a command that the program refuses is found', () => {
  expect(problemOf('npx interleave run --sedes 1-3 > a.json')).toMatch(/did you mean --seeds/);
  expect(problemOf('A=b npx interleave rnu')).toBe('no command rnu');
  expect(problemOf('npm run nothing')).toBe('no such script');
  expect(problemOf('docker run --rm interleave rnu')).toBe('no command rnu');
  expect(commandLines('a \\\n  b  # why\n# none\nc')).toEqual(['a b', 'c']);
  expect(wordsOf(`--set 'panes=[{"a": 1}]' "b c" | d`)).toEqual(['--set', 'panes=[{"a": 1}]', 'b c']);
});

test('a block fails if one of its commands fails, even if the last one does not', () => {
  const folder = mkdtempSync(join(tmpdir(), 'interleave-documents-'));
  const block = {
    language: 'sh',
    mark: '',
    line: 1,
    text: 'npx interleave run --set seed=x\nnpx interleave pages\n',
  };
  expect(runBlock(folder, block)).toMatchObject({code: 2, stderr: expect.stringMatching(/: seed is "x"/)});
  rmSync(folder, {recursive: true});
});

test('every example of the help can be read', () => {
  const shown = COMMANDS.flatMap(({examples}) => examples.map(({line}) => line.replaceAll(/\s*\\\n\s*/g, ' ')));
  const ours = shown.flatMap(line => line.split('\n')).filter(line => line.startsWith('interleave '));
  expect(ours.length).toBeGreaterThan(30);
  const wrong = ours.map(line => [line, problemOf(`npx ${line}`)]).filter(([, problem]) => problem !== null);
  expect(wrong).toEqual([]);
});
