import {findBrowser} from '../setup/browser.mjs';
import {MovieError, type Studio} from './studio.ts';

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
    .catch((error: Error) => {
      throw new MovieError(`${executablePath} does not start: ${error.message.split('\n')[0]}`);
    });
  const context = await browser.newContext();
  // takes the cookie without opening the window
  await context.request.get(url, {maxRedirects: 0});
  return {
    openPage: async path => {
      const page = await context.newPage();
      await page.goto(new URL(path, url).href);
      const session = await context.newCDPSession(page);
      const gone = new Promise<never>((_, reject) => {
        const end = () => reject(new MovieError('the browser ended while pictures were taken'));
        page.once('crash', end);
        page.once('close', end);
      });
      gone.catch(() => undefined);
      return {
        send: (method, params) =>
          Promise.race([gone, session.send(method as 'Page.enable', params as undefined)]),
      };
    },
    close: () => browser.close(),
  };
}

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
];
