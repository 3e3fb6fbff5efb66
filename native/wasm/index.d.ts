import type {Simulation} from '../addon/index.js';

/** The part of the addon with which page loads are computed. `native/addon/index.d.ts` documents this part. */
export interface Native {
  readonly Simulation: typeof Simulation;
  /**
   * Size in bytes of the memory of the module's current instance. This memory contains all simulations of the instance
   * that are not freed, and it never shrinks. After a panic, a new instance with a new memory takes its place.
   */
  readonly memoryBytes: number;
}

/**
 * Makes an instance of the module `interleave.wasm`, which `npm run wasm` builds. `module` is its bytes, or the
 * compiled `WebAssembly.Module`, which can be passed to workers. This function works in Node, in browsers and in their
 * workers.
 *
 * A panic of netsim, or memory that runs out, is thrown as an error with the code `INTERNAL`. All simulations of that
 * instance throw it from then on. New simulations get a new instance.
 */
export function openWasm(module: ArrayBuffer | ArrayBufferView | object): Promise<Native>;
