// @module-tag long
import {readFileSync} from 'node:fs';
import {test, vi} from 'vitest';
import {buildWasm, wasmModule} from '../../main/setup/wasm.mjs';
import {openWasm} from './index.js';

// This file runs all tests of the addon's Simulation on the class of the WebAssembly module, which reads no capture files.

const missing = await buildWasm();
vi.doMock('../addon/index.js', async () => {
  const {Simulation} = await openWasm(readFileSync(wasmModule));
  return {Simulation, readCapture: undefined};
});

if (missing === undefined) await import('../addon/addon.test.ts');
else test.skipIf(missing !== undefined)(missing, () => undefined);
