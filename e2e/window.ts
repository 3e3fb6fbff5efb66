import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {type Browser, chromium, type Page} from 'playwright-core';
import type {OpenedDocument} from '../app/ipc/contract.ts';
import type {Json} from '../app/scenario/document.ts';
import {findBrowser} from '../main/setup/browser.mjs';
import {bundleMain, bundleRenderer, bundles} from '../main/setup/bundle.mjs';
import type {WebShell} from '../main/shells/web.ts';

/** Why the tests of the window are skipped; empty if they are not. */
export const whySkipped: string =
  findBrowser() === undefined ? ' (skipped: there is no Chromium or Chrome)' : '';

/** The real window: built renderer, web shell, engine, headless Chromium. */
export interface TestWindow {
  readonly page: Page;
  readonly shell: WebShell;
  close(): Promise<void>;
}

/** Opens the web shell; `opened` is what the window starts with. */
export async function openShell(opened: OpenedDocument | null = null): Promise<WebShell> {
  await bundleMain();
  await bundleRenderer();
  const root = join(import.meta.dirname, '..');
  const {version} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {version: string};
  const web = (await import(
    pathToFileURL(join(bundles, 'web.mjs')).href
  )) as typeof import('../main/shells/web.ts');
  return web.openWebShell({root, version, opened});
}

/** Headless Chromium. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: findBrowser() ?? '',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
    ],
  });
}

/** The window on a scenario (the default demo without one), its run computed, paused at t = 0. */
export async function openWindow(scenario?: Json): Promise<TestWindow> {
  const opened = scenario === undefined ? null : {name: 'test.json', text: JSON.stringify(scenario)};
  const shell = await openShell(opened);
  const browser = await openBrowser();
  const context = await browser.newContext({viewport: {width: 1280, height: 720}, colorScheme: 'light'});
  const page = await context.newPage();
  await page.goto(shell.url);
  await page.locator('html[data-state=ready]').waitFor();
  if (await page.getByRole('button', {name: 'pause'}).isVisible()) await page.keyboard.press(' ');
  await page.keyboard.press('Home');
  return {
    page,
    shell,
    close: async () => {
      await browser.close();
      await shell.close();
    },
  };
}

/** Shows t, as a presenter types it. Kept when the panes show it. */
export async function seek(page: Page, seconds: number): Promise<void> {
  const field = page.getByLabel('t in seconds');
  await field.fill(String(seconds));
  await field.press('Enter');
  await page.locator(`[data-shown="${seconds}"]`).waitFor();
}
