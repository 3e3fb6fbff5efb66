import './polyfills.ts';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {startElectron} from '../../main/shells/electron/start.ts';

// The product's shell as it is, in the smoke build.

void startElectron({
  root: process.env['INTERLEAVE_ROOT'] ?? '',
  version: 'smoke',
  worker: pathToFileURL(join(__dirname, 'engineWorker.js')),
  // its Node is too old for that: no test opens a page of the web there
  gateway: pathToFileURL(join(__dirname, 'gateway.mjs')),
  // nor loads live
  live: pathToFileURL(join(__dirname, 'live.mjs')),
  preload: join(__dirname, 'preload.js'),
  renderer: join(__dirname, 'renderer'),
});
