// @module-tag long
import {mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {crc32, deflateSync} from 'node:zlib';
import {afterAll, afterEach, describe, expect, test} from 'vitest';
import {root} from '../main/setup/command.mjs';
import {openUnmeasuredWindow, type TestWindow, whySkipped} from './window.ts';

// Pages that would stop a window, and a page that changes while the window is open.

describe.skipIf(whySkipped !== '')(`the window${whySkipped}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'interleave-hostile-pages-'));
  let window: TestWindow | undefined;
  afterEach(async () => {
    await window?.close();
    window = undefined;
  });
  afterAll(() => rmSync(folder, {recursive: true}));

  const numbered = (count: number, each: (i: number) => string) => Array.from({length: count}, (_, i) => each(i));
  test.each([
    ['100,000 nested elements', '<div>'.repeat(100_000), 'nested more than 512 deep'],
    ['10,000 images', numbered(10_000, i => `<img src=${i}.png>`).join(''), 'names more than 1000 objects'],
    ['5 MB of HTML', 'some text '.repeat(500_000), 'more than 1000000 bytes'],
    [
      'paragraphs that open 50 elements each',
      `<p>${numbered(50, i => `<b id=${i}>`).join('')}</p>${'<p>x</p>'.repeat(10_000)}`,
      'create more than 50000 elements',
    ],
  ])('shows what is within the limits of %s, and says what is left out', async (name, html, why) => {
    const page = join(folder, name.replaceAll(/\W/g, ''));
    mkdirSync(page);
    writeFileSync(join(page, 'index.html'), html);
    window = await openUnmeasuredWindow({page, path: {rateBps: 1e8, rttMs: 10}, panes: [{pipeline: 'tcp'}]});
    const notice = window.page.getByRole('alert');
    expect(await notice.textContent()).toContain(`Some parts of the page “${page}” are not loaded`);
    expect(await notice.getByRole('listitem').textContent()).toContain(why);
    await window.page.keyboard.press('End');
    const elements = window.page.frameLocator('iframe').locator('body *');
    await expect.poll(() => elements.count()).toBeLessThanOrEqual(50_000);
    await notice.getByRole('button', {name: 'Dismiss'}).click();
    await notice.waitFor({state: 'detached'});
  });

  test('shows pictures as far as possible: cut off, damaged, huge, SVG, and one 3,000 times', async () => {
    const page = join(folder, 'pictures');
    mkdirSync(page);
    const lake = readFileSync(join(root, 'fixtures/pages/gallery-baseline/lake.jpg'));
    const small = readFileSync(join(root, 'fixtures/pages/gallery-png/logo.png'));
    const damaged = Buffer.from(small).fill(0xff, 60);
    // for a picture of 20,000 × 20,000 pixels Chromium needs ten seconds and two gigabytes
    const huge = blackPng(8000, 8000);
    const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="50" height="40"><script>fetch("http://evil.test/a")</script>
      <image href="http://evil.test/b.png" width="9" height="9" /><style>@import "http://evil.test/c.css"</style></svg>`;
    const held = `data:image/png;base64,${Buffer.from(huge).toString('base64')}`;
    const files = {
      'cut.jpg': lake.subarray(0, 900),
      'damaged.png': damaged,
      'huge.png': huge,
      'drawn.svg': drawing,
      'held.svg': drawing.replace('http://evil.test/b.png', held),
    };
    for (const [name, bytes] of Object.entries(files)) writeFileSync(join(page, name), bytes);
    writeFileSync(join(page, 'small.png'), small);
    const images = Object.keys(files).map(name => `<img id=${name.split('.')[0]} src=${name}>`);
    writeFileSync(join(page, 'index.html'), `${images.join('')}<p>${'<img width=9 src=small.png>'.repeat(3000)}`);
    window = await openUnmeasuredWindow({page, path: {rateBps: 1e8, rttMs: 10}, panes: [{pipeline: 'tcp'}]});
    const asked: string[] = [];
    window.page.on('request', request => asked.push(request.url()));
    const notice = window.page.getByRole('alert');
    expect(await notice.getByRole('listitem').allTextContents()).toEqual([
      '/huge.png: it is a picture of 8000 × 8000 pixels (at most 50 million are shown)',
    ]);
    await window.page.keyboard.press('End');
    const frame = window.page.frameLocator('iframe');
    await expect.poll(() => frame.locator('img[data-percent="100"]').count()).toBe(3005);
    const widths = await frame
      .locator('img[id]')
      .evaluateAll(all => all.map(image => `${image.id} ${(image as HTMLImageElement).naturalWidth}`));
    expect(widths).toEqual(['cut 320', 'damaged 0', 'huge 0', 'drawn 50', 'held 0']);
    expect(asked.filter(address => /evil/.test(address))).toEqual([]);
  });

  test('shows a page as it was opened, in all panes, until it is loaded again', async () => {
    const page = join(folder, 'edited');
    mkdirSync(page);
    const write = (bytes: number) => {
      writeFileSync(join(page, 'index.html'), `<script src=a.js></script>${'.'.repeat(bytes)}`);
      writeFileSync(join(page, 'a.js'), new Uint8Array(bytes));
    };
    write(1003);
    window = await openUnmeasuredWindow({page, path: {rttMs: 20}});
    /** Returns the number of characters in each pane. */
    const shown = async ({page}: TestWindow): Promise<readonly number[]> => {
      await page.keyboard.press('End');
      const bodies = (await page.locator('.pane iframe').all()).map(frame => frame.contentFrame().locator('body'));
      return Promise.all(bodies.map(async body => (await body.textContent())?.length ?? 0));
    };
    const open = window;
    await expect.poll(() => shown(open)).toEqual([1003, 1003]);
    write(30_003);
    // another run of the same page
    await open.page.getByTitle('another seed (N)').click();
    await open.page.locator('html[data-state=ready]').waitFor();
    expect(await shown(open)).toEqual([1003, 1003]);
    await open.page.getByTitle('load the page again from the start (L)').click();
    await expect.poll(() => shown(open)).toEqual([30_003, 30_003]);
  });
});

/** A black picture of one bit a pixel. */
function blackPng(width: number, height: number): Uint8Array {
  const chunk = (type: string, data: Uint8Array): Uint8Array => {
    const bytes = Buffer.concat([Buffer.alloc(4), Buffer.from(type), data, Buffer.alloc(4)]);
    bytes.writeUInt32BE(data.length, 0);
    bytes.writeUInt32BE(crc32(bytes.subarray(4, -4)), bytes.length - 4);
    return bytes;
  };
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const rows = deflateSync(Buffer.alloc(height * (1 + Math.ceil(width / 8))));
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
