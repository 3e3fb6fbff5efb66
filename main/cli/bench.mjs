// npm run bench: whole loads through the command line, in CPU time of all its threads.
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {bundleMain, bundles} from '../setup/bundle.mjs';

const root = join(import.meta.dirname, '../..');
await bundleMain();
const {main} = await import(pathToFileURL(join(bundles, 'cli.mjs')).href);
const gallery = ['--set', 'path.rttMs=350', '--set', 'path.loss=0.03'];
await measure('n08-south-asia, TCP and SCTP', 400, ['--scenario', 'n08-south-asia', '--seeds', '1-200']);
await measure('gallery at 350 ms, 3 %, a pair of panes', 50, [...gallery, '--seeds', '1-50']);

async function measure(name, loads, args) {
  const before = process.cpuUsage();
  await main(['run', ...args, '--csv'], {root, writeOut: async () => {}});
  const {user, system} = process.cpuUsage(before);
  const cpuMs = (user + system) / 1000;
  console.log(
    `command line, ${name}: ${(cpuMs / loads).toFixed(1)} CPU ms each, ${((1000 * loads) / cpuMs).toFixed(0)} per CPU s`,
  );
}
