import {mkdirSync} from 'node:fs';
import {test} from 'vitest';
import {openWindow} from './window.ts';
test('look', async () => {
  mkdirSync('/tmp/cause', {recursive: true});
  const {page, close} = await openWindow();
  const shoot = (name: string) => page.screenshot({path: `/tmp/cause/${name}.png`});
  await page.keyboard.press('.');
  await page.locator('.cause').waitFor();
  await page.waitForTimeout(500);
  await shoot('a1');
  await page.keyboard.press('t');
  for (let i = 0; i < 4; i++) await page.keyboard.press('.');
  await page.waitForTimeout(500);
  await shoot('a2');
  await page.keyboard.press('t');
  for (const key of ['2', '3', '4']) { await page.keyboard.press(key); await page.waitForTimeout(300); await shoot(`v${key}`); }
  await page.keyboard.press('1');
  await page.keyboard.press('o');
  await page.waitForTimeout(300); await shoot('overlaid');
  await page.keyboard.press('o');
  await page.setViewportSize({width: 1920, height: 1080});
  await page.keyboard.press('p');
  await page.waitForTimeout(4000); await shoot('present');
  await page.setViewportSize({width: 1024, height: 768});
  await page.waitForTimeout(800); await shoot('present1024');
  await close();
});
