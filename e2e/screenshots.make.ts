import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {test} from 'vitest';
import {openWindow, seek} from './window.ts';

// The README's pictures: the default demo, as the window shows it.

const folder = join(import.meta.dirname, 'screenshots');

test('screenshots', async () => {
  mkdirSync(folder, {recursive: true});
  const {page, close} = await openWindow();
  const shoot = (name: string) => page.screenshot({path: join(folder, `${name}.png`)});
  for (const theme of ['light', 'dark']) {
    for (const seconds of [7, 12]) {
      await seek(page, seconds);
      await shoot(`${theme}-${seconds}s`);
    }
    await page.keyboard.press('t');
  }
  await page.keyboard.press('p');
  await seek(page, 12);
  await shoot('presenter-12s');
  await close();
});
