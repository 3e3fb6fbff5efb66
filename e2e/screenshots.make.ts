import {execFileSync} from 'node:child_process';
import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import type {Page} from 'playwright-core';
import sharp from 'sharp';
import {beforeAll, test} from 'vitest';
import {measured, openWindow, seek} from './window.ts';

// Takes the pictures of README.md and docs/: the default demo in the window. The pictures of the tutorial are taken by
// pressing the keys that the tutorial names.

const folder = join(import.meta.dirname, 'screenshots');
const program = join(import.meta.dirname, '../main/cli/interleave.mjs');

beforeAll(() => mkdirSync(folder, {recursive: true}));

/** Takes a picture as WebP, which has a quarter of the PNG's size. */
async function shoot(page: Page, name: string): Promise<void> {
  const picture = sharp(await page.screenshot());
  await picture.webp({quality: 85, effort: 6}).toFile(join(folder, `${name}.webp`));
}

test('the window', async () => {
  const {page, close} = await openWindow();
  await measured(page);
  await seek(page, 12);
  await shoot(page, 'window');
  await page.keyboard.press('t');
  await shoot(page, 'window-dark');
  await page.keyboard.press('t');
  await page.keyboard.press('p');
  await page.locator('.toolbar').waitFor({state: 'hidden'});
  await shoot(page, 'presenter');
  await close();
});

test('the tutorial', async () => {
  const {page, close} = await openWindow();
  await measured(page);
  await seek(page, 8);
  await page.keyboard.press('.');
  await shoot(page, 'tutorial-loss');
  await page.keyboard.press('Escape');
  await page.getByLabel('Loss', {exact: true}).first().fill('0');
  await page.keyboard.press('Enter');
  await page.locator('html[data-state=ready]').waitFor();
  await seek(page, 12);
  await shoot(page, 'tutorial-no-loss');
  await page.keyboard.press('Control+z');
  await page.locator('html[data-state=ready]').waitFor();
  await page.keyboard.press('d');
  await page.getByLabel('seeds', {exact: true}).selectOption('100');
  await page.locator('.seeds-verdict', {hasText: /of 100 runs/}).waitFor();
  await shoot(page, 'tutorial-seeds');
  await page.keyboard.press('v');
  await page.getByLabel('Vary', {exact: true}).selectOption('panes.1.streams');
  await page.getByLabel('Vary: values').fill('1, 2, 4, 11');
  await page.getByLabel('Show', {exact: true}).selectOption('recognisableMs');
  await page.getByLabel('seeds', {exact: true}).selectOption('50');
  await page.getByLabel('Vary: values').press('Enter');
  await page.getByRole('button', {name: 'All runs are computed'}).waitFor();
  await shoot(page, 'tutorial-experiment');
  await close();
});

/** Pictures and movies that the program itself makes of the demo. */
test.each([
  // figures of the paper N07 (README.md)
  ['figure-14.png', ['filmstrip', '--set', 'path.loss=0', '--at', '4s,7s']],
  ['figure-15.png', ['filmstrip', '--set', 'path.loss=0.043', '--at', '6s,7s,12s']],
  // the README's movie begins at 5 s, because nothing can be seen before that
  ['demo.webp', ['record', '--size', '960x540', '--fps', '6', '--speed', '3', '--from=5s', '--reveal', '--no-title']],
] as const)('%s', (name, [command, ...options]) => {
  const words = [command, '--scenario', 'n07-movie', ...options, '--out', join(folder, name)];
  execFileSync(process.execPath, [program, ...words]);
});
