import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, afterEach, describe, expect, test} from 'vitest';
import {openUnmeasuredWindow, type TestWindow, whySkipped} from './window.ts';

// Pages that would stop a window, or change while it is open.

describe.skipIf(whySkipped !== '')(`the window${whySkipped}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'interleave-hostile-pages-'));
  let window: TestWindow | undefined;
  afterEach(async () => {
    await window?.close();
    window = undefined;
  });
  afterAll(() => rmSync(folder, {recursive: true}));

  const numbered = (count: number, each: (i: number) => string) =>
    Array.from({length: count}, (_, i) => each(i));
  test.each([
    ['100,000 elements in each other', '<div>'.repeat(100_000), 'nested more than 512 deep'],
    ['10,000 images', numbered(10_000, i => `<img src=${i}.png>`).join(''), 'names more than 1000 objects'],
    ['5 MB of HTML', 'some text '.repeat(500_000), 'more than 1000000 bytes'],
    [
      'paragraphs that open 50 elements each',
      `<p>${numbered(50, i => `<b id=${i}>`).join('')}</p>${'<p>x</p>'.repeat(10_000)}`,
      'make more than 50000 elements',
    ],
  ])('shows what is within the limits of %s, and says what is left out', async (name, html, why) => {
    const page = join(folder, name.replaceAll(/\W/g, ''));
    mkdirSync(page);
    writeFileSync(join(page, 'index.html'), html);
    window = await openUnmeasuredWindow({page, path: {rateBps: 1e8, rttMs: 10}, panes: [{pipeline: 'tcp'}]});
    const notice = window.page.getByRole('alert');
    expect(await notice.textContent()).toContain(`Not all of the page ${page} is loaded`);
    expect(await notice.getByRole('listitem').textContent()).toContain(why);
    await window.page.keyboard.press('End');
    const elements = window.page.frameLocator('iframe').locator('body *');
    await expect.poll(() => elements.count()).toBeLessThanOrEqual(50_000);
    await notice.getByRole('button', {name: 'Dismiss'}).click();
    await notice.waitFor({state: 'detached'});
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
    /** Characters in each pane. */
    const shown = async ({page}: TestWindow): Promise<readonly number[]> => {
      await page.keyboard.press('End');
      const bodies = (await page.locator('.pane iframe').all()).map(frame =>
        frame.contentFrame().locator('body'),
      );
      return Promise.all(bodies.map(async body => (await body.textContent())?.length ?? 0));
    };
    const open = window;
    await expect.poll(() => shown(open)).toEqual([1003, 1003]);
    write(30_003);
    // another run of the same page
    await open.page.getByTitle('another seed (N)').click();
    await open.page.locator('html[data-state=ready]').waitFor();
    expect(await shown(open)).toEqual([1003, 1003]);
    await open.page.getByTitle('load again from the start (L)').click();
    await expect.poll(() => shown(open)).toEqual([30_003, 30_003]);
  });
});
