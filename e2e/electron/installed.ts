import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {appendFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {basename, dirname, join} from 'node:path';
import {_electron, type Browser, chromium, type ElectronApplication, type Page} from 'playwright-core';
import {makeInstallers} from '../../main/setup/installers/make.mjs';
import {stageData, writeManifest} from '../../main/setup/installers/stage.mjs';
import {buildSmoke} from './build.ts';
import {smokeElectron} from './wheel.ts';

// Makes the folder that installers install, and starts the program in it.

/**
 * The path of the program that is tested, in a folder that `npm run dist -- --dir` has made with the real Electron. If
 * no path is given, a folder is made with Electron 9.
 */
const named = process.env['INTERLEAVE_INSTALLED'];

export interface InstalledProgram {
  readonly path: string;
  readonly isReal: boolean;
}

/** Why no installed program can be tested here; empty if one can. */
export function whyNotInstalled(root: string): string {
  if (named !== undefined) return '';
  const electron = smokeElectron(root);
  return 'why' in electron ? ` (skipped: ${electron.why})` : '';
}

/** Returns the program that INTERLEAVE_INSTALLED names. If it names none, makes one in `folder`. */
export async function installedProgram(root: string, folder: string): Promise<InstalledProgram> {
  if (named !== undefined) return {path: named, isReal: true};
  const electron = smokeElectron(root);
  if ('why' in electron) throw new Error(electron.why);
  const app = join(folder, 'app');
  await buildSmoke(root, join(app, 'dist/main'), "require('path').join(__dirname, '../../native/addon/index.js')");
  stageData(app);
  writeManifest(app, 'dist/main/main.js', []);
  const withFuses = join(folder, 'electron');
  cpSync(dirname(electron.program), withFuses, {recursive: true});
  appendFileSync(join(withFuses, basename(electron.program)), FUSE_WIRE);
  await makeInstallers({
    app,
    out: join(folder, 'out'),
    isFolderOnly: true,
    system: 'linux',
    electron: withFuses,
    // threads of Electron before 17 cannot read the archive (github.com/electron/electron/pull/33216)
    unpacked: ['dist/main/engineWorker.js', 'native/addon/**', 'main/files/**', 'package.json'],
  });
  return {path: join(folder, 'out/linux-unpacked/interleave'), isReal: false};
}

/**
 * The fuses of a new Electron with their default values: a mark, version 1, the number 8, and eight fuses. Electron 9
 * has no fuses and ignores these, but they can be set and read as in a new Electron.
 */
const FUSE_WIRE = Buffer.concat([
  Buffer.from('dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'),
  Buffer.from([1, 8]),
  Buffer.from('10110010'),
]);

export interface RunningProgram {
  readonly page: Page;
  readonly pid: number;
  /** Undefined in the real program: its fuses refuse the debugger that Playwright needs for the main process. */
  readonly app: ElectronApplication | undefined;
  /** Closes the window, which ends the program. */
  close(): Promise<void>;
}

/** Starts the program. All of its data is in `data`. */
export async function startInstalled(
  {path, isReal}: InstalledProgram,
  args: readonly string[],
  {data, env}: {readonly data: string; readonly env: NodeJS.ProcessEnv},
): Promise<RunningProgram> {
  const {switches, environment} = setUp(data, env);
  if (isReal) return startReal(path, [...switches, ...args], environment, data);
  const app = await _electron.launch({executablePath: path, args: [...switches, ...args], env: environment});
  const page = await app.firstWindow();
  await page.locator('html[data-state=ready]').waitFor();
  const child = app.process();
  return {app, page, pid: child.pid ?? 0, close: () => closeWindow(() => byUser(app), child)};
}

/** Closes the window as its button does. */
function byUser(app: ElectronApplication): Promise<unknown> {
  return app.evaluate(({BrowserWindow}) => {
    setTimeout(() => BrowserWindow.getAllWindows()[0]?.close(), 50);
  });
}

/** Starts the program a second time. This second process ends by itself, and the function waits for its end. */
export async function startSecond(
  {path}: InstalledProgram,
  args: readonly string[],
  {data, env, cwd}: {readonly data: string; readonly env: NodeJS.ProcessEnv; readonly cwd: string},
): Promise<void> {
  const {switches, environment} = setUp(data, env);
  await once(spawn(path, [...switches, ...args], {cwd, env: environment, stdio: 'ignore'}), 'exit');
}

/** The arguments and the environment of a program whose data is in `data`. */
export function setUp(data: string, env: NodeJS.ProcessEnv) {
  mkdirSync(data, {recursive: true});
  // as if the window had been used before: it begins with the demo, and not with the start screen
  const window = join(data, 'window.json');
  if (!existsSync(window)) writeFileSync(window, JSON.stringify({controls: true}));
  const switches = [
    ...(process.platform === 'linux' ? ['--no-sandbox'] : []),
    `--user-data-dir=${join(data, 'profile')}`,
  ];
  const environment: {[name: string]: string} = {...(env as {[name: string]: string}), INTERLEAVE_DATA: data};
  delete environment['ELECTRON_OVERRIDE_DIST_PATH'];
  return {switches, environment};
}

async function startReal(
  path: string,
  args: readonly string[],
  env: {[name: string]: string},
  data: string,
): Promise<RunningProgram> {
  const port = join(data, 'profile/DevToolsActivePort');
  rmSync(port, {force: true});
  const child = spawn(path, ['--remote-debugging-port=0', ...args], {env, stdio: 'ignore'});
  let browser: Browser | undefined;
  for (let tries = 0; browser === undefined; tries += 1) {
    if (child.exitCode !== null || tries > 600) throw new Error(`${path} has not started: exit code ${child.exitCode}`);
    await new Promise(resolve => setTimeout(resolve, 100));
    if (!existsSync(port)) continue;
    const [number] = readFileSync(port, 'utf8').split('\n');
    browser = await chromium.connectOverCDP(`http://127.0.0.1:${number}`).catch(() => undefined);
  }
  const [context] = browser.contexts();
  const page = context?.pages()[0] ?? (await context?.waitForEvent('page'));
  if (page === undefined) throw new Error('the program has no window');
  await page.locator('html[data-state=ready]').waitFor();
  return {
    app: undefined,
    page,
    pid: child.pid ?? 0,
    close: () => closeWindow(() => page.close({runBeforeUnload: true}), child),
  };
}

async function closeWindow(close: () => Promise<unknown>, child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, 'exit');
  await close().catch(() => undefined);
  const late = setTimeout(() => child.kill('SIGKILL'), 30_000);
  await ended;
  clearTimeout(late);
}

/** Makes a temporary folder. */
export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'interleave-installed-'));
}
