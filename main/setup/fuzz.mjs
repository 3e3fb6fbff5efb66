// npm run fuzz: runs the targets of native/fuzz with libFuzzer, each for a minute.
//
//   npm run fuzz -- [TARGET…] [--seconds 60] [--corpus FOLDER] [--minimise]
//
// The corpus grows from run to run, because every input that reaches new code is kept. `--minimise` drops the inputs
// that reach no code beyond that of other inputs. This command needs cargo-fuzz, a C++ compiler and Linux or macOS. It
// does not need a nightly Rust, because RUSTC_BOOTSTRAP lets a stable Rust accept the flag of the address sanitizer.
import './node.mjs';
import {spawnSync} from 'node:child_process';
import {appendFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {parseArgs} from 'node:util';
import {patchedCrates} from './cargo.mjs';
import {inOneLine, root, run, wholeNumber} from './command.mjs';

const FUZZ = join(root, 'native/fuzz');
const TARGET = join(root, 'native/target/fuzz');
/** cargo runs in this folder, and so reads the paths of the patched crates from the folder's .cargo/config.toml. */
const WORK = join(TARGET, 'work');
const BUILT = join(TARGET, 'build');

await inOneLine(async () => {
  const {values, positionals} = parseArgs({
    allowPositionals: true,
    options: {
      seconds: {type: 'string', default: '60'},
      corpus: {type: 'string', default: join(FUZZ, 'corpus')},
      minimise: {type: 'boolean', default: false},
    },
  });
  const seconds = wholeNumber('--seconds', values.seconds);
  const all = targets();
  const unknown = positionals.filter(name => !all.includes(name));
  if (unknown.length > 0) throw new Error(`no target ${unknown.join(', ')}: the targets are ${all.join(', ')}`);
  await build();
  const programs = join(BUILT, host(), 'release');
  const corpus = resolve(values.corpus);
  await succeed(join(programs, 'seeds'), [corpus]);
  const rows = [];
  for (const target of positionals.length > 0 ? positionals : all) {
    rows.push(await fuzz({target, program: join(programs, target), corpus: join(corpus, target), seconds}));
    if (values.minimise) await minimise(join(programs, target), join(corpus, target));
  }
  report(rows);
  process.exitCode = rows.every(({isGood}) => isGood) ? 0 : 1;
});

/** Returns the names of all targets. */
function targets() {
  return readdirSync(join(FUZZ, 'fuzz_targets'))
    .map(name => name.replace(/\.rs$/, ''))
    .sort();
}

async function build() {
  if (spawnSync('cargo-fuzz', ['--version']).status !== 0) {
    throw new Error('cargo-fuzz is missing: run cargo install cargo-fuzz --locked');
  }
  mkdirSync(join(WORK, '.cargo'), {recursive: true});
  writeFileSync(join(WORK, '.cargo/config.toml'), `paths = ${JSON.stringify(await patchedCrates())}\n`);
  await succeed('cargo', ['fuzz', 'build', '--fuzz-dir', FUZZ, '--target-dir', BUILT], {
    cwd: WORK,
    env: {RUSTC_BOOTSTRAP: '1'},
  });
}

function host() {
  const {stdout} = spawnSync('rustc', ['--version', '--verbose'], {encoding: 'utf8'});
  const [, triple] = /^host: (.+)$/m.exec(stdout ?? '') ?? [];
  if (triple === undefined) throw new Error('rustc does not name its host');
  return triple;
}

/** @param {{target: string, program: string, corpus: string, seconds: number}} task */
async function fuzz({target, program, corpus, seconds}) {
  const failures = join(FUZZ, 'artifacts', target);
  for (const folder of [failures, corpus]) mkdirSync(folder, {recursive: true});
  const before = new Set(readdirSync(failures));
  const options = [
    `-max_total_time=${seconds}`,
    `-artifact_prefix=${failures}/`,
    // An input usually takes far less than this number of seconds. An input that takes longer is reported as a fault.
    '-timeout=20',
    '-rss_limit_mb=4096',
    '-max_len=4096',
    '-verbosity=0',
    '-print_final_stats=1',
  ];
  console.log(`fuzz: ${target} for ${seconds} s`);
  const {code} = await run(program, [corpus, ...options]);
  const found = readdirSync(failures).filter(name => !before.has(name));
  for (const name of found) console.log(`fuzz: ${target} fails with ${join(failures, name)}`);
  return {target, isGood: code === 0, inputs: readdirSync(corpus).length, found};
}

/**
 * @param {string} program
 * @param {string} corpus
 */
async function minimise(program, corpus) {
  const fresh = `${corpus}.fresh`;
  rmSync(fresh, {recursive: true, force: true});
  mkdirSync(fresh);
  const {code} = await run(program, ['-merge=1', '-verbosity=0', fresh, corpus]);
  // after a failure the old corpus stays
  if (code !== 0) return rmSync(fresh, {recursive: true});
  rmSync(corpus, {recursive: true});
  renameSync(fresh, corpus);
}

/** @param {{target: string, isGood: boolean, inputs: number, found: string[]}[]} rows */
function report(rows) {
  const lines = rows.map(({target, isGood, inputs, found}) => {
    return `| ${target} | ${inputs} | ${isGood ? 'nothing' : found.join(', ') || 'a failure without an input'} |`;
  });
  const table = ['| target | inputs in the corpus | found |', '|---|---|---|', ...lines].join('\n');
  console.log(table);
  const summary = process.env.GITHUB_STEP_SUMMARY;
  if (summary !== undefined && existsSync(summary)) appendFileSync(summary, `${table}\n`);
}

/**
 * @param {string} program
 * @param {string[]} args
 * @param {Parameters<typeof run>[2]} [options]
 */
async function succeed(program, args, options) {
  const {code} = await run(program, args, options);
  if (code !== 0) throw new Error(`${program} ended with exit code ${code}`);
}
