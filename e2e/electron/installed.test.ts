// @module-tag long
import type {ChildProcess} from 'node:child_process';
import {existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {afterAll, beforeAll, describe, expect, test} from 'vitest';
import type {Host} from '../../app/host/contract.ts';
import {FUSES} from '../../main/setup/installers/configuration.mjs';
import {installedPackage} from '../../main/setup/installers/make.mjs';
import {openDisplay} from '../display.ts';
import {openSealedNetwork, whyNotSealed} from '../sealedNetwork.ts';
import {
  type InstalledProgram,
  installedProgram,
  type RunningProgram,
  setUp,
  startInstalled,
  startSecond,
  temporaryFolder,
  whyNotInstalled,
} from './installed.ts';

// The folder that installers install, as `npm run dist -- --dir` makes it. The workflow `installers.yml` runs these
// tests with the real Electron on three systems; elsewhere they run with Electron 9.

const root = join(import.meta.dirname, '../..');
const why = whyNotInstalled(root);

describe.skipIf(why !== '')(`the installed program${why}`, () => {
  const folder = temporaryFolder();
  const data = join(folder, 'data');
  let env: NodeJS.ProcessEnv;
  let display: ChildProcess | undefined;
  let program: InstalledProgram;
  let running: RunningProgram | undefined;

  beforeAll(async () => {
    program = await installedProgram(root, folder);
    env = {...process.env};
    if (process.platform === 'linux') {
      env['DISPLAY'] = await openDisplay(child => {
        display = child;
      });
    }
  });
  afterAll(async () => {
    await running?.close();
    display?.kill();
    rmSync(folder, {recursive: true, force: true});
  });

  /** Ends the program that runs, and starts it again. */
  const start = async (...args: readonly string[]) => {
    await running?.close();
    running = await startInstalled(program, args, {data, env});
    return running;
  };

  test('has its fuses set or unset as configuration.mjs says', async () => {
    const {FuseV1Options, getCurrentFuseWire} = await installedPackage('@electron/fuses');
    const wire = (await getCurrentFuseWire(program.path)) as {readonly [fuse: number]: number};
    const isSet = (fuse: string) => String.fromCharCode(wire[FuseV1Options[fuse]] ?? 0) === '1';
    const names = Object.keys(FUSES).map(name => name.charAt(0).toUpperCase() + name.slice(1));
    expect(names.map(isSet)).toEqual(Object.values(FUSES));
    expect(names.filter(isSet)).toEqual(['EnableEmbeddedAsarIntegrityValidation', 'OnlyLoadAppFromAsar']);
  });

  test('plays the demo: its page and fonts are in the archive, and the addon is beside it', async () => {
    const {page, pid} = await start();
    await page.keyboard.press('End');
    await page
      .getByText(/complete at/)
      .nth(1)
      .waitFor();
    expect(await page.locator('.pane-ending').allTextContents()).toEqual(['complete at 24.6 s', 'complete at 29.1 s']);
    expect(await page.evaluate(() => [...document.fonts].filter(({status}) => status === 'loaded').length)).not.toBe(0);
    const resources = resourcesOf(program.path);
    expect(existsSync(join(resources, 'app.asar'))).toBe(true);
    expect(existsSync(join(resources, 'app.asar.unpacked/dist/renderer'))).toBe(false);
    if (process.platform !== 'linux') return;
    expect(readFileSync(`/proc/${pid}/maps`, 'utf8')).toContain('app.asar.unpacked/native/addon/index.node');
  });

  test('has no updater', () => {
    const resources = resourcesOf(program.path);
    expect(readdirSync(resources)).not.toContain('app-update.yml');
    const archive = readFileSync(join(resources, 'app.asar'), 'latin1');
    expect(archive).toContain('"package.json"');
    expect(archive).not.toMatch(/electron-updater|autoUpdater|update-electron-app/);
  });

  describe('opens', () => {
    const link = linkTo({seed: 7});
    const openedIn = ({page}: RunningProgram) =>
      page.evaluate(async () => (await (window as unknown as {interleave: Host}).interleave.start()).opened);

    test('the link that it is started with', async () => {
      expect(await openedIn(await start(link))).toEqual({name: link, text: link});
    });

    test('a link, a story and the URL of a scenario file while it runs, in the window that is open', async () => {
      const now = await start();
      const documents = join(folder, 'my documents');
      mkdirSync(documents, {recursive: true});
      const story = readFileSync(join(root, 'fixtures/stories/one-lost-packet.story.json'));
      writeFileSync(join(documents, 'mine.story.json'), story);
      writeFileSync(join(documents, 'a b.interleave.json'), '{"seed": 8}');
      const url = pathToFileURL(join(documents, 'a b.interleave.json')).href;
      const cwd = documents;
      await startSecond(program, [link], {data, env, cwd});
      await expect.poll(() => openedIn(now)).toEqual({name: link, text: link});
      await startSecond(program, ['mine.story.json'], {data, env, cwd});
      await now.page.locator('.story-bar').waitFor();
      await startSecond(program, [url], {data, env, cwd});
      await expect.poll(() => openedIn(now)).toEqual({name: 'a b.interleave.json', text: '{"seed":8}'});
    });
  });

  test('opens its window where it was closed, if that place is still there', async () => {
    const first = await start();
    // only the debugger of the main process can move the window
    if (first.app === undefined) return;
    const boundsOf = ({app}: RunningProgram) =>
      app?.evaluate(({BrowserWindow}) => BrowserWindow.getAllWindows()[0]?.getBounds());
    const size = (await boundsOf(first)) ?? {width: 0, height: 0};
    // without a window manager, Electron 9 moves windows and does not resize them
    await first.app.evaluate(({BrowserWindow}) => BrowserWindow.getAllWindows()[0]?.setPosition(60, 50));
    await expect.poll(async () => (await boundsOf(first))?.x).toBe(60);
    await first.close();
    running = undefined;
    const kept = JSON.parse(readFileSync(join(data, 'place.json'), 'utf8')) as {readonly bounds: object};
    const {width, height} = size;
    expect(kept).toEqual({bounds: {x: 60, y: 50, width, height}, isMaximized: false});
    const bounds = {x: 60, y: 50, width: 900, height: 640};
    writeFileSync(join(data, 'place.json'), JSON.stringify({...kept, bounds}));
    const second = await start();
    expect(await boundsOf(second)).toEqual(bounds);
    await second.close();
    running = undefined;
    // as if it had been closed on a second screen, which is gone
    writeFileSync(join(data, 'place.json'), JSON.stringify({bounds: {...bounds, x: 5000}, isMaximized: false}));
    const third = await start();
    await expect.poll(async () => (await boundsOf(third))?.width).toBe(900);
    expect((await boundsOf(third))?.x).toBeLessThan(1400);
  });

  test('shows keys of the window in its menus, and only items of the system have other keys', async () => {
    const {app, page} = await start();
    if (app === undefined) return;
    const items = await app.evaluate(({Menu}) =>
      (Menu.getApplicationMenu()?.items ?? []).flatMap(menu =>
        (menu.submenu?.items ?? []).map(item => ({
          menu: menu.label,
          label: item.label,
          key:
            item.accelerator ??
            (item as unknown as {getDefaultRoleAccelerator(): string | undefined}).getDefaultRoleAccelerator(),
          isOfSystem: item.role !== undefined && item.role !== null,
          isRegistered: item.registerAccelerator,
        })),
      ),
    );
    expect([...new Set(items.map(({menu}) => menu))]).toEqual(['&File', '&Edit', '&View', '&Help']);
    // the table of all keys is made from the program (e2e/documents/made.test.ts)
    const table = readFileSync(join(root, 'docs/window.md'), 'utf8');
    const own = new Set([...table.matchAll(/^\| `([^`]+)` \|/gm)].map(([, key = '']) => key));
    const keyed = items.filter(({key}) => key);
    for (const {label, key, isOfSystem, isRegistered} of keyed) {
      const isOwn = own.has(windowKey(String(key)));
      expect({label, key, isOwn, isBoth: isOwn && isRegistered}).toEqual({
        label,
        key,
        isOwn: !isOfSystem,
        isBoth: false,
      });
    }
    expect(keyed.filter(({isOfSystem}) => isOfSystem).length).toBeGreaterThan(6);
    // a menu's item acts even if a field has the focus
    await page.locator('input[type=text], input:not([type])').first().focus();
    await app.evaluate(({Menu}) => {
      const view = Menu.getApplicationMenu()?.items.find(({label}) => label === '&View');
      view?.submenu?.items[0]?.click();
    });
    await page.locator('.window.presenting').waitFor();
  });

  test.skipIf(whyNotSealed !== '')(`asks nothing of a network while it is open${whyNotSealed}`, async () => {
    await running?.close();
    running = undefined;
    const network = await openSealedNetwork();
    const {switches, environment} = setUp(join(folder, 'sealed'), env);
    const child = network.spawn(program.path, switches, {env: environment, stdio: 'ignore'});
    // Chromium's own services ask within 11 s, and an updater would at the start (e2e/asksNobody.test.ts)
    await new Promise(resolve => setTimeout(resolve, 15_000));
    const {exitCode} = child;
    const asked = [...network.packets, ...network.proxied];
    child.kill('SIGTERM');
    network.close();
    expect({exitCode, asked}).toEqual({exitCode: null, asked: []});
  });
});

/** The folder of resources next to the program. */
function resourcesOf(program: string): string {
  return join(dirname(program), process.platform === 'darwin' ? '../Resources' : 'resources');
}

/** A link to a scenario. */
function linkTo(scenario: object): string {
  return `interleave://scenario/${Buffer.from(JSON.stringify(scenario)).toString('base64url')}`;
}

/** An accelerator of Electron, such as `Shift+CmdOrCtrl+Z`, as docs/window.md writes it, such as `Ctrl Shift z`. */
function windowKey(accelerator: string): string {
  const parts = accelerator.split('+');
  const key = parts.at(-1) ?? '';
  const isCtrl = parts.some(part => /^(CmdOrCtrl|CommandOrControl|Control|Ctrl)$/i.test(part));
  const isShift = parts.some(part => /^shift$/i.test(part));
  return `${isCtrl ? 'Ctrl ' : ''}${isShift ? 'Shift ' : ''}${key.length === 1 ? key.toLowerCase() : key}`;
}
