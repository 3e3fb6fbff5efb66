// npm test: sets up what is missing, then runs all tests except those with the tag `long`, which `npm run test:long`
// runs. The last line of the output says how many tests passed, failed and were skipped.
import './node.mjs';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, relative} from 'node:path';
import {buildAddon} from './addon.mjs';
import {installAioquic} from './aioquic.mjs';
import {bundleMain, bundleRenderer} from './bundle.mjs';
import {runCargo} from './cargo.mjs';
import {root, runTool} from './command.mjs';
import {readIfThere} from './fingerprint.mjs';
import {installPackages} from './packages.mjs';
import {installSystemPackages} from './system.mjs';
import {failedFiles, joinedRuns, longest, summary, tallyCargo, tallyVitest} from './tally.mjs';
import {buildWasm, installForWasm} from './wasm.mjs';

const isLong = process.argv.includes('--long');
/**
 * A busy machine can make a test with browsers, processes or kernels fail. So each test file that failed is run once
 * more, except for those of the project `pure`, which do not depend on the machine. The output names each test that
 * passed only then. A whole file is run, because a test may depend on the tests before it. If more files than this
 * failed, the machine is not the reason.
 */
const MOST_AGAIN = 20;
/**
 * Crates that are compiled for the Rust tests: only tests use these crates, or tests use them with more features than
 * the addon does. The tests run little of the crates' code, so optimizing it would take longer than it saves.
 */
const ONLY_IN_TESTS = ['napi', 'nix', 'regex-syntax', 'rustix', 'sctp-proto', 'socket2', 'tempfile', 'tun-rs'];
/** @type {import('./tally.mjs').Tally[]} */
const tallies = [];
try {
  await timed('set-up', async () => {
    await installSystemPackages();
    // only long tests use the WebAssembly module
    if (isLong) await installForWasm();
    // these run at the same time, because cargo compiles the last crates of a build one after the other, on one core
    await Promise.all([buildAddon(), setUpTypeScript(), ...(isLong ? [setUpWasm()] : [])]);
  });
  if (!isLong) tallies.push(await timed('rust', testRust));
  tallies.push(await timed('typescript', testTypeScript));
} catch (error) {
  tallies.push({
    passed: 0,
    failed: 1,
    skipped: 0,
    notes: [`failed: ${error instanceof Error ? error.message : error}`],
  });
}
for (const note of tallies.flatMap(({notes}) => notes)) console.log(note);
console.log(summary(tallies));
process.exitCode = tallies.every(({failed}) => failed === 0) ? 0 : 1;

/**
 * @template T
 * @param {string} part
 * @param {() => Promise<T>} work
 */
async function timed(part, work) {
  const startMs = performance.now();
  const result = await work();
  console.log(`${part}: ${((performance.now() - startMs) / 1000).toFixed(0)} s`);
  return result;
}

async function setUpTypeScript() {
  await installPackages();
  await installAioquic();
  await bundleMain();
  await bundleRenderer();
}

async function setUpWasm() {
  const missing = await buildWasm();
  if (missing !== undefined) console.log(`wasm: its tests are skipped: ${missing}`);
}

async function testRust() {
  console.log('rust: cargo test');
  // The dependencies are built as for a release. Our own crates are not optimized: the tests run for half a minute, and
  // optimizing these crates takes more than a minute. Optimized code is tested by the tests of the addon, by those of
  // the WebAssembly module, and every night by the test `swarm`, which runs random scenarios.
  const own = {'debug-assertions': true, 'overflow-checks': true, 'opt-level': 0, 'codegen-units': 16};
  const checks = [
    ...['netsim', 'binding'].flatMap(name => Object.entries(own).map(entry => [name, ...entry])),
    ...ONLY_IN_TESTS.map(name => [name, 'opt-level', 0]),
  ].flatMap(([name, key, value]) => ['--config', `profile.release.package.${name}.${key}=${value}`]);
  // `--tests` leaves out the examples, which are not tests. `npm run check` compiles them.
  const which = ['--workspace', '--tests', '--no-fail-fast'];
  /** @type {[string, ...string[]]} */
  const args = ['test', '--quiet', '--release', ...checks, ...which, '--', '--show-output'];
  const {code, output} = await runCargo(args, {capture: true});
  if (code !== 0) console.log(output);
  return tallyCargo(output, code);
}

async function testTypeScript() {
  console.log('typescript: vitest');
  const first = await runVitest([]);
  console.log(['typescript: what took longest:', ...longest(first.report, root)].join('\n'));
  const failed = failedFiles(first.report).map(path => relative(root, path));
  if (first.report === undefined || failed.length === 0 || failed.length > MOST_AGAIN)
    return tallyVitest(first.report, first.code, {isLong});
  console.log(`typescript: once more, except for tests of the project pure: ${failed.join(' ')}`);
  const second = await runVitest(['--project=!pure', '--passWithNoTests', ...failed]);
  const {report, code} = joinedRuns({...first, report: first.report}, second);
  return tallyVitest(report, code, {isLong});
}

/**
 * Runs vitest. With `--long` it runs only tests with the tag `long`, otherwise only tests without this tag. The
 * arguments `selection` limit the run further.
 * @param {string[]} selection
 */
async function runVitest(selection) {
  // this run has a folder of its own, because another `npm test` may be running in this checkout
  const folder = mkdtempSync(join(tmpdir(), 'interleave-vitest-'));
  const path = join(folder, 'report.json');
  const unhandledPath = join(folder, 'unhandled.txt');
  const args = [
    'run',
    `--tags-filter=${isLong ? '' : '!'}long`,
    '--reporter=default',
    '--reporter=json',
    `--reporter=${join(root, 'main/setup/unhandledErrors.mjs')}`,
    `--outputFile.json=${path}`,
    ...selection,
  ];
  process.env['INTERLEAVE_UNHANDLED_ERRORS'] = unhandledPath;
  const {code} = await runTool('vitest', args);
  const report = readIfThere(path);
  // If vitest itself has ended early, the number of errors that belong to no test is not known. Then 1 is assumed.
  const unhandled = Number(readIfThere(unhandledPath) ?? 1);
  rmSync(folder, {recursive: true});
  return {code, report, unhandled};
}
