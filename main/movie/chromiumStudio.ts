import {findBrowser} from '../setup/browser.mjs';
import {type DevTools, MovieError, type Studio} from './studio.ts';

/** An installed Chromium without a window, on the pages that a web shell serves. `url` holds the token. */
export async function openChromiumStudio(url: string): Promise<Studio> {
  const executablePath = findBrowser();
  if (executablePath === undefined) {
    throw new MovieError(
      'pictures are taken with Chromium or Chrome: install one (INTERLEAVE_BROWSER names it)',
    );
  }
  const {chromium} = await import('playwright-core');
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  const browser = await chromium
    .launch({executablePath, args: [...QUIET, ...sandbox], ...OURS_TO_END})
    .catch((error: unknown) => {
      throw new MovieError(`${executablePath} does not start: ${MovieError.of(error).message}`);
    });
  /** What a call gives, or why it does not, for people. */
  const ask = <T>(answer: Promise<T>): Promise<T> =>
    answer.catch((error: unknown) => {
      const told = MovieError.of(error);
      throw browser.isConnected() && !told.message.includes('has been closed') ? told : new MovieError(ENDED);
    });
  const openContext = async () => {
    const context = await browser.newContext();
    // takes the cookie without opening the window
    await context.request.get(url, {maxRedirects: 0});
    return context;
  };
  const context = await ask(openContext()).catch(async error => {
    await browser.close();
    throw error;
  });
  const openPage = async (path: string): Promise<DevTools> => {
    const page = await context.newPage();
    await page.goto(new URL(path, url).href);
    const session = await context.newCDPSession(page);
    // a page that crashed answers nothing
    const crash = new Promise<never>((_, reject) => page.once('crash', () => reject(new MovieError(ENDED))));
    crash.catch(() => undefined);
    return {
      send: (method, params) =>
        ask(Promise.race([crash, session.send(method as 'Page.enable', params as undefined)])),
    };
  };
  return {openPage: path => ask(openPage(path)), close: () => browser.close()};
}

const ENDED = 'the browser ended while pictures were taken';

/** Playwright would end the whole program on a signal, with a half-written movie left. */
const OURS_TO_END = {handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false};

const QUIET = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // the same pixels on every screen
  '--force-color-profile=srgb',
  '--hide-scrollbars',
  // what is painted again beside what stays came out by 1 of 255 otherwise, now and then
  '--disable-partial-raster',
];
