#!/usr/bin/env node
// `npx interleave`: bundles the TypeScript where it is out of date, then runs it.
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {bundleMain, bundleRenderer, bundles} from '../setup/bundle.mjs';

const root = join(import.meta.dirname, '../..');
try {
  await bundleMain();
  const {main} = await import(pathToFileURL(join(bundles, 'cli.mjs')).href);
  process.exitCode = await main(process.argv.slice(2), {root, buildRenderer: bundleRenderer});
} catch (error) {
  if (error.code === 'ERR_MODULE_NOT_FOUND' || error.code === 'MODULE_NOT_FOUND') {
    console.error(
      `interleave: not set up yet: run npm test once in ${root} (${error.message.split('\n')[0]})`,
    );
    process.exitCode = 1;
  } else throw error;
}
