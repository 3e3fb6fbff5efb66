import {rmSync} from 'node:fs';
import {setTimeout as sleep} from 'node:timers/promises';
import {findBrowser, launchSandboxed, PLAYWRIGHT_FEATURES, printOnce, quietArguments} from '../../setup/browser.mjs';
import {makeTemporaryFolder} from '../../setup/owner.mjs';
import {browserVersion} from './browserVersion.ts';
import {Lifetime} from './lifetime.ts';
import {type DevTools, MovieError, type Studio} from './studio.ts';

/** The web shell, which is the local server of the renderer's pages. The studio shows these pages. */
interface Shell {
  readonly origin: string;
  newAddress(page: string): string;
}

/**
 * Opens an installed Chromium without a window, for pages of a web shell. If Chromium runs without its sandbox, `print`
 * is called with a line for the user.
 */
export async function openChromiumStudio(shell: Shell, print = printOnce): Promise<Studio> {
  const executablePath = installedBrowser();
  const {chromium} = await import('playwright-core');
  // if Chromium and Playwright are killed, the files that they leave in this folder are removed together with the
  // folder
  const folder = makeTemporaryFolder();
  const removeFolder = () => {
    try {
      rmSync(folder, {recursive: true, force: true, maxRetries: 5});
    } catch {
      // a process is still writing into the folder; the next start of the program removes it
    }
  };
  const env = {...process.env, TMPDIR: folder};
  const asked = browserVersion(executablePath);
  asked.catch(() => undefined); // the error is reported when `asked` is awaited
  const args = [...quietArguments(shell.origin), PLAYWRIGHT_FEATURES, ...PAINTING];
  const launch = (chromiumSandbox: boolean) =>
    chromium.launch({executablePath, args, env, chromiumSandbox, timeout: LAUNCH_MS, ...OURS_TO_END});
  const starting = withTemporaryFiles(folder, () => launchSandboxed(launch, print));
  const browser = await starting.catch((error: unknown) => {
    removeFolder();
    throw new MovieError(`${executablePath} does not start: ${MovieError.of(error).message}`);
  });
  const browserLife = new Lifetime();
  browser.once('disconnected', () => browserLife.end(ENDED));
  /** Resolves with the answer of the browser, or rejects with a reason for the user. */
  const ask = <T>(answer: Promise<T>, life = browserLife): Promise<T> =>
    life.within(answer).catch((error: unknown) => {
      const reason = MovieError.of(error);
      throw life.isOver || reason.message.includes('has been closed') ? new MovieError(ENDED) : reason;
    });
  const close = async () => {
    const tooLate = new AbortController();
    // Even if the browser has stopped answering, its processes may still write into the folder. So the folder is
    // removed only after the browser has ended, or after `CLOSE_MS`.
    await Promise.race([browser.close(), sleep(CLOSE_MS, undefined, tooLate)]).catch(() => undefined);
    tooLate.abort();
    removeFolder();
  };
  const [context, version] = await Promise.all([ask(browser.newContext()), asked]).catch(async error => {
    await close();
    throw error;
  });
  const openPage = async (path: string): Promise<DevTools> => {
    const page = await context.newPage();
    const pageLife = new Lifetime();
    page.once('crash', () => pageLife.end(ENDED));
    page.once('close', () => pageLife.end(ENDED));
    browser.once('disconnected', () => pageLife.end(ENDED));
    await ask(page.goto(shell.newAddress(path)), pageLife);
    const session = await ask(context.newCDPSession(page), pageLife);
    return {
      send: (method, params) => ask(session.send(method as 'Page.enable', params as undefined), pageLife),
      // the browser may have ended already
      close: () => browserLife.within(page.close()).catch(() => undefined),
    };
  };
  return {browser: version, openPage: path => ask(openPage(path)), close};
}

/**
 * Makes Node use this folder for temporary files while `work` runs. Playwright creates the browser's profile in Node's
 * folder for temporary files, and has no option for another folder. Only one `work` runs at a time, so that each call
 * restores the right value.
 */
function withTemporaryFiles<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const inTurn = lastWork.then(async () => {
    const {TMPDIR} = process.env;
    process.env['TMPDIR'] = folder;
    try {
      return await work();
    } finally {
      if (TMPDIR === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = TMPDIR;
    }
  });
  lastWork = inTurn.catch(() => undefined);
  return inTurn;
}

let lastWork: Promise<unknown> = Promise.resolve();

/** Path of the installed browser. @throws MovieError that says what to do if there is none */
export function installedBrowser(): string {
  const executablePath = findBrowser();
  if (executablePath !== undefined) return executablePath;
  throw new MovieError('pictures need Chromium or Chrome: install one, or set INTERLEAVE_BROWSER to its path');
}

const ENDED = 'the browser ended while pictures were taken';

const LAUNCH_MS = 60_000;
/** Longest time to wait for the browser to end, in ms. If it does not end by itself, Playwright kills it after 30 s. */
const CLOSE_MS = 40_000;

/** Playwright must not handle signals. It would end the whole program, and an unfinished movie would be left. */
const OURS_TO_END = {handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false};

const PAINTING = [
  '--disable-gpu',
  // With this switch, host names are not looked up. It is not one of `quietArguments`, because a browser with a window
  // would show a warning about it.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
  // pixels have the same colours with every screen
  '--force-color-profile=srgb',
  '--hide-scrollbars',
  // without this switch, areas that were repainted next to unchanged areas sometimes differed by 1 of 255
  '--disable-partial-raster',
  // without the next two switches, some pixels of a picture differed where two tiles met
  '--default-tile-width=4096',
  '--default-tile-height=4096',
  // With this feature, pages can paint their frames themselves. With the next two switches, they need not wait for a
  // screen.
  '--enable-blink-features=CanvasDrawElement',
  '--disable-frame-rate-limit',
  '--disable-gpu-vsync',
];
