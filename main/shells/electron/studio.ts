import {BrowserWindow, type WebContents} from 'electron';
import {MovieError, type Studio} from '../../movie/studio.ts';
import {WINDOW_URL} from './assets.ts';
import {setupWebPreferences} from './window.ts';

/** Electron's own Chromium, in windows that nobody sees. Their pages are in `pages` as long as they are there. */
export async function openElectronStudio(preload: string, pages: Set<WebContents>): Promise<Studio> {
  const windows: BrowserWindow[] = [];
  return {
    openPage: async path => {
      const webPreferences = {...setupWebPreferences(preload), offscreen: true, backgroundThrottling: false};
      const window = new BrowserWindow({show: false, webPreferences});
      windows.push(window);
      const contents = window.webContents;
      pages.add(contents);
      window.once('closed', () => pages.delete(contents));
      await window.loadURL(WINDOW_URL + path);
      const {debugger: devTools} = contents;
      devTools.attach('1.3');
      const gone = new Promise<never>((_, reject) => {
        devTools.once('detach', () =>
          reject(new MovieError('the page that pictures are taken of has ended')),
        );
      });
      gone.catch(() => undefined);
      return {
        send: (method, params) =>
          Promise.race([gone, devTools.sendCommand(method, params)]).catch((error: unknown) => {
            throw MovieError.of(error);
          }),
      };
    },
    close: async () => {
      for (const window of windows) if (!window.isDestroyed()) window.destroy();
    },
  };
}
