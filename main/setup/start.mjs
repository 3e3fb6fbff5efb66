// npm start: sets up what is missing, then opens the window. `npm start -- PRESET|FILE|LINK` opens that.
import {spawn} from 'node:child_process';
import {existsSync, mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {buildAddon} from './addon.mjs';
import {findBrowser} from './browser.mjs';
import {bundleMain, bundleRenderer, bundles} from './bundle.mjs';
import {root} from './command.mjs';
import {findElectron, openElectron} from './electron.mjs';
import {installPackages} from './packages.mjs';

await installPackages();
await buildAddon();
await bundleMain();
await bundleRenderer();

const wanted = fromWhereTheUserStands(process.argv[2]);
const electron = hasDisplay()
  ? findElectron(join(root, 'node_modules/electron'), process.env.ELECTRON_OVERRIDE_DIST_PATH)
  : undefined;
if (electron === undefined || !(await openInElectron(electron))) await openBrowser();

function openInElectron(program) {
  console.log('window: in Electron');
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const opened = wanted === undefined ? [] : [wanted];
  return openElectron(program, [...sandbox, join(bundles, 'electron.mjs'), ...opened]);
}

/** The same window in a browser, behind the web shell. */
async function openBrowser() {
  const opened = wanted === undefined ? null : readOpened(wanted);
  const {version} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const {openWebShell} = await import(pathToFileURL(join(bundles, 'web.mjs')).href);
  const shell = await openWebShell({root, version, opened});
  const browser = hasDisplay() ? findBrowser() : undefined;
  if (browser === undefined) {
    console.log(
      `window: open this address in a browser, end with Ctrl C. It works once:\n${shell.newAddress()}`,
    );
    return;
  }
  console.log(`window: in ${browser}`);
  const profile = mkdtempSync(join(tmpdir(), 'interleave-'));
  const quiet = [
    '--no-first-run',
    '--no-default-browser-check',
    '--disable-background-networking',
    '--disable-sync',
  ];
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const args = [
    `--app=${shell.newFileAddress()}`,
    `--user-data-dir=${profile}`,
    '--window-size=1280,800',
    ...quiet,
    ...sandbox,
  ];
  const child = spawn(browser, args, {stdio: 'ignore'});
  process.on('SIGINT', () => child.kill());
  child.on('error', error => console.log(`window: ${error.message}; open ${shell.newAddress()}`));
  child.on('exit', async () => {
    await shell.close();
    rmSync(profile, {recursive: true, force: true, maxRetries: 5});
  });
}

/** A file's path; npm runs scripts in the package's folder. A preset's name or a link stays. */
function fromWhereTheUserStands(name) {
  if (name === undefined) return undefined;
  const path = resolve(process.env.INIT_CWD ?? '', name);
  return existsSync(path) ? path : name;
}

function hasDisplay() {
  return process.platform !== 'linux' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
}

/** A file's text, or what stands for itself: a preset's name or a link. */
function readOpened(name) {
  return existsSync(name) ? {name: basename(name), text: readFileSync(name, 'utf8')} : {name, text: name};
}
