import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, describe, expect, test} from 'vitest';
import type {Recording} from '../app/page/recording.ts';
import {openUnmeasuredWindow, seek, whySkipped} from './window.ts';

// A page that a browser has recorded, in the panes of the window.

const HTML = '<h1>Shop</h1><script src="files/1-shop.js"></script><div id="list"></div><p>The end.</p>';
const INSERTED = '<h2>Lamps</h2>';
const RECORDING: Recording<string> = {
  browser: 'Chrome/156',
  viewport: {width: 1024, height: 768},
  requests: [
    {
      object: 'files/1-shop.js',
      cause: {by: 'html', object: 'index.html'},
      type: 'script',
      priority: 'High',
      blocking: true,
      cpuMs: 0,
      waitMs: 0,
      runMs: 500,
    },
  ],
  insertions: [{cause: {by: 'script', object: 'files/1-shop.js'}, at: HTML.indexOf('</div>'), html: INSERTED}],
  boxes: [],
  all: {requests: 4, bytes: 4000},
};

describe.skipIf(whySkipped !== '')(`a recorded page${whySkipped}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'interleave-recorded-'));
  afterAll(() => rmSync(folder, {recursive: true}));

  test('shows what a script inserts as soon as the script has run, but not in a pane of a plain browser', async () => {
    const page = join(folder, 'shop');
    mkdirSync(join(page, 'files'), {recursive: true});
    const files = {
      'index.html': HTML,
      'files/1-shop.js': 'insert();',
      'files/recording.json': JSON.stringify(RECORDING),
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(page, name), text);
    const objects = Object.entries(files).map(([file, text]) => {
      return {
        address: `http://shop.test/${file}`,
        file,
        type: typeOf(file),
        bytes: text.length,
        sha256: '0'.repeat(64),
      };
    });
    const document = {address: 'http://shop.test/', date: '2026-11-28T12:00:00.000Z', objects, leftOut: []};
    writeFileSync(join(page, 'bundle.json'), JSON.stringify({...document, notLoaded: []}));
    const window = await openUnmeasuredWindow({
      page,
      browser: 'chromium',
      path: {rateBps: 1e8, rttMs: 100},
      panes: [{pipeline: 'tcp'}, {pipeline: 'tcp', browser: 'plain'}],
    });
    const textAt = async (seconds: number, pane: number) => {
      await seek(window.page, seconds);
      return await window.page.frameLocator('iframe').nth(pane).locator('body').innerText();
    };
    // the set-up, the HTML and the script take 0.3 s, and the script runs for 0.5 s
    await expect.poll(() => textAt(0.7, 0)).not.toContain('Lamps');
    await expect.poll(() => textAt(0.85, 0)).toMatch(/^Shop\s+Lamps\s+The end\.$/);
    expect(await textAt(0.85, 1)).toMatch(/^Shop\s+The end\.$/);
    await window.close();
  });
});

function typeOf(file: string): string {
  if (file.endsWith('.html')) return 'text/html';
  return file.endsWith('.js') ? 'text/javascript' : 'application/json';
}
