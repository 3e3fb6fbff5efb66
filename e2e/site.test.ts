// @module-tag long
import {execFile} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {buffer} from 'node:stream/consumers';
import {pathToFileURL} from 'node:url';
import {promisify} from 'node:util';
import type {BrowserContext, Page} from 'playwright-core';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {ZipFile} from 'yazl';
import {siteLink} from '../app/run/scenario/link.ts';
import {builtSite} from '../main/setup/site.mjs';
import {faultsOf, type SiteServer, serveSite, whySiteSkipped} from './siteServer.ts';
import {openBrowser, sharedBrowser} from './window.ts';

// The web edition in a real browser: a static folder behind a server of this test, which only sends files.

const ROOT = join(import.meta.dirname, '..');

const whyNone = await whySiteSkipped();

describe.skipIf(whyNone !== '')(`the web edition${whyNone}`, () => {
  let site: SiteServer;
  const contexts: BrowserContext[] = [];
  beforeAll(async () => {
    site = await serveSite();
  });
  afterAll(async () => {
    for (const context of contexts) await context.close();
    await site?.stop();
  });

  async function openTab(path = ''): Promise<Page> {
    const browser = await sharedBrowser();
    const context = await browser.newContext({viewport: {width: 1280, height: 800}, colorScheme: 'light'});
    contexts.push(context);
    const page = await context.newPage();
    await page.goto(site.address + path);
    return page;
  }

  async function openReady(path = ''): Promise<Page> {
    const page = await openTab(path);
    await page.locator('html[data-state=ready]').waitFor();
    return page;
  }

  test('plays the default demo, with no error and no request to anybody else, and needs at most 1.5 MB', async () => {
    const browser = await sharedBrowser();
    // the service worker is blocked, because it would fetch further files for offline use
    const context = await browser.newContext({serviceWorkers: 'block'});
    contexts.push(context);
    const page = await context.newPage();
    const faults = faultsOf(page);
    const before = site.sentBytes();
    await page.goto(site.address);
    await page.getByRole('button', {name: 'pause'}).waitFor();
    await expect.poll(() => page.getByLabel('t in seconds').inputValue().then(Number)).toBeGreaterThan(0);
    expect(await page.locator('.pane').count()).toBe(2);
    expect(await page.locator('#late').isVisible()).toBe(false);
    const bytes = site.sentBytes() - before;
    expect(bytes).toBeGreaterThan(1_000_000);
    expect(bytes).toBeLessThan(1_500_000);
    expect(faults).toEqual([]);
  });

  test('works where the browser stores nothing', async () => {
    const page = await (await (await sharedBrowser()).newContext()).newPage();
    contexts.push(page.context());
    const faults = faultsOf(page);
    await page.addInitScript(() => {
      const get = () => {
        throw new DOMException('denied', 'SecurityError');
      };
      for (const name of ['localStorage', 'sessionStorage', 'indexedDB']) Object.defineProperty(window, name, {get});
      Object.defineProperty(Navigator.prototype, 'serviceWorker', {get});
    });
    await page.goto(site.address);
    await page.locator('html[data-state=ready]').waitFor();
    await drop(page, 'trip.zip', await zipOf({'index.html': Buffer.from('<h1>Trip</h1>')}));
    await page.getByText('the page cannot be stored: the browser stores nothing for this page').waitFor();
    expect(faults).toEqual([]);
  });

  test('says what is needed if its scripts do not run, as from a file', async () => {
    const page = await (await (await sharedBrowser()).newContext()).newPage();
    contexts.push(page.context());
    await page.goto(pathToFileURL(join(await builtSite(), 'index.html')).href);
    await expect.poll(() => page.locator('#late').evaluate(each => getComputedStyle(each).opacity)).toBe('1');
  });

  test('computes a changed setting, and undoes it', async () => {
    const page = await openReady();
    await page.getByRole('button', {name: 'Settings'}).click();
    const before = await timesOf(page);
    const rtt = page.locator('[data-setting="path.rttMs"] input').first();
    await rtt.fill('300');
    await rtt.press('Enter');
    await expect.poll(() => timesOf(page)).not.toEqual(before);
    await page.keyboard.press('Control+z');
    await expect.poll(() => timesOf(page)).toEqual(before);
  });

  test('shows stories, and many seeds', async () => {
    const page = await openReady('#story=one-lost-packet');
    await page.locator('.story-bar[data-step="1"]').waitFor();
    await page.getByRole('button', {name: 'end story'}).click();
    const seeds = await openReady();
    await seeds.keyboard.press('d');
    await seeds.getByLabel('seeds', {exact: true}).selectOption('20');
    await seeds.locator('.seeds-verdict', {hasText: /of 20 runs/}).waitFor();
  });

  test('runs an experiment', async () => {
    const small = {page: {synthetic: {indexBytes: 1000, objects: 3, objectBytes: 3000}}, path: {rttMs: 200}};
    const page = await openReady(siteLink(small, ''));
    await page.keyboard.press('v');
    await page.getByLabel('Vary', {exact: true}).selectOption({label: 'loss each way, %'});
    await page.getByLabel('Vary: values').fill('2, 10');
    await page.getByLabel('seeds', {exact: true}).selectOption('10');
    await page.getByLabel('Vary: values').press('Enter');
    await page.getByRole('button', {name: 'All runs are computed'}).waitFor();
    expect(await page.locator('.experiment-verdict').textContent()).toContain(
      'Whole page from navigation against loss each way',
    );
  });

  test('opens a zip of a page, keeps it over a reload, and saves it as a zip that opens again', async () => {
    const page = await openReady();
    const folder = mkdtempSync(join(tmpdir(), 'interleave-site-'));
    try {
      const html = Buffer.from('<title>Trip</title><h1>Trip</h1><img src=lake.jpg><img src=gone.png>');
      const lake = readFileSync(join(ROOT, 'fixtures/pages/gallery/lake.jpg'));
      await drop(page, 'trip.zip', await zipOf({'trip/index.html': html, 'trip/lake.jpg': lake}));
      await expect.poll(() => shownPage(page)).toContain('trip');
      await page.locator('html[data-state=ready]').waitFor();
      await page.reload();
      await expect.poll(() => shownPage(page)).toContain('trip');
      const zip = join(folder, 'trip.zip');
      await save(page, () => clickFile(page, 'zip'), zip);
      const other = await openReady();
      await drop(other, 'saved.zip', readFileSync(zip));
      await expect.poll(() => shownPage(other)).toContain('trip');
      await other.getByRole('button', {name: '1 left out'}).waitFor();
    } finally {
      rmSync(folder, {recursive: true});
    }
  });

  test('saves the same bytes as the command line', async () => {
    const page = await openReady('#scenario=n07-hsdpa');
    await page.getByRole('button', {name: 'Settings'}).click();
    const folder = mkdtempSync(join(tmpdir(), 'interleave-site-'));
    const run = (...args: readonly string[]) =>
      promisify(execFile)(process.execPath, [join(ROOT, 'main/cli/interleave.mjs'), ...args], {cwd: folder});
    try {
      const scenario = ['--scenario', 'n07-hsdpa'];
      await run('trace', ...scenario, '--out', 'command.trace');
      await run('qlog', ...scenario, '--pane', '1', '--vantage', 'client', '--out', 'command.sqlog');
      await run('har', ...scenario, '--pane', '2', '--content', '--out', 'command.har');
      await run('pcap', ...scenario, '--pane', '2', '--out', 'command.pcapng');
      await save(page, () => clickFile(page, 'trace'), join(folder, 'site.trace'));
      await save(page, () => clickFile(page, 'qlog client'), join(folder, 'site.sqlog'));
      await save(page, () => clickFile(page, 'HAR', 1), join(folder, 'site.har'));
      await save(page, () => clickFile(page, 'pcapng', 1), join(folder, 'site.pcapng'));
      for (const kind of ['trace', 'sqlog', 'har', 'pcapng']) {
        const [ours, theirs] = ['site', 'command'].map(name => readFileSync(join(folder, `${name}.${kind}`)));
        expect(ours?.equals(theirs ?? Buffer.alloc(0)), kind).toBe(true);
      }
    } finally {
      rmSync(folder, {recursive: true});
    }
  });

  test('has links that show the same scenario, and says what is wrong with a damaged one', async () => {
    const page = await openReady('#scenario=one-lost-packet');
    expect(await page.locator('.pane').count()).toBe(6);
    await page.evaluate(() => {
      document.addEventListener('copy', () => {
        const {activeElement} = document;
        if (activeElement instanceof HTMLTextAreaElement) document.title = activeElement.value;
      });
    });
    await page.getByRole('button', {name: 'Tools'}).click();
    await page.getByRole('button', {name: 'Copy link'}).click();
    const link = await page.title();
    expect(link).toMatch(new RegExp(`^${site.address}#scenario=[\\w-]+$`));
    expect(link).toBe(siteLink(await scenarioOf(page), site.address));
    const fragment = link.slice(site.address.length);
    const other = await openReady(fragment);
    expect(await timesOf(other)).toEqual(await timesOf(page));
    const damaged = await openTab(fragment.slice(0, -10));
    await damaged.getByText('the link is incomplete or damaged').waitFor();
    await damaged.locator('html[data-state=ready]').waitFor();
  });

  test('has the converted pictures of its pages', async () => {
    const page = await openReady('#scenario=through-a-gateway');
    await page.getByRole('button', {name: 'Settings'}).click();
    const folder = mkdtempSync(join(tmpdir(), 'interleave-site-'));
    try {
      const args = [join(ROOT, 'main/cli/interleave.mjs'), 'trace', '--scenario', 'through-a-gateway'];
      await promisify(execFile)(process.execPath, [...args, '--out', 'command.trace'], {cwd: folder});
      await save(page, () => clickFile(page, 'trace'), join(folder, 'site.trace'));
      const [ours, theirs] = ['site', 'command'].map(name => readFileSync(join(folder, `${name}.trace`)));
      expect(ours?.equals(theirs ?? Buffer.alloc(0))).toBe(true);
    } finally {
      rmSync(folder, {recursive: true});
    }
  });

  test('says what a browser needs to record movies', async () => {
    const page = await openReady();
    await record(page, {format: 'webm'});
    await page.getByText(/^Movies need HTML-in-Canvas, .*chrome:\/\/flags\/#canvas-draw-element.*npm start/).waitFor();
  });

  test('records the same movie as the command line, and can cancel a recording', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'interleave-site-'));
    const browser = await openBrowser(['--enable-blink-features=CanvasDrawElement']);
    try {
      // the window is smaller than the movie
      const page = await (await browser.newContext({viewport: {width: 600, height: 500}})).newPage();
      const faults = faultsOf(page);
      await page.goto(`${site.address}#scenario=n07-hsdpa`);
      await page.locator('html[data-state=ready]').waitFor();
      const fields = {format: 'webm', size: '640x360', 'from, s': '1', speed: '1', file: 'short'};
      const [download] = await Promise.all([page.waitForEvent('download'), record(page, {...fields, 'to, s': '1.2'})]);
      expect(download.suggestedFilename()).toBe('short.webm');
      await page.getByText('Recorded short.webm').waitFor();
      expect(await page.getByRole('button', {name: 'Show file'}).count()).toBe(0);
      const movie = [...'record --from 1 --to 1.2 --speed 1 --size 640x360 --no-title --no-results'.split(' ')];
      const args = [...movie, '--scenario', 'n07-hsdpa', '--out', 'command.webm'];
      await promisify(execFile)(process.execPath, [join(ROOT, 'main/cli/interleave.mjs'), ...args], {cwd: folder});
      const [ours, theirs] = [readFileSync(await download.path()), readFileSync(join(folder, 'command.webm'))];
      expect(ours.equals(theirs)).toBe(true);

      await record(page, {...fields, 'to, s': ''});
      await page.getByRole('button', {name: 'Cancel'}).click();
      await page.getByText('it was cancelled').waitFor();
      expect(await page.locator('iframe.stage-frame').count()).toBe(0);
      expect(faults).toEqual([]);
    } finally {
      await browser.close();
      rmSync(folder, {recursive: true});
    }
  });

  test('says that pages of the web need the desktop program', async () => {
    const page = await openReady();
    await page.keyboard.press('Control+l');
    await page.keyboard.insertText('https://example.test/');
    await page.keyboard.press('Enter');
    await page
      .getByText(/Pages of the web \(https:\/\/example\.test\/\) need the desktop program: .*npm start/)
      .waitFor();
  });

  test('can be embedded without its settings, and the page around it controls it', async () => {
    const example = readFileSync(join(ROOT, 'examples/embed-slides.html'), 'utf8');
    const page = await openTab();
    await page.goto(await site.other(example.replace('http://localhost:8000/', site.address)));
    const frame = page.frameLocator('iframe');
    await frame.locator('html[data-state=ready]').waitFor();
    expect(await frame.getByRole('button', {name: 'Settings'}).isVisible()).toBe(false);
    expect(
      await frame
        .getByRole('button', {name: 'play'})
        .or(frame.getByRole('button', {name: 'pause'}))
        .isVisible(),
    ).toBe(true);
    const keys = frame.locator('.story-keys button').filter({visible: true});
    expect(await keys.evaluateAll(all => all.map(each => each.ariaLabel))).toEqual(['previous step', 'next step']);
    await expect.poll(() => page.locator('output').textContent()).toMatch(/^step 1 of \d+$/);
    await expect
      .poll(async () => {
        await page.getByRole('button', {name: 'Next'}).click();
        return page.locator('output').textContent();
      })
      .toMatch(/^step 2 of \d+$/);

    const slider = readFileSync(join(ROOT, 'examples/embed-slider.html'), 'utf8');
    await page.goto(await site.other(slider.replace('http://localhost:8000/', site.address)));
    await frame.locator('html[data-state=ready]').waitFor();
    await expect.poll(() => page.locator('output').textContent()).toMatch(/^the run takes [\d.]+ s$/);
    const before = await page.locator('output').textContent();
    // without `play` the run waits
    expect(await frame.getByRole('button', {name: 'play'}).isVisible()).toBe(true);
    await page.getByLabel('loss').fill('0.1');
    await expect.poll(() => page.locator('output').textContent()).not.toBe(before);
    expect(await page.locator('output').textContent()).toMatch(/^the run takes [\d.]+ s$/);
  });

  test('works offline after the first visit', async () => {
    const own = await serveSite();
    const browser = await sharedBrowser();
    const context = await browser.newContext();
    contexts.push(context);
    const page = await context.newPage();
    await page.goto(own.address);
    await page.locator('html[data-state=ready]').waitFor();
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
    await own.stop();
    for (const path of ['', 'embed/#story=satellite', '#scenario=r02']) {
      await page.goto('about:blank');
      await page.goto(own.address + path);
      await page.locator('html[data-state=ready]').waitFor();
      expect(await page.locator('.pane').count()).toBeGreaterThan(1);
    }
  });
});

