// A part of `npm run bench`: whole loads through the command line, in CPU time of all its threads.
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {bundleMain, bundleRenderer, bundles} from '../setup/bundle.mjs';
import {root} from '../setup/command.mjs';

await bundleMain();
/** @type {typeof import('./main.ts')} */
const {main} = await import(pathToFileURL(join(bundles, 'cli.mjs')).href);
/** With INTERLEAVE_BENCH=tiny it shows that it runs, not how fast. */
const isTiny = process.env['INTERLEAVE_BENCH'] === 'tiny';
await measure('n08-south-asia, TCP and SCTP', isTiny ? 1 : 200, ['--scenario', 'n08-south-asia']);
const gallery = ['--set', 'path.rttMs=350', '--set', 'path.loss=0.03'];
await measure('gallery at 350 ms, 3 %, TCP and SCTP', isTiny ? 1 : 50, gallery);

/**
 * Prints CPU time for each load of a pane; every seed has two.
 *
 * @param {string} name
 * @param {number} seeds
 * @param {string[]} args
 */
async function measure(name, seeds, args) {
  const loads = 2 * seeds;
  const before = process.cpuUsage();
  const code = await main(['run', ...args, '--seeds', `1-${seeds}`, '--csv'], {
    root,
    buildRenderer: bundleRenderer,
    writeOut: async () => {},
  });
  const {user, system} = process.cpuUsage(before);
  if (code !== 0) throw new Error(`interleave run ${args.join(' ')} ended with exit code ${code}`);
  const cpuMs = (user + system) / 1000;
  console.log(
    `command line, ${name}: ${(cpuMs / loads).toFixed(1)} CPU ms each, ${((1000 * loads) / cpuMs).toFixed(0)} per CPU s`,
  );
}
