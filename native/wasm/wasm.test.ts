// @module-tag long
import {readFileSync} from 'node:fs';
import {setImmediate as turn} from 'node:timers/promises';
import {setFlagsFromString} from 'node:v8';
import {runInNewContext} from 'node:vm';
import {describe, expect, test} from 'vitest';
import {loadsOn} from '../../app/engine/loads.ts';
import {syntheticPage} from '../../app/page/synthetic.ts';
import {takeSnapshot} from '../../main/pages/base/pageSnapshot.ts';
import {buildWasm, wasmModule} from '../../main/setup/wasm.mjs';
import type {LinkParams, Simulation, SimulationOptions} from '../addon/index.js';
import {openWasm} from './index.js';
import {scenarioOf} from './testing/digests.ts';
import {WebAssembly} from './testing/webAssembly.ts';

const missing = await buildWasm();
const module = missing === undefined ? new WebAssembly.Module(readFileSync(wasmModule)) : {};

const link: LinkParams = {rateBps: 1e6, delayNs: 5e7, loss: {model: 'bernoulli', rate: 0.05}, queuePackets: 1000};
const OPTIONS: SimulationOptions = {
  seed: 1,
  path: {down: link, up: link, mtuBytes: 1500},
  record: {packets: true, bytes: true},
};

/** The server sends 100 kB over TCP. */
function download(simulation: Simulation): void {
  const end = {profile: 'modern'} as const;
  const {client, server} = simulation.openTcp({client: end, server: end});
  simulation.connect(client);
  for (let events = simulation.advance(); events.length > 0; events = simulation.advance()) {
    for (const {type, endpoint} of events) {
      if (type === 'connected' && endpoint === server) simulation.write(server, 0, new Uint8Array(100_000));
      if (type === 'readable') simulation.read(endpoint, 0);
    }
  }
}

function problemOf(call: () => unknown): {code: string; message: string; cause: string} {
  try {
    call();
  } catch (error) {
    return error as {code: string; message: string; cause: string};
  }
  throw new Error('the call did not throw');
}

describe.skipIf(missing !== undefined)(missing ?? 'the WebAssembly module', () => {
  test('imports nothing', () => {
    expect(WebAssembly.Module.imports(module)).toEqual([]);
  });

  async function memoryOver(loads: number): Promise<readonly number[]> {
    const wasm = await openWasm(module);
    const {loadToMeasure} = loadsOn(wasm, () => 'test');
    const synthetic = {indexBytes: 1000, objects: 2, objectBytes: 4000, headerBytes: 250, requestBytes: 200};
    const panes = [{pipeline: 'tcp'}, {pipeline: 'sctp', streams: 3}, {pipeline: 'h3'}] as const;
    const scenario = scenarioOf({page: {synthetic}, path: {loss: 0.05}, panes: [...panes]});
    const page = takeSnapshot(syntheticPage(synthetic), []);
    const sizes: number[] = [];
    for (let seed = 0; seed < loads; seed++) {
      expect(loadToMeasure(page, scenario, seed, seed % 3).outcome).toBe('complete');
      sizes.push(wasm.memoryBytes);
    }
    return sizes;
  }

  test('does not grow over a hundred loads', async () => {
    const sizes = await memoryOver(100);
    expect(sizes.at(-1)).toBe(sizes[50]);
  });

  test('does not grow over a thousand loads', {tags: ['long']}, async () => {
    const sizes = await memoryOver(1000);
    expect(sizes.at(-1)).toBe(sizes[50]);
  });

  test('does not grow over simulations that are collected without being freed', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const wasm = await openWasm(module);
    const sizes: number[] = [];
    for (let round = 0; round < 12; round++) {
      for (let count = 0; count < 10; count++) download(new wasm.Simulation({...OPTIONS, seed: count}));
      collect();
      await turn();
      await turn();
      sizes.push(wasm.memoryBytes);
    }
    expect(sizes.at(-1)).toBe(sizes[3]);
  });

  test('reports a panic as an error, and uses another instance from then on', async () => {
    const {Simulation} = await openWasm(module);
    const [broken, other] = [new Simulation(OPTIONS), new Simulation(OPTIONS)];
    const {client} = broken.openUdp();
    // no allocation of Rust can have more than 2^31 − 1 bytes on 32-bit systems
    const tooLarge = new Uint8Array(2 ** 31);
    const message = 'netsim panicked; this simulation cannot be used any more';
    const problem = problemOf(() => broken.send(client, 0, tooLarge));
    expect(problem).toMatchObject({code: 'INTERNAL', message, cause: expect.stringContaining('capacity overflow')});
    for (const call of [() => broken.nowNs, () => other.nowNs, () => other.free(), () => other.openUdp()])
      expect(problemOf(call)).toMatchObject({code: 'INTERNAL', message});
    const [after, fresh] = [new Simulation(OPTIONS), new (await openWasm(module)).Simulation(OPTIONS)];
    for (const simulation of [after, fresh]) download(simulation);
    expect(Buffer.compare(after.pcapng(), fresh.pcapng())).toBe(0);
  });

  test('can also be opened from its bytes', async () => {
    const {Simulation} = await openWasm(readFileSync(wasmModule));
    expect(new Simulation(OPTIONS).nowNs).toBe(0);
  });
});
