// npm run bench: sets up what is missing, then measures the core, its WebAssembly module, the command line, live loads
// and the gateway, and, if there is a browser, the window, movies and the web edition. It prints times and does not
// judge them. INTERLEAVE_BENCH=tiny makes all measurements very short, to check only that they work.
import './node.mjs';
import {buildAddon} from './addon.mjs';
import {findBrowser} from './browser.mjs';
import {runCargo} from './cargo.mjs';
import {inOneLine, run, runTool} from './command.mjs';
import {installPackages} from './packages.mjs';
import {installForWasm} from './wasm.mjs';

const MAKE = ['run', '--config', 'e2e/make.config.ts'];

await inOneLine(async () => {
  await installPackages();
  await installForWasm({isForTests: false});
  await buildAddon();
  await measure('core', runCargo(['run', '--quiet', '--release', '--example', 'bench']));
  await measure('wasm', runTool('vitest', [...MAKE, 'benchWasm']));
  await measure('command line', run(process.execPath, ['main/cli/bench.mjs']));
  await measure('live', runTool('vitest', [...MAKE, 'benchLive']));
  await measure('gateway', runTool('vitest', [...MAKE, 'benchBundle']));
  if (findBrowser() === undefined) console.log('window: skipped: there is no Chromium or Chrome');
  else await measure('window', runTool('vitest', [...MAKE, 'bench.make', 'benchMovie', 'benchSite']));
});

/**
 * @param {string} part
 * @param {Promise<{code: number}>} running
 */
async function measure(part, running) {
  const {code} = await running;
  if (code !== 0) throw new Error(`the bench of the ${part} ended with exit code ${code}`);
}
