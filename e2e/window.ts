import {cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {type Browser, chromium, type Page} from 'playwright-core';
import {afterAll, afterEach, beforeAll, expect} from 'vitest';
import type {Json} from '../app/base/json.ts';
import type {OpenedDocument} from '../app/host/contract.ts';
import {findPreset} from '../app/run/scenario/presets.ts';
import {findBrowser, launchSandboxed, PLAYWRIGHT_FEATURES} from '../main/setup/browser.mjs';
import {bundleMain, bundleRenderer} from '../main/setup/bundle.mjs';
import type {WebShell} from '../main/shells/webShell.ts';

/** Why the tests of the window are skipped; empty if they are run. */
export const whySkipped: string = findBrowser() === undefined ? ' (skipped: there is no Chromium or Chrome)' : '';

/**
 * The real window in headless Chromium: the built renderer, the engine, and the web shell, which is the local server of
 * the program's pages.
 */
export interface TestWindow {
  readonly page: Page;
  readonly shell: WebShell;
  close(): Promise<void>;
}

/** The default demo with seed 1, so that tests do not depend on which seed is the typical one. */
export const DEMO_OF_SEED_1: {readonly [key: string]: Json} = {
  ...findPreset('n07-movie')?.scenario,
  seed: 1,
  typicalOf: null,
};

/**
 * What windows of most tests remember: they were used before, their settings were open, and no scenario was stored. So
 * they begin with the demo, and not with the start screen.
 */
const USED: Json = {controls: true};

/**
 * Opens one window for all tests of a `describe`. After a failed test, a new window replaces the old one. So what the
 * test left behind in the old window cannot make later tests fail or wait in vain.
 */
export function oneWindow<T extends TestWindow>(open: () => Promise<T>): T {
  let window: T | undefined;
  beforeAll(async () => {
    window = await open();
  });
  afterEach(async ({task}) => {
    if (task.result?.state !== 'fail') return;
    await window?.close();
    window = await open();
  });
  afterAll(() => window?.close());
  return new Proxy({} as T, {get: (_, name) => Reflect.get(window ?? {}, name)});
}

/**
 * Opens the web shell. `opened` is the document that the window shows first. `remembered` is what an earlier window
 * stored; null if there was none.
 */
export async function openShell(opened: OpenedDocument | null = null, remembered = USED): Promise<WebShell> {
  await bundleMain();
  await bundleRenderer();
  return openInstalledShell(join(import.meta.dirname, '..'), opened, remembered);
}

/** Opens the web shell that is built in the folder `root`. */
async function openInstalledShell(root: string, opened: OpenedDocument | null, remembered = USED): Promise<WebShell> {
  // tests must not touch the stories of the user who runs the tests
  process.env['INTERLEAVE_DATA'] ??= mkdtempSync(join(tmpdir(), 'interleave-tests-data-'));
  const file = join(process.env['INTERLEAVE_DATA'], 'window.json');
  if (remembered === null) rmSync(file, {force: true});
  else writeFileSync(file, JSON.stringify(remembered));
  const web = (await import(
    pathToFileURL(join(root, 'dist/main/web.mjs')).href
  )) as typeof import('../main/shells/webShell.ts');
  return web.openWebShell({root, version: web.programVersion(), opened});
}

/** Installs the program in `folder`, for tests that damage the installation. */
export async function install(folder: string): Promise<void> {
  await bundleMain();
  await bundleRenderer();
  const root = join(import.meta.dirname, '..');
  for (const part of [
    'package.json',
    'dist/main',
    'native/addon/index.js',
    'native/addon/index.node',
    'native/addon/prebuilts.mjs',
    'fixtures/pages',
  ])
    cpSync(join(root, part), join(folder, part), {recursive: true});
  for (const part of ['dist/renderer', 'node_modules']) symlinkSync(join(root, part), join(folder, part));
}

/** Opens the window of an installation. Does not wait for the run. */
export async function openInstalledWindow(root: string): Promise<TestWindow> {
  return windowOf(await openInstalledShell(root, null));
}

/** Starts headless Chromium with further switches. `env` has its environment variables. */
export function openBrowser(switches: readonly string[] = [], env = process.env): Promise<Browser> {
  const quiet = ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'];
  const args = [...quiet, PLAYWRIGHT_FEATURES, ...switches];
  return launchSandboxed(
    chromiumSandbox => chromium.launch({executablePath: findBrowser() ?? '', args, chromiumSandbox, env: defined(env)}),
    () => undefined,
  );
}

function defined(env: NodeJS.ProcessEnv): {[name: string]: string} {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

let shared: Promise<Browser> | undefined;

/** Returns the browser of all windows. Each window has a browser context, which is a profile in memory, of its own. */
export function sharedBrowser(): Promise<Browser> {
  shared ??= openBrowser();
  return shared;
}

/**
 * Closes the shared browser, and starts a new one for the next windows. The new browser ignores the machine's settings
 * for drawing text, and uses fonts that every Debian has. So pictures of windows can be compared with pictures from
 * other machines.
 */
export async function restartWithPlainText(): Promise<void> {
  await closeSharedBrowser();
  const file = join(mkdtempSync(join(tmpdir(), 'interleave-fonts-')), 'fonts.conf');
  writeFileSync(file, PLAIN_TEXT);
  shared = openBrowser([], {...process.env, FONTCONFIG_FILE: file});
}

const PLAIN_TEXT = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  ${plainText('pattern')}
  ${plainText('font')}
  ${[
    ['Arial', 'DejaVu Sans'],
    ['sans-serif', 'DejaVu Sans'],
    ['Georgia', 'DejaVu Serif'],
    ['serif', 'DejaVu Serif'],
  ]
    .map(
      ([asked, used]) =>
        `<match target="pattern"><test name="family"><string>${asked}</string></test>` +
        `<edit name="family" mode="assign" binding="strong"><string>${used}</string></edit></match>`,
    )
    .join('\n  ')}
</fontconfig>
`;

function plainText(target: 'pattern' | 'font'): string {
  const values = [
    ['antialias', '<bool>true</bool>'],
    ['hinting', '<bool>true</bool>'],
    ['hintstyle', '<const>hintslight</const>'],
    ['autohint', '<bool>false</bool>'],
    ['rgba', '<const>none</const>'],
  ];
  const edits = values.map(([name, value]) => `<edit name="${name}" mode="assign">${value}</edit>`);
  return `<match target="${target}">${edits.join('')}</match>`;
}

/** Closes the shared browser. The next window starts a new browser. */
export async function closeSharedBrowser(): Promise<void> {
  const open = shared;
  shared = undefined;
  await (await open)?.close();
}

// Test files that run in one process share this module, which is evaluated only once. So this hook runs only after the
// first of these files, whose browser it closes. The later files share another browser, which ends with the process.
afterAll(closeSharedBrowser);

/** Opens the window with a scenario, by default the demo. Resolves when the run is computed and paused at t = 0. */
export function openWindow(scenario?: Json): Promise<TestWindow> {
  return openPaused(scenario);
}

/**
 * Opens the window like {@link openWindow}, but the pictures' quality is measured only when `measure` is called. That
 * call waits for the result. `prepare` is called before the page is opened.
 */
export async function openUnmeasuredWindow(
  scenario?: Json,
  prepare?: (page: Page) => Promise<unknown>,
): Promise<TestWindow & {measure(): Promise<void>}> {
  const window = await openPaused(scenario, async page => {
    await page.addInitScript(holdIdle);
    await prepare?.(page);
  });
  const measure = async (): Promise<void> => {
    await window.page.evaluate(() => (globalThis as IdleHolder).releaseIdle?.());
    await measured(window.page);
  };
  return {...window, measure};
}

interface IdleHolder {
  releaseIdle?(): void;
}

/** Runs in the browser. Delays idle callbacks until they are released, because pictures are measured in idle time. */
function holdIdle(): void {
  const request = window.requestIdleCallback.bind(window);
  const released = new Promise<void>(resolve => {
    (globalThis as IdleHolder).releaseIdle = resolve;
  });
  window.requestIdleCallback = (callback, options) => {
    void released.then(() => request(callback, options));
    return 0;
  };
}

async function openPaused(scenario?: Json, prepare?: (page: Page) => Promise<unknown>): Promise<TestWindow> {
  const opened = scenario === undefined ? null : {name: 'test.json', text: JSON.stringify(scenario)};
  const window = await windowOf(await openShell(opened), prepare);
  await pauseAtStart(window.page);
  return window;
}

/**
 * Opens the window without a document. `remembered` is what an earlier window stored. Does not wait for the run. The
 * pictures' quality is not measured.
 */
export async function openNewWindow(remembered: Json): Promise<TestWindow> {
  return windowOf(await openShell(null, remembered), page => page.addInitScript(holdIdle));
}

/** Opens another scenario in a window, as if the user had dropped its file. The run is paused at t = 0. */
export async function openInWindow({page}: Pick<TestWindow, 'page'>, scenario: Json): Promise<void> {
  await page.evaluate(dropFile, JSON.stringify(scenario));
  await pauseAtStart(page);
}

/** Drops the files at these paths in one drop, as from a file manager. */
export async function dropFiles(page: Page, ...paths: readonly string[]): Promise<void> {
  const files = paths.map(path => ({name: basename(path), base64: readFileSync(path).toString('base64')}));
  await page.evaluate(dropped => {
    const dataTransfer = new DataTransfer();
    for (const {name, base64} of dropped)
      dataTransfer.items.add(new File([Uint8Array.from(atob(base64), each => each.charCodeAt(0))], name));
    window.dispatchEvent(new DragEvent('drop', {dataTransfer}));
  }, files);
}

async function pauseAtStart(page: Page): Promise<void> {
  await page.locator('html[data-state=ready]').waitFor();
  if (await page.getByRole('button', {name: 'pause'}).isVisible()) await page.keyboard.press(' ');
  await page.keyboard.press('Home');
}

/** Runs in the browser. Drops a file. Resolves when the file's run is being computed. */
function dropFile(text: string): Promise<void> {
  const {documentElement} = document;
  const computing = new Promise<void>(resolve => {
    const observer = new MutationObserver(() => {
      if (documentElement.dataset['state'] === 'ready') return;
      observer.disconnect();
      resolve();
    });
    observer.observe(documentElement, {attributeFilter: ['data-state']});
  });
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([text], 'test.json'));
  window.dispatchEvent(new DragEvent('drop', {dataTransfer}));
  return computing;
}

async function windowOf(shell: WebShell, prepare?: (page: Page) => Promise<unknown>): Promise<TestWindow> {
  const browser = await sharedBrowser();
  const context = await browser.newContext({viewport: {width: 1280, height: 720}, colorScheme: 'light'});
  const page = await context.newPage();
  await prepare?.(page);
  await page.goto(shell.newAddress());
  return {
    page,
    shell,
    close: async () => {
      await context.close();
      await shell.close();
    },
  };
}

/** Opens a section of the side bar, if it is closed: the `nth` section, from 0, whose title contains this text. */
export async function unfold(page: Page, title: string, nth = 0): Promise<void> {
  const section = page.locator('.section', {has: page.locator('summary', {hasText: title})}).nth(nth);
  if (await section.evaluate(element => (element as HTMLDetailsElement).open)) return;
  await section.locator('summary').click();
  await expect.poll(() => section.getAttribute('open'), {message: title}).not.toBeNull();
}

/** Opens the popover with the choices of the timeline that are seldom changed, if it is closed. */
export async function openView(page: Page): Promise<void> {
  const view = page.getByRole('button', {name: 'View', exact: true});
  if ((await view.getAttribute('aria-expanded')) !== 'true') await view.click();
}

/** Takes the focus from every control, as a click beside all controls does, so that keys go to the window. */
export function leaveControls(page: Page): Promise<void> {
  return page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
}

/** Resolves when the quality of the pictures on the current page is measured. */
export async function measured(page: Page): Promise<void> {
  await page.locator('.pane-measuring').first().waitFor({state: 'detached'});
}

/** Types a time into the field of t. Resolves when the panes show this time. */
export async function seek(page: Page, seconds: number): Promise<void> {
  const field = page.getByLabel('t in seconds');
  await field.fill(String(seconds));
  await field.press('Enter');
  await page.locator(`[data-shown="${seconds}"]`).waitFor();
}

/** Moves the pointer down along the timeline's cursor until a tooltip has this text. Returns the pointer's place. */
export async function markUnderCursor(page: Page, text: RegExp): Promise<{readonly x: number; readonly y: number}> {
  const area = await page.locator('.timeline').boundingBox();
  const at = Number(await page.locator('.timeline-cursor').getAttribute('data-x'));
  if (area === null) throw new Error('no timeline');
  // whole pixels, because the event of the context menu has only whole pixels
  const x = Math.round(area.x + at);
  for (let y = Math.ceil(area.y); y < area.y + area.height; y += 3) {
    await page.mouse.move(x, y);
    const tips = await page.getByRole('tooltip').allTextContents();
    if (tips.some(tip => text.test(tip))) return {x, y};
  }
  throw new Error('no mark under the cursor');
}
