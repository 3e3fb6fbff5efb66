// npm run mutate: makes faults on purpose, one at a time, and names those that no test notices.
//
//   npm run mutate -- [FILE…] [--since REF] [--most 100]     TypeScript: these files, or those that changed since REF
//   npm run mutate -- --rust --since REF                     Rust: the lines that changed since REF, by cargo-mutants
//
// A mutant is a file with one fault. A mutant of TypeScript is never written to disk: main/setup/mutate.config.ts gives
// it to vitest when a test imports the file. First, the test beside the file runs, or if there is none, the tests of
// the file's folder. If these do not fail, or do not exist, all tests run that import the file and belong to the
// project `pure` of vitest.config.ts: tests in app/, renderer/, main/engine and main/workers that need no browser,
// process or kernel. Tests with the tag `long` do not run.
import './node.mjs';
import {spawnSync} from 'node:child_process';
import {appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname, join, relative, resolve} from 'node:path';
import {parseArgs} from 'node:util';
import {patchedCrates} from './cargo.mjs';
import {inOneLine, root, run, wholeNumber} from './command.mjs';
import {mutantsOf} from './mutants.mjs';
import {installPackages} from './packages.mjs';

const CONFIG = 'main/setup/mutate.config.ts';

await inOneLine(async () => {
  const {values, positionals} = parseArgs({
    allowPositionals: true,
    options: {
      since: {type: 'string'},
      most: {type: 'string', default: '100'},
      rust: {type: 'boolean', default: false},
    },
  });
  const most = wholeNumber('--most', values.most);
  if (values.rust) {
    if (values.since === undefined) throw new Error('--rust needs --since REF');
    process.exitCode = await mutateRust(values.since);
    return;
  }
  await installPackages();
  const files = positionals.length > 0 ? positionals.map(path => relative(root, resolve(path))) : changed(values.since);
  process.exitCode = mutateTypeScript(files, most);
});

/**
 * Returns the files of TypeScript (and `.mjs` files) that changed since a commit, without tests and configurations.
 *
 * @param {string | undefined} since
 */
function changed(since) {
  if (since === undefined) throw new Error('usage: npm run mutate -- FILE… or --since REF');
  const names = git('diff', '--name-only', '--diff-filter=d', `${since}...`, '--', 'app', 'main', 'renderer');
  return names
    .split('\n')
    .filter(name => /\.(ts|tsx|mjs)$/.test(name) && !/\.test\.|\.d\.ts$|\.config\.|\/testing\//.test(name));
}

/** @param {string[]} args */
function git(...args) {
  const {status, stdout, stderr} = spawnSync('git', args, {cwd: root, encoding: 'utf8'});
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr.trim()}`);
  return stdout;
}

/**
 * @param {string[]} files
 * @param {number} most
 */
function mutateTypeScript(files, most) {
  const all = files.flatMap(path =>
    mutantsOf(readFileSync(join(root, path), 'utf8'), path).map(one => ({path, ...one})),
  );
  // At most `most` mutants are chosen, evenly spread over all files. The same files always give the same mutants.
  const chosen = all.filter(
    (_, at) => Math.floor((at * most) / all.length) !== Math.floor(((at - 1) * most) / all.length),
  );
  console.log(`mutate: ${chosen.length} of ${all.length} mutants of ${files.length} files`);
  for (const path of new Set(chosen.map(({path}) => path))) {
    if (!passes(testsOf(path))) throw new Error(`the tests of ${path} fail without a mutant`);
  }
  const survivors = chosen.filter(mutant => {
    const survives = isUnnoticed(mutant);
    console.log(`${survives ? 'unnoticed' : 'noticed'}: ${describe(mutant)}`);
    return survives;
  });
  report(survivors.map(describe), chosen.length);
  return survivors.length === 0 ? 0 : 1;
}

/** @param {{path: string} & import('./mutants.mjs').Mutant} mutant */
function isUnnoticed(mutant) {
  const tests = testsOf(mutant.path);
  const env = {INTERLEAVE_MUTANT: JSON.stringify({...mutant, path: join(root, mutant.path)})};
  return passes(tests, env) && (tests[0] === 'related' || passes(related(mutant.path), env));
}

/**
 * Returns vitest's arguments for the first tests of a file. These are the test beside the file, else the tests in the
 * file's folder, else all tests of the project `pure` that import the file.
 *
 * @param {string} path
 */
function testsOf(path) {
  const beside = [path.replace(/\.(tsx?|mjs)$/, '.test.ts'), path.replace(/\.tsx?$/, '.test.tsx')];
  const found = beside.filter(test => test !== path && existsSync(join(root, test)));
  if (found.length > 0) return ['run', ...found];
  const folder = dirname(path);
  const near = readdirSync(join(root, folder)).filter(name => /\.test\.tsx?$/.test(name));
  return near.length > 0 ? ['run', ...near.map(name => `${folder}/${name}`)] : related(path);
}

/** @param {string} path */
function related(path) {
  return ['related', path, '--project=pure'];
}

/**
 * @param {string[]} tests
 * @param {Record<string, string>} [env]
 */
function passes(tests, env = {}) {
  const options = ['--run', '--config', CONFIG, '--bail=1', '--tags-filter=!long', '--reporter=dot'];
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const {status} = spawnSync(process.execPath, [vitest, ...tests, ...options], {
    cwd: root,
    env: {...process.env, ...env},
    stdio: 'ignore',
    // a mutant may run forever
    timeout: 300_000,
  });
  return status === 0;
}

/** @param {{path: string} & import('./mutants.mjs').Mutant} mutant */
function describe({path, start, end, text}) {
  const source = readFileSync(join(root, path), 'utf8');
  const line = source.slice(0, start).split('\n').length;
  const short = (/** @type {string} */ code) => code.trim().replaceAll(/\s+/g, ' ').slice(0, 60) || 'nothing';
  return `${path}:${line}: ${short(source.slice(start, end))} → ${short(text === ';' ? '' : text)}`;
}

/**
 * @param {string[]} lines
 * @param {number} tried
 */
function report(lines, tried) {
  const text = [`no test noticed ${lines.length} of ${tried} mutants`, ...lines.map(line => `- ${line}`)].join('\n');
  console.log(text);
  const summary = process.env.GITHUB_STEP_SUMMARY;
  if (summary !== undefined && existsSync(summary)) appendFileSync(summary, `${text}\n`);
}

/** @param {string} since */
async function mutateRust(since) {
  if (spawnSync('cargo-mutants', ['mutants', '--version']).status !== 0) {
    throw new Error('cargo-mutants is missing: run cargo install cargo-mutants --locked');
  }
  const folder = join(root, 'native/target/mutants');
  mkdirSync(folder, {recursive: true});
  const diff = join(folder, 'changes.diff');
  writeFileSync(diff, git('diff', '--relative=native', `${since}...`, '--', 'native/netsim/src'));
  // Only netsim's own tests run. The tests of the addon would need Node.
  const tests = ['--package', 'netsim', '--profile', 'release'];
  const config = `--cargo-arg=--config=paths=${JSON.stringify(await patchedCrates())}`;
  const args = ['--dir', join(root, 'native'), '--in-diff', diff, '--output', folder, '--no-shuffle', config, ...tests];
  const {code} = await run('cargo', ['mutants', ...args], {env: {INTERLEAVE_PATCHED: '1'}});
  return code;
}
