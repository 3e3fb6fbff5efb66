import './polyfills.ts';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {startElectron} from '../../main/shells/electron/start.ts';

// The product's shell as it is, in the smoke build.

void startElectron({
  root: process.env['INTERLEAVE_ROOT'] ?? '',
  version: 'smoke',
  worker: pathToFileURL(join(__dirname, 'engineWorker.js')),
  preload: join(__dirname, 'preload.js'),
  renderer: join(__dirname, 'renderer'),
});