async function timesOf(page: Page): Promise<readonly string[]> {
  await page.locator('html[data-state=ready]').waitFor();
  return page.locator('.timeline canvas').evaluateAll(all => all.map(each => each.getAttribute('aria-label') ?? ''));
}

/** The name of the page on screen, which the settings show. */
async function shownPage(page: Page): Promise<string> {
  const select = page.getByLabel('Page', {exact: true});
  if (!(await select.isVisible())) await page.getByRole('button', {name: 'Settings'}).click();
  return select.evaluate(each => (each as HTMLSelectElement).selectedOptions[0]?.textContent ?? '');
}

/** Drops a file on the window. */
async function drop(page: Page, name: string, bytes: Buffer): Promise<void> {
  await page.evaluate(
    ([name, base64]) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([Uint8Array.from(atob(base64), char => char.charCodeAt(0))], name));
      window.dispatchEvent(new DragEvent('drop', {dataTransfer}));
    },
    [name, bytes.toString('base64')] as const,
  );
}

async function zipOf(files: {readonly [path: string]: Buffer}): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [path, bytes] of Object.entries(files)) zip.addBuffer(bytes, path);
  zip.end();
  return buffer(zip.outputStream);
}

async function clickFile(page: Page, name: string, nth = 0): Promise<void> {
  const section = page.locator('.section', {has: page.locator('summary', {hasText: 'Files'})}).first();
  if (!(await section.evaluate(element => (element as HTMLDetailsElement).open)))
    await section.locator('summary').click();
  await section.getByRole('button', {name, exact: true}).nth(nth).click();
}

/** Records a movie by the dialog. */
async function record(page: Page, fields: {readonly [label: string]: string}): Promise<void> {
  await page.keyboard.press('r');
  const dialog = page.locator('dialog.record[open]');
  for (const [label, value] of Object.entries(fields)) {
    const field = dialog.getByLabel(label, {exact: true});
    if (await field.evaluate(element => element instanceof HTMLSelectElement)) await field.selectOption(value);
    else await field.fill(value);
  }
  for (const card of ['title card', 'results card']) await dialog.getByLabel(card).uncheck();
  await dialog.getByRole('button', {name: 'Record', exact: true}).click();
}

async function save(page: Page, click: () => Promise<void>, path: string): Promise<void> {
  const [download] = await Promise.all([page.waitForEvent('download'), click()]);
  await download.saveAs(path);
}

async function scenarioOf(page: Page) {
  const [download] = await Promise.all([page.waitForEvent('download'), page.keyboard.press('Control+s')]);
  const {program: _, ...scenario} = JSON.parse(readFileSync(await download.path(), 'utf8'));
  return scenario;
}
