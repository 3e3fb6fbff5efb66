// npm run bench:compare -- FOLDER [--rounds 3]: measures this checkout and the checkout in FOLDER by turns, and prints
// the ratios of their CPU times. It fails if one of the measured times is more than 1.25 times as long here as in
// FOLDER.
//
// Times from two machines, or from one machine on two days, usually differ more than times of two versions of the
// program. So both checkouts are measured in the same run, one after the other, and the shortest time of all rounds
// counts.
import './node.mjs';
import {appendFileSync, existsSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {parseArgs} from 'node:util';
import {inOneLine, root, run, wholeNumber} from './command.mjs';

const BUILD = "import('./main/setup/addon.mjs').then(({buildAddon}) => buildAddon())";
/** What is measured: programs that print a line for each reading. @type {[string, ...string[]][]} */
const BENCHES = [['main/setup/cargo.mjs', 'run', '--quiet', '--release', '--example', 'bench'], ['main/cli/bench.mjs']];
/** Largest accepted ratio. Measurements of the same program differ by up to a tenth on a shared machine. */
const MOST = 1.25;

/**
 * Returns the CPU times that a bench printed, in ms, keyed by name. A speed in packets per CPU second becomes the time
 * of a packet.
 *
 * @param {string} text
 * @returns {Map<string, number>}
 */
export function readings(text) {
  const found = new Map();
  for (const line of text.split('\n')) {
    const core = /^ {2}(\S.*?) +\d+ loads\/CPU s \(([\d.]+) ms each\)/.exec(line);
    const whole = /^command line, (.+): ([\d.]+) CPU ms each/.exec(line);
    const bulk = /^ {2}(\d+) packets\/CPU s/.exec(line);
    const [, name, ms] = core ?? whole ?? [];
    if (name !== undefined) found.set(name, Number(ms));
    if (bulk !== null) found.set('TCP bulk, per packet', 1000 / Number(bulk[1]));
  }
  return found;
}

/**
 * Compares the shortest readings of both checkouts. Readings that only one of them has are left out.
 *
 * @param {readonly Map<string, number>[]} here a map for each round
 * @param {readonly Map<string, number>[]} there
 * @returns {{name: string, hereMs: number, thereMs: number, ratio: number}[]}
 */
export function compared(here, there) {
  const [mine, theirs] = [shortest(here), shortest(there)];
  return Array.from(mine).flatMap(([name, hereMs]) => {
    const thereMs = theirs.get(name);
    return thereMs === undefined ? [] : [{name, hereMs, thereMs, ratio: hereMs / thereMs}];
  });
}

/** @param {readonly Map<string, number>[]} rounds */
function shortest(rounds) {
  /** @type {Map<string, number>} */
  const best = new Map();
  for (const [name, ms] of rounds.flatMap(round => Array.from(round))) {
    best.set(name, Math.min(ms, best.get(name) ?? ms));
  }
  return best;
}

/** @param {string} folder */
async function measure(folder) {
  let text = '';
  for (const bench of BENCHES) {
    const {code, output} = await run(process.execPath, bench, {cwd: folder, capture: true});
    if (code !== 0) throw new Error(`${bench.join(' ')} in ${folder} ended with exit code ${code}`);
    text += output;
  }
  return readings(text);
}

async function main() {
  const {values, positionals} = parseArgs({
    allowPositionals: true,
    options: {rounds: {type: 'string', default: '3'}},
  });
  const [folder, ...more] = positionals;
  if (folder === undefined || more.length > 0 || !existsSync(join(folder, 'package.json'))) {
    throw new Error(
      `usage: npm run bench:compare -- FOLDER (the folder of another checkout; given: ${positionals.join(' ') || 'nothing'})`,
    );
  }
  const rounds = wholeNumber('--rounds', values.rounds);
  const there = resolve(folder);
  for (const checkout of [root, there]) {
    const {code} = await run(process.execPath, ['--eval', BUILD], {cwd: checkout});
    if (code !== 0) throw new Error(`the addon in ${checkout} cannot be built`);
  }
  /** @type {{here: Map<string, number>[], there: Map<string, number>[]}} */
  const found = {here: [], there: []};
  for (let round = 0; round < rounds; round++) {
    found.here.push(await measure(root));
    found.there.push(await measure(there));
  }
  const rows = compared(found.here, found.there);
  if (rows.length === 0) throw new Error('the checkouts measure nothing in common');
  const lines = rows.map(({name, hereMs, thereMs, ratio}) => {
    return `| ${name} | ${hereMs.toPrecision(3)} | ${thereMs.toPrecision(3)} | ${ratio.toFixed(2)} |`;
  });
  const table = ['| CPU time | here, ms | there, ms | ratio |', '|---|---|---|---|', ...lines].join('\n');
  console.log(table);
  const summary = process.env.GITHUB_STEP_SUMMARY;
  if (summary !== undefined && existsSync(summary)) appendFileSync(summary, `${table}\n`);
  const slower = rows.filter(({ratio}) => ratio > MOST).map(({name}) => name);
  if (slower.length > 0) throw new Error(`takes more than ${MOST} times as long as in ${there}: ${slower.join('; ')}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await inOneLine(main);
