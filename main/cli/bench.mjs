// A part of `npm run bench`: whole loads through the command line, in CPU time of all its threads.
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {bundleMain, bundleRenderer, bundles} from '../setup/bundle.mjs';
import {root} from '../setup/command.mjs';

await bundleMain();
/** @type {typeof import('./main.ts')} */
const {main} = await import(pathToFileURL(join(bundles, 'cli.mjs')).href);
const STEADY_BLOCKS = 8;
/** With INTERLEAVE_BENCH=tiny it shows that it runs, not how fast. */
const isTiny = process.env['INTERLEAVE_BENCH'] === 'tiny';
await measure('n08-south-asia, TCP and SCTP', isTiny ? 1 : 200, ['--scenario', 'n08-south-asia']);
const gallery = ['--set', 'path.rttMs=350', '--set', 'path.loss=0.03'];
await measure('gallery at 350 ms, 3 %, TCP and SCTP', isTiny ? 1 : 50, gallery);
/** What today's browsers do, and the CPU time that a load of it should take. */
const RIVALS = /** @type {const} */ ([
  ['six TCP connections', {pipeline: 'tcp', connections: 6, pipelining: false}, 1.5],
  ['HTTP/2', {pipeline: 'h2'}, 1],
  ['HTTP/3', {pipeline: 'h3'}, 1.5],
]);
for (const [name, pane, goalMs] of RIVALS) {
  const panes = `panes=${JSON.stringify([pane, pane])}`;
  await measure(`gallery, ${name} (goal ${goalMs} ms)`, isTiny ? 1 : 50, [...gallery, '--set', panes]);
}

/**
 * Prints CPU time for each load of a pane; every seed has two. The first time, V8 compiles on the way; of the times
 * after that the least counts, as others may use the machine.
 *
 * @param {string} name
 * @param {number} seeds
 * @param {string[]} args
 */
async function measure(name, seeds, args) {
  print(`${name}, with warm-up`, 2 * seeds, await cpuMsOf(seeds, args));
  const again = [];
  for (let i = 0; i < (isTiny ? 1 : STEADY_BLOCKS); i++) again.push(await cpuMsOf(seeds, args));
  print(`${name}, steady`, 2 * seeds, Math.min(...again));
}

/**
 * @param {number} seeds
 * @param {string[]} args
 */
async function cpuMsOf(seeds, args) {
  const before = process.cpuUsage();
  const code = await main(['run', ...args, '--seeds', `1-${seeds}`, '--csv'], {
    root,
    buildRenderer: bundleRenderer,
    writeOut: async () => {},
  });
  const {user, system} = process.cpuUsage(before);
  if (code !== 0) throw new Error(`interleave run ${args.join(' ')} ended with exit code ${code}`);
  return (user + system) / 1000;
}

/**
 * @param {string} name
 * @param {number} loads
 * @param {number} cpuMs
 */
function print(name, loads, cpuMs) {
  const each = `${(cpuMs / loads).toFixed(2)} CPU ms each`;
  console.log(`command line, ${name}: ${each}, ${((1000 * loads) / cpuMs).toFixed(0)} per CPU s`);
}
