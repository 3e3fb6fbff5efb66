import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {programVersion} from '../../files/program.ts';
import {startElectron} from './start.ts';

// This is Electron's entry point. It is bundled into dist/main, where the worker and the preload script are as well.

const root = fileURLToPath(new URL('../..', import.meta.url));
void startElectron({
  // an installed program has the built-in pages beside its archive (main/setup/installers/configuration.mjs)
  root: root.replace(/app\.asar(?=[/\\]*$)/, 'app.asar.unpacked'),
  version: programVersion(),
  worker: new URL('./engineWorker.mjs', import.meta.url),
  gateway: new URL('./gateway.mjs', import.meta.url),
  live: new URL('./live.mjs', import.meta.url),
  preload: join(root, 'dist/main/preload.cjs'),
  renderer: join(root, 'dist/renderer'),
});
