// @module-tag long
import {readFileSync} from 'node:fs';
import {beforeAll, describe, expect, test} from 'vitest';
import {findBrowser} from '../../main/setup/browser.mjs';
import {buildWasm, buildWasmTests} from '../../main/setup/wasm.mjs';
import {FIREFOX, inChromium, inFirefox, testsInBrowser} from './testing/inBrowser.ts';
import {resultOfTests} from './testing/webAssembly.ts';

// These tests run the tests of netsim that have goldens, and a test that fails, built for WebAssembly. A panic aborts
// there, so a failing test ends with a trap.

const missing = await buildWasm();
const RESULTS = [0, 0, expect.stringContaining('unreachable')];

/** The build takes a minute, and longer on a busy machine. */
const BUILD_MS = 900_000;

describe.skipIf(missing !== undefined)('netsim’s goldens hold in WebAssembly, and a test that fails is noticed', () => {
  let tests: readonly Uint8Array[] = [];

  beforeAll(async () => {
    const paths = await buildWasmTests(['determinism', 'sctp_determinism', 'failing']);
    tests = (paths ?? []).map(path => readFileSync(path));
  }, BUILD_MS);

  test('in Node', () => {
    expect(tests.map(resultOfTests)).toEqual(RESULTS);
  });

  test.skipIf(findBrowser() === undefined)('in Chromium', async () => {
    expect(await testsInBrowser(inChromium, tests)).toEqual(RESULTS);
  });

  test.skipIf(FIREFOX === undefined)(`in Firefox (${FIREFOX})`, async () => {
    expect(await testsInBrowser(inFirefox, tests)).toEqual(RESULTS);
  });
});
