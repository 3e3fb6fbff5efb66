#!/usr/bin/env node
// The program behind `npx interleave`. It bundles the TypeScript if the bundle is out of date, then runs the bundle.
import '../setup/node.mjs';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {isAddonWhole} from '../setup/addon.mjs';
import {bundleMain, bundleRenderer, bundles} from '../setup/bundle.mjs';
import {root} from '../setup/command.mjs';

try {
  if (isAddonWhole()) {
    await bundleMain();
    /** @type {typeof import('./main.ts')} */
    const {main} = await import(pathToFileURL(join(bundles, 'cli.mjs')).href);
    process.exitCode = await main(process.argv.slice(2), {root, buildRenderer: bundleRenderer});
  } else {
    console.error(`interleave: native/addon/index.node is damaged: run npm start or npm test once in ${root}`);
    process.exitCode = 1;
  }
} catch (error) {
  const {code, message} = /** @type {NodeJS.ErrnoException} */ (error);
  if (code === 'UNPATCHED') {
    console.error(`interleave: ${message} (in ${root})`);
  } else if (code === 'NO_ADDON') {
    console.error(`interleave: ${message}`);
  } else if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') {
    console.error(
      `interleave: the repository is not set up yet: run npm start or npm test once in ${root} (${message.split('\n')[0]})`,
    );
  } else {
    throw error;
  }
  process.exitCode = 1;
}
