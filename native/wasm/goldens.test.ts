// @module-tag long
import {readFileSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import {buildWasmTests} from '../../main/setup/wasm.mjs';
import {WebAssembly} from './testing/webAssembly.ts';

// The tests of netsim that have goldens, built for WebAssembly. A test that fails traps, because a panic aborts there.

const NAMES = ['determinism', 'sctp_determinism'];
const modules = await buildWasmTests(NAMES);

describe.skipIf(modules === undefined)('netsim’s goldens hold in WebAssembly', () => {
  test.each(NAMES.map((name, index) => [name, modules?.[index] ?? '']))('%s', (_, path) => {
    const {exports} = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(path)));
    const {main} = exports as {main: (argc: number, argv: number) => number};
    expect(main(0, 0)).toBe(0);
  });
});
