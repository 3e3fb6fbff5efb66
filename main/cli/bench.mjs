// A part of `npm run bench`. It measures whole loads through the command line, in CPU time of all threads together.
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {bundleMain, bundleRenderer, bundles} from '../setup/bundle.mjs';
import {root} from '../setup/command.mjs';

await bundleMain();
/** @type {typeof import('./main.ts')} */
const {main} = await import(pathToFileURL(join(bundles, 'cli.mjs')).href);
const STEADY_BLOCKS = 8;
/** Whether INTERLEAVE_BENCH is `tiny`: the benchmark is then so short that it only tests whether the code runs. */
const isTiny = process.env['INTERLEAVE_BENCH'] === 'tiny';
/**
 * The number of seeds of a block, which is one call of `interleave run`. There are so many that the start of the
 * command counts little, and that V8 has compiled the code after the first block.
 */
const SEEDS = isTiny ? 1 : 200;
await measure('n08-south-asia, TCP and SCTP', ['--scenario', 'n08-south-asia']);
const gallery = ['--set', 'path.rttMs=350', '--set', 'path.loss=0.03'];
await measure('gallery at 350 ms, 3 %, TCP and SCTP', gallery);
/** The pipelines of today's browsers, and the CPU time in ms that one load over each of them should take. */
const RIVALS = /** @type {const} */ ([
  ['six TCP connections', {pipeline: 'tcp', connections: 6, pipelining: false}, 1.5],
  ['HTTP/2', {pipeline: 'h2'}, 1],
  ['HTTP/3', {pipeline: 'h3'}, 1.2],
]);
for (const [name, pane, goalMs] of RIVALS) {
  const panes = `panes=${JSON.stringify([pane, pane])}`;
  await measure(`gallery, ${name} (goal ${goalMs} ms)`, [...gallery, '--set', panes]);
}

/**
 * Prints the mean CPU time of one load, in two lines. The first line is the first block, which includes the time in
 * which V8 compiles the code. The second line is the later block with the least CPU time, because other programs may
 * use the machine at the same time. Every seed has two loads, because there are two panes.
 * @param {string} name
 * @param {string[]} args
 */
async function measure(name, args) {
  print(`${name}, with warm-up`, 2 * SEEDS, await cpuMsOf(args));
  const again = [];
  for (let i = 0; i < (isTiny ? 1 : STEADY_BLOCKS); i++) again.push(await cpuMsOf(args));
  print(`${name}, steady`, 2 * SEEDS, Math.min(...again));
}

/** @param {string[]} args */
async function cpuMsOf(args) {
  const before = process.cpuUsage();
  const code = await main(['run', ...args, '--seeds', `1-${SEEDS}`, '--csv'], {
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
