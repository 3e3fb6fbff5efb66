import {execFileSync} from 'node:child_process';
import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {beforeAll, test} from 'vitest';
import {measured, openWindow, seek} from './window.ts';

// The README's pictures: the default demo, as the window shows it.

const folder = join(import.meta.dirname, 'screenshots');

beforeAll(() => mkdirSync(folder, {recursive: true}));

test('screenshots', async () => {
  const {page, close} = await openWindow();
  await measured(page);
  const shoot = (name: string) => page.screenshot({path: join(folder, `${name}.png`)});
  for (const theme of ['light', 'dark']) {
    for (const seconds of [7, 12]) {
      await seek(page, seconds);
      await shoot(`${theme}-${seconds}s`);
    }
    await page.keyboard.press('t');
  }
  await seek(page, 12);
  await page.keyboard.press('p');
  await page.locator('.toolbar').waitFor({state: 'hidden'});
  await shoot('presenter-12s');
  await page.keyboard.press('t');
  await page.locator('html[data-theme=dark]').waitFor();
  await shoot('presenter-dark-12s');
  await close();
});

// N07's figures
test.each([
  ['figure-14', 'path.loss=0', '4s,7s'],
  ['figure-15', 'path.loss=0.043', '6s,7s,12s'],
])('%s', (name, loss, at) => {
  const program = join(import.meta.dirname, '../main/cli/interleave.mjs');
  const out = join(folder, `${name}.png`);
  const words = ['filmstrip', '--scenario', 'n07-movie', '--set', loss, '--at', at, '--out', out];
  execFileSync(process.execPath, [program, ...words]);
});
