// @module-tag long
import {createHash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {beforeAll, describe, expect, test} from 'vitest';
import {loadsOn} from '../../app/engine/loads.ts';
import {syntheticPage} from '../../app/page/synthetic.ts';
import {PIPELINES} from '../../app/pipelines/list.ts';
import {takeSnapshot} from '../../main/pages/base/pageSnapshot.ts';
import {openPageFor} from '../../main/pages/convertPage.ts';
import {findBrowser} from '../../main/setup/browser.mjs';
import {root} from '../../main/setup/command.mjs';
import {buildWasm, wasmModule} from '../../main/setup/wasm.mjs';
import * as addon from '../addon/index.js';
import {openWasm} from './index.js';
import {type Digest, digestsOf, type Job, scenarioOf} from './testing/digests.ts';
import {digestsInBrowser, FIREFOX, inChromium, inFirefox} from './testing/inBrowser.ts';
import {type NamedScenario, SCENARIOS} from './testing/scenarios.ts';

// The addon and the WebAssembly module give the same bytes: the trace file of each scenario, and the packets of each of
// its panes. The module runs in Node, in Chromium and in Firefox.

const missing = await buildWasm();
const PAGES = join(root, 'fixtures/pages');

async function jobOf({name, document}: NamedScenario): Promise<Job> {
  const scenario = scenarioOf(document);
  const {page} = scenario;
  const snapshot =
    page.kind === 'synthetic' ? takeSnapshot(syntheticPage(page), []) : await openPageFor(scenario, PAGES);
  return {name, document, page: snapshot};
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

const program = () => 'interleave test';

test('the compared scenarios have all pipelines', () => {
  const compared = SCENARIOS.flatMap(({document}) => scenarioOf(document).panes.map(({pipeline}) => pipeline));
  expect(new Set(compared)).toEqual(new Set(PIPELINES.map(({name}) => name)));
});

describe.skipIf(missing !== undefined)(missing ?? 'the WebAssembly module gives the bytes of the addon', () => {
  let jobs: Job[] = [];
  let native: Digest[] = [];

  beforeAll(async () => {
    jobs = await Promise.all(SCENARIOS.map(jobOf));
    native = await digestsOf(loadsOn(addon, program), jobs, sha256);
  });

  test('in Node', async () => {
    expect(jobs.length).toBeGreaterThanOrEqual(60);
    const wasm = await openWasm(readFileSync(wasmModule));
    expect(await digestsOf(loadsOn(wasm, program), jobs, sha256)).toEqual(native);
  });

  test.skipIf(findBrowser() === undefined)('in Chromium', async () => {
    expect(await digestsInBrowser(inChromium, jobs)).toEqual(native);
  });

  test.skipIf(FIREFOX === undefined)(`in Firefox (${FIREFOX})`, async () => {
    expect(await digestsInBrowser(inFirefox, jobs)).toEqual(native);
  });
});
