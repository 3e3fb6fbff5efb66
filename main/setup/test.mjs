// npm test: sets up what is missing, then runs every test. Ends with one line that counts them.
import {mkdirSync, readFileSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {buildAddon} from './addon.mjs';
import {runCargo} from './cargo.mjs';
import {root, runTool} from './command.mjs';
import {installPackages} from './packages.mjs';
import {installSystemPackages} from './system.mjs';
import {summary, tallyCargo, tallyVitest} from './tally.mjs';

const report = join(root, '.cache/vitest.json');
const tallies = [];
try {
  await installSystemPackages();
  await installPackages();
  await buildAddon();
  tallies.push(await testRust(), await testTypeScript());
} catch (error) {
  tallies.push({passed: 0, failed: 1, skipped: 0, notes: [`failed: ${error.message}`]});
}
for (const note of tallies.flatMap(({notes}) => notes)) console.log(note);
console.log(summary(tallies));
process.exitCode = tallies.every(({failed}) => failed === 0) ? 0 : 1;

async function testRust() {
  console.log('rust: cargo test');
  const args = ['test', '--quiet', '--workspace', '--no-fail-fast', '--', '--show-output'];
  const {code, output} = await runCargo(args, {capture: true});
  if (code !== 0) console.log(output);
  return tallyCargo(output, code);
}

async function testTypeScript() {
  console.log('typescript: vitest');
  rmSync(report, {force: true});
  mkdirSync(join(root, '.cache'), {recursive: true});
  const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const {code} = await runTool('vitest', args);
  return tallyVitest(readReport(), code);
}

function readReport() {
  try {
    return readFileSync(report, 'utf8');
  } catch {
    return undefined;
  }
}
