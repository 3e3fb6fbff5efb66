import {openWasm} from '../../../native/wasm/index.js';
import {setNative} from './platform/addon.ts';
import {endWorker, startOfWorker} from './platform/workerThreads.ts';

// This module runs as one of the engine's Web Workers. First it gets the network core (native/wasm), which takes the
// place of Node's native addon. Then it runs the same module that the engine's threads in Node run.

try {
  const {core} = await startOfWorker();
  setNative(await openWasm(core));
  await import('../../workers/engineWorker.ts');
} catch (error) {
  endWorker(error);
}
