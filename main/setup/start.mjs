// npm start: sets up what is missing, then opens the window. `npm start -- PRESET|FILE|LINK|PAGE` opens the window with
// a preset, a file, a link or a page. Several trace files, or several captures, are shown side by side.
import './node.mjs';
import {existsSync, statSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join, resolve} from 'node:path';
import {pathToFileURL} from 'node:url';
import {buildAddon} from './addon.mjs';
import {
  findBrowser,
  launchSandboxed,
  makeProfile,
  printOnce,
  QUIET_FEATURES,
  quietArguments,
  saysNoSandbox,
  whyNoSandbox,
} from './browser.mjs';
import {bundleMain, bundleRenderer, bundles} from './bundle.mjs';
import {inOneLine, root} from './command.mjs';
import {findElectron, openElectron} from './electron.mjs';
import {endWith, keep} from './keep.mjs';
import {installPackages} from './packages.mjs';

const wanted = process.argv.slice(2).map(fromUsersFolder);
await inOneLine(start);

async function start() {
  wanted.forEach(checkThere);
  await installPackages();
  await buildAddon();
  await bundleMain();
  await bundleRenderer();
  const electron = hasDisplay() ? findElectron(electronFolder(), process.env.ELECTRON_OVERRIDE_DIST_PATH) : undefined;
  if (electron === undefined || !(await openInElectron(electron))) await openBrowser();
}

/**
 * Returns the folder of Electron's npm package. If this program was itself installed as an npm package, that is the
 * Electron of the user's project.
 */
function electronFolder() {
  try {
    return dirname(createRequire(import.meta.url).resolve('electron/package.json'));
  } catch {
    return join(root, 'node_modules/electron');
  }
}

/** @param {string} program */
function openInElectron(program) {
  console.log('window: in Electron');
  const whyNone = whyNoSandbox();
  if (whyNone !== undefined) printOnce(whyNone);
  const sandbox = whyNone === undefined ? [] : ['--no-sandbox'];
  return openElectron(program, [...sandbox, join(bundles, 'electron.mjs'), ...wanted]);
}

/**
 * Starts the web shell, which is the server for a window in a browser, and opens the window there. If there is no
 * browser or no display, prints the address of the window instead.
 */
async function openBrowser() {
  /** @type {typeof import('../shells/webShell.ts')} */
  const {openWebShell, programVersion, readOpenedFiles} = await import(pathToFileURL(join(bundles, 'web.mjs')).href);
  const opened = wanted.length === 0 ? null : readOpenedFiles(wanted.map(name => ({name, path: name})));
  const shell = await openWebShell({root, version: programVersion(), opened, print: printOnce});
  const browser = hasDisplay() ? findBrowser() : undefined;
  if (browser === undefined) {
    endWith(shell.close);
    console.log(
      `window: open this address in a browser. It can be opened once. Ctrl+C ends the program.\n${shell.newAddress()}`,
    );
    return;
  }
  console.log(`window: in ${browser}`);
  /** @type {ReturnType<typeof keep> | undefined} */
  let window;
  /** @type {Promise<void> | undefined} */
  let closing;
  const close = () => {
    window?.end();
    closing ??= Promise.resolve(window?.ended).then(() => shell.close());
    return closing;
  };
  endWith(close);
  const launch = async (/** @type {boolean} */ hasSandbox) => {
    const profile = makeProfile();
    window = keep(browser, windowArguments(shell, profile, hasSandbox), {profile});
    const {error, said = ''} = await window.ended;
    if (saysNoSandbox(said)) throw new Error(said);
    return error;
  };
  const error = await launchSandboxed(launch, printOnce);
  if (error === undefined) await close();
  else
    console.log(
      `window: the browser cannot be started (${error}). Open this address in another browser:\n${shell.newAddress()}`,
    );
}

/**
 * @param {import('../shells/webShell.ts').WebShell} shell
 * @param {string} profile
 * @param {boolean} hasSandbox
 */
function windowArguments(shell, profile, hasSandbox) {
  return [
    `--app=${shell.newFileAddress(profile)}`,
    `--user-data-dir=${profile}`,
    '--window-size=1280,800',
    ...quietArguments(shell.origin),
    QUIET_FEATURES,
    ...(hasSandbox ? [] : ['--no-sandbox']),
  ];
}

/**
 * Resolves a path from the user's folder, because npm runs scripts in the package's folder. A name that is not the path
 * of an existing file or folder (a preset, a link, an address) is returned unchanged. The name of a folder is also
 * returned unchanged if it has no slash.
 *
 * @param {string} name
 */
function fromUsersFolder(name) {
  const path = resolve(process.env.INIT_CWD ?? '', name);
  // a name without a slash may be a preset, which has precedence over a folder of the same name
  return statSync(path, {throwIfNoEntry: false})?.isFile() || (/[/\\]/.test(name) && existsSync(path)) ? path : name;
}

function hasDisplay() {
  return process.platform !== 'linux' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
}

/**
 * @param {string} name
 * @throws {Error} one line, if the name is a path and there is no file or folder at that path
 */
function checkThere(name) {
  const isPath = /\.(json|trace|zip|har|x?html?|mht|mhtml)$|[/\\]/.test(name) && !/^(interleave|https?):/.test(name);
  if (isPath && !existsSync(name))
    throw new Error(`there is no file or folder at ${resolve(process.env.INIT_CWD ?? '', name)}`);
}
