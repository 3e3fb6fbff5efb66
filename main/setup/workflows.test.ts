import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {PREBUILTS} from '../../native/addon/prebuilts.mjs';
import {root} from './command.mjs';

// Checks the workflow files, which no test can run. actionlint checks their syntax (CONTRIBUTING.md).

const WORKFLOWS = '.github/workflows';
const files = readdirSync(join(root, WORKFLOWS)).map(name => `${WORKFLOWS}/${name}`);
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');
const {scripts} = JSON.parse(textOf('package.json')) as {readonly scripts: Record<string, string>};

test.each([...files, '.github/actions/setup/action.yml'])('%s calls only scripts and paths that exist', path => {
  const text = textOf(path);
  for (const [, name = ''] of text.matchAll(/\bnpm run (?:--silent )?([\w:-]+)/g)) {
    expect(Object.keys(scripts), `npm run ${name}`).toContain(name);
  }
  for (const [, paths = ''] of text.matchAll(/\bnpx vitest run ([^\n]*)/g)) {
    for (const one of paths.split(' ').filter(word => !word.startsWith('--')))
      expect(existsSync(join(root, one)), one).toBe(true);
  }
  for (const [, test = ''] of text.matchAll(/--test (\w+)/g)) {
    const places = [`native/netsim/tests/${test}.rs`, `native/netsim/tests/${test}/main.rs`];
    expect(
      places.some(place => existsSync(join(root, place))),
      test,
    ).toBe(true);
  }
  for (const [, action = ''] of text.matchAll(/\buses: \.\/(\S+)/g)) {
    expect(existsSync(join(root, action, 'action.yml')), action).toBe(true);
  }
});

/** The workflows that neither publish anything nor use secrets. */
const OURS = ['bench', 'fuzz', 'mutants', 'nightly', 'prebuilts', 'tests'].map(name => `${WORKFLOWS}/${name}.yml`);

describe.each(OURS)('%s', path => {
  const text = textOf(path);
  const [head = '', body = ''] = text.split(/^jobs:$/m);

  test('may only read', () => {
    expect(head).toMatch(/^permissions:\n {2}contents: read$/m);
    expect(text.match(/\bpermissions:/g)).toHaveLength(1);
  });

  test('replaces or awaits its own older runs', () => {
    expect(text).toMatch(/^ *concurrency:/m);
  });

  test('limits the time of every job', () => {
    const jobs = body.split(/^ {2}(?=[\w-]+:$)/m).slice(1);
    expect(jobs.length).toBeGreaterThan(0);
    for (const job of jobs) expect(job).toMatch(/^ {4}timeout-minutes: \d+$/m);
  });

  test('puts no text of strangers into a shell', () => {
    // titles, branches and messages must be in environment variables, because a shell does not interpret their values
    for (const [, script = ''] of text.matchAll(/\brun: (\|[^\n]*(?:\n(?: {8,}[^\n]*)?)*|[^\n]*)/g)) {
      expect(script).not.toMatch(/\$\{\{ *(github\.(event|head_ref|base_ref)|inputs)/);
    }
  });
});

test('the workflow builds the addon of every platform in the list, with the Rust version that the sources need', () => {
  const text = textOf(`${WORKFLOWS}/prebuilts.yml`);
  const platforms = Array.from(text.matchAll(/\bplatform: ([\w-]+)\}/g), ([, name = '']) => name);
  expect(platforms.toSorted()).toEqual(PREBUILTS.map(({platform}) => platform).toSorted());
  const [, rust] = /^rust-version = "(.+)"$/m.exec(textOf('native/Cargo.toml')) ?? [];
  expect(/ rust:([\d.]+)-alpine/.exec(text)?.[1]).toBe(rust);
});

test('the seeds of a swarm do not depend on the number of its scenarios, which differs between runs', () => {
  const [, seed = ''] = /INTERLEAVE_SWARM_SEED=\$\(\((.*)\)\)/.exec(textOf(`${WORKFLOWS}/nightly.yml`)) ?? [];
  expect(seed).toMatch(/^RUN \* \d{10,} \+ 1$/);
});

test('each fuzz target is a file, a program of the crate, a function, and a row of the README', () => {
  const targets = readdirSync(join(root, 'native/fuzz/fuzz_targets'))
    .map(name => name.replace('.rs', ''))
    .sort();
  const all = (path: string, pattern: RegExp): string[] =>
    Array.from(textOf(`native/fuzz/${path}`).matchAll(pattern), ([, name = '']) => name).sort();
  expect(all('Cargo.toml', /^path = "fuzz_targets\/(\w+)\.rs"$/gm)).toEqual(targets);
  expect(all('src/targets.rs', /^pub fn (\w+)\(bytes: &\[u8\]\) \{$/gm)).toEqual(targets);
  expect(all('src/seeds.rs', /^ {8}\("(\w+)", /gm)).toEqual(targets);
  expect(all('README.md', /^\| `(\w+)` \|/gm)).toEqual(targets);
  for (const target of targets) {
    expect(textOf(`native/fuzz/fuzz_targets/${target}.rs`)).toContain(`fuzz::targets::${target}(bytes)`);
  }
});
