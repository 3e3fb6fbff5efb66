import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {_electron, type ElectronApplication, type Page} from 'playwright-core';
import sharp from 'sharp';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import {CALLS, type Host} from '../../app/host/contract.ts';
import {openDisplay} from '../display.ts';
import {buildSmoke} from './build.ts';
import {smokeElectron} from './wheel.ts';

// The product's Electron shell in a real Electron.

const root = join(import.meta.dirname, '../..');
const electron = smokeElectron(root);
const why = 'why' in electron ? ` (skipped: ${electron.why})` : '';

describe.skipIf(why !== '')(`the Electron shell${why}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'interleave-smoke-'));
  const program = 'program' in electron ? electron.program : '';
  const args = ['--no-sandbox', `--user-data-dir=${join(folder, 'profile')}`, join(folder, 'main.js')];
  let env: {[name: string]: string};
  let display: ChildProcess;
  let app: ElectronApplication;
  let hasEnded = false;
  let page: Page;

  beforeAll(async () => {
    await buildSmoke(root, folder);
    const name = await openDisplay(child => {
      display = child;
    });
    // as if the window had been used before: it begins with the demo, and not with the start screen
    writeFileSync(join(folder, 'window.json'), JSON.stringify({controls: true}));
    env = {...(process.env as typeof env), DISPLAY: name, INTERLEAVE_ROOT: root, INTERLEAVE_DATA: folder};
    await open();
  });
  const open = async () => {
    app = await _electron.launch({executablePath: program, args, env});
    hasEnded = false;
    app.once('close', () => {
      hasEnded = true;
    });
    page = await app.firstWindow();
    await page.locator('html[data-state=ready]').waitFor();
  };
  afterAll(async () => {
    await app?.close();
    display?.kill();
    rmSync(folder, {recursive: true, force: true});
  });

  test('opens one window on its own scheme', async () => {
    expect(page.url()).toBe('app://interleave/');
    expect(app.windows()).toHaveLength(1);
    expect(await page.title()).toBe('Interleave');
  });

  test('gives the page the contract and no Node', async () => {
    const given = await page.evaluate(() => ({
      host: Object.keys((window as unknown as {interleave: object}).interleave).sort(),
      node: ['require', 'process', 'module', 'Buffer', 'global'].filter(name => name in window),
    }));
    expect(given).toEqual({host: [...CALLS, 'on'].sort(), node: []});
  });

  test('computes and plays the demo', async () => {
    await page.keyboard.press('End');
    await page
      .getByText(/complete at/)
      .nth(1)
      .waitFor();
    expect(await page.locator('.pane-ending').allTextContents()).toEqual(['complete at 24.6 s', 'complete at 29.1 s']);
  });

  test('shows both pages', async () => {
    const papers = await page.locator('.pane-paper').all();
    expect(papers).toHaveLength(2);
    for (const paper of papers) {
      const {channels} = await sharp(await paper.screenshot()).stats();
      // a blank page has one colour
      expect(channels[0]?.stdev).toBeGreaterThan(30);
    }
  });

  test('fills the screen in presenter mode only', async () => {
    const isFull = () =>
      app.evaluate(({BrowserWindow}) => BrowserWindow.getAllWindows().some(window => window.isFullScreen()));
    await page.keyboard.press('p');
    await expect.poll(isFull).toBe(true);
    await page.keyboard.press('Escape');
    await expect.poll(isFull).toBe(false);
  });

  test('takes a still in a window that nobody sees', {tags: ['long']}, async () => {
    // the page returns numbers, because Playwright's bridge would convert bytes to text
    const png = await page.evaluate(async () => {
      const {interleave} = window as unknown as {interleave: Host};
      const look = {size: '640x360'};
      const scenario = {page: 'gallery', path: {rateBps: 1_000_000, rttMs: 50}};
      const answer = await interleave.takePicture({scenario, look, kind: 'still', timesNs: [1e9], scale: 1});
      return answer.ok ? Array.from(answer.png) : answer.message;
    });
    if (typeof png === 'string') throw new Error(png);
    const picture = sharp(Buffer.from(png));
    const [{width, height}, {channels}] = await Promise.all([picture.metadata(), picture.stats()]);
    expect([width, height]).toEqual([640, 360]);
    expect(channels[0]?.stdev).toBeGreaterThan(30);
  });

  test('a second instance hands its document over and ends', async () => {
    const text = JSON.stringify({seed: 7});
    writeFileSync(join(folder, 'mine.json'), text);
    const second = spawn(program, [...args, 'mine.json'], {cwd: folder, env, stdio: 'ignore'});
    await once(second, 'exit');
    const opened = () =>
      page.evaluate(async () => (await (window as unknown as {interleave: Host}).interleave.start()).opened);
    await expect.poll(opened).toEqual({name: 'mine.json', text});
  });

  test('grants nothing', async () => {
    expect(await page.evaluate(() => Notification.requestPermission())).toBe('denied');
  });

  test('does not leave its own page', async () => {
    // this runs in the main process, because Playwright would wait for a page that never loads
    const url = await app.evaluate(async ({BrowserWindow}) => {
      const [contents] = BrowserWindow.getAllWindows().map(({webContents}) => webContents);
      await contents?.executeJavaScript("void (location.href = 'https://example.test/')", true);
      await new Promise(resolve => setTimeout(resolve, 200));
      return contents?.getURL();
    });
    expect(url).toBe('app://interleave/');
  });

  test('loads nothing from a network, not even from this machine', async () => {
    let asked = 0;
    const server = createServer((_, response) => {
      asked += 1;
      response.end('asked');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const {port} = server.address() as AddressInfo;
    const outcome = await app.evaluate(async ({BrowserWindow}, address) => {
      const window = new BrowserWindow({show: false, webPreferences: {sandbox: true}});
      const outcome = await window.loadURL(address).then(() => 'loaded', String);
      window.destroy();
      return outcome;
    }, `http://127.0.0.1:${port}/`);
    server.close();
    expect(outcome).toContain('ERR_BLOCKED_BY_CLIENT');
    expect(asked).toBe(0);
  });

  test('has its page under its own host only', async () => {
    const texts = await app.evaluate(async ({BrowserWindow}) => {
      const window = new BrowserWindow({show: false, webPreferences: {sandbox: true}});
      const read = async (url: string) => {
        await window.loadURL(url).catch(() => undefined);
        return window.webContents.executeJavaScript('document.title + document.body.innerText');
      };
      const texts = [await read('app://other/'), await read('app://interleave/')];
      window.destroy();
      return texts;
    });
    expect(texts).toEqual(['no such file', expect.stringContaining('Interleave')]);
  });

  test('reads only files of scenarios and traces', async () => {
    writeFileSync(join(folder, 'secret.txt'), 'secret');
    const second = spawn(program, [...args, 'secret.txt'], {cwd: folder, env, stdio: 'ignore'});
    await once(second, 'exit');
    const opened = () =>
      page.evaluate(async () => (await (window as unknown as {interleave: Host}).interleave.start()).opened);
    const problem = expect.stringContaining('is not a file that can be opened');
    await expect.poll(opened).toEqual({name: 'secret.txt', text: '', problem});
  });

  // Playwright attaches to each new window, and on a busy machine the window may then never load
  test('opens no other window', {retry: 2}, async () => {
    const outcome = await app.evaluate(async ({BrowserWindow}) => {
      const before = BrowserWindow.getAllWindows().length;
      // the opener has no sandbox: with one, Electron 9 denies a window only after it was made, and Playwright hangs
      const opener = new BrowserWindow({show: false, webPreferences: {sandbox: false}});
      const open = async () => {
        await opener.loadURL('data:text/html,opener');
        const script = "window.open('https://example.test/') === null";
        const isDenied = await opener.webContents.executeJavaScript(script, true);
        return {isDenied, windows: BrowserWindow.getAllWindows().length - before};
      };
      const late = new Promise<string>(resolve => setTimeout(resolve, 30_000, 'no answer in 30 s'));
      const outcome = await Promise.race([open(), late]);
      opener.destroy();
      return outcome;
    });
    expect(outcome).toEqual({isDenied: true, windows: 1});
  });

  describe('answers nobody but its own page:', () => {
    test('not that page in another window', async () => {
      const answer = await app.evaluate(
        async ({BrowserWindow}, preload) => {
          const webPreferences = {preload, sandbox: true, contextIsolation: true};
          const window = new BrowserWindow({show: false, webPreferences});
          await window.loadURL('app://interleave/');
          const answer = await window.webContents.executeJavaScript('interleave.start().catch(String)');
          window.destroy();
          return answer;
        },
        join(folder, 'preload.js'),
      );
      expect(answer).toContain('start was called by app://interleave/');
    });

    test('not another page in its window', async () => {
      const answer = await app.evaluate(async ({BrowserWindow}) => {
        const isOwn = (url: string) => url.startsWith('app://interleave/');
        const window = BrowserWindow.getAllWindows().find(({webContents}) => isOwn(webContents.getURL()));
        await window?.loadURL('data:text/html,another');
        const answer = await window?.webContents.executeJavaScript('interleave.start().catch(String)');
        await window?.loadURL('app://interleave/');
        return answer;
      });
      expect(answer).toContain('start was called by data:text/html,another');
    });
  });

  // on an idle machine Node 12 crashed at one of 40 exits, and Node 20 at none of 180
  test('ends with its window', {retry: 2}, async () => {
    if (hasEnded) await open();
    await page.locator('html[data-state=ready]').waitFor();
    const ended = Promise.all([once(app.process(), 'exit'), app.waitForEvent('close')]);
    await app.evaluate(({BrowserWindow}) => {
      setTimeout(() => BrowserWindow.getAllWindows()[0]?.close(), 50);
    });
    const [exit] = await ended;
    expect(exit).toEqual([0, null]);
  });
});
