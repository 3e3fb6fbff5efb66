import './polyfills.ts';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {startElectron} from '../../main/shells/electron/start.ts';

// Starts the product's own Electron shell in the smoke build, which runs in Electron 9 (build.ts).

// in an installed program, the files that threads read are beside the archive (installed.ts)
const ownFolder = __dirname.replace(/app\.asar(?=[/\\]|$)/, 'app.asar.unpacked');

void startElectron({
  root: process.env['INTERLEAVE_ROOT'] ?? join(ownFolder, '../..'),
  version: 'smoke',
  worker: pathToFileURL(join(ownFolder, 'engineWorker.js')),
  // this file does not exist, because Node 12.14 is too old for it; no test fetches a page in this build
  gateway: pathToFileURL(join(__dirname, 'gateway.mjs')),
  // this file does not exist either; no test loads live in this build
  live: pathToFileURL(join(__dirname, 'live.mjs')),
  preload: join(__dirname, 'preload.js'),
  renderer: join(__dirname, 'renderer'),
});
