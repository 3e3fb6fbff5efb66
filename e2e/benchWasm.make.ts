import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {brotliCompressSync, gzipSync} from 'node:zlib';
import {test} from 'vitest';
import {loadsOn} from '../app/engine/loads.ts';
import {parseScenario} from '../app/run/scenario/scenario.ts';
import {encodeRun} from '../app/run/trace/runFile.ts';
import {openPageFor} from '../main/pages/convertPage.ts';
import {root} from '../main/setup/command.mjs';
import {buildWasm, wasmModule} from '../main/setup/wasm.mjs';
import * as addon from '../native/addon/index.js';
import {openWasm} from '../native/wasm/index.js';
import {isTiny} from './benchWindow.ts';

// Compares the WebAssembly module with the addon, in Node. Both compute the same loads in turn, so that their ratio
// does not depend on what else the machine does.

const ROUNDS = isTiny ? 1 : 40;
/** Number of loads before the measured ones. V8 compiles code again when the code has run for a while. */
const WARM_UP_ROUNDS = isTiny ? 0 : 200;
const PANES = {
  TCP: [{pipeline: 'tcp', profile: 'modern'}],
  SCTP: [{pipeline: 'sctp', profile: 'modern', streams: 11}],
  QUIC: [{pipeline: 'h3', profile: 'modern'}],
  'default demo': undefined,
} as const;

test('wasm', async () => {
  const missing = await buildWasm();
  if (missing !== undefined) return console.log(`wasm: skipped: ${missing}`);
  const module = readFileSync(wasmModule);
  const [gzip, brotli] = [gzipSync(module, {level: 9}), brotliCompressSync(module)];
  console.log(`wasm, module: ${kb(module)}, gzip ${kb(gzip)}, brotli ${kb(brotli)}`);
  const natives = [addon, await openWasm(module)].map(native => loadsOn(native, () => 'bench'));
  for (const [name, panes] of Object.entries(PANES)) {
    const parsed = parseScenario({
      path: {rateBps: 56_000, rttMs: 1080, loss: 0.043},
      ...(panes && {panes: [...panes]}),
    });
    if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
    const page = await openPageFor(parsed.scenario, join(root, 'fixtures/pages'));
    const times: number[][] = natives.map(() => []);
    for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
      for (const [index, {load}] of natives.entries()) {
        const startMs = performance.now();
        encodeRun(load(page, parsed.scenario, round + WARM_UP_ROUNDS));
        if (round >= 0) times[index]?.push(performance.now() - startMs);
      }
    }
    const [native = 0, wasm = 0] = times.map(each => each.sort((a, b) => a - b)[Math.floor(each.length / 2)] ?? 0);
    const ratio = (wasm / native).toFixed(2);
    console.log(`wasm, ${name}: ${wasm.toFixed(2)} ms a load, addon ${native.toFixed(2)} ms, ratio ${ratio}`);
  }
});

function kb(bytes: Uint8Array): string {
  return `${(bytes.length / 1000).toFixed(0)} kB`;
}
