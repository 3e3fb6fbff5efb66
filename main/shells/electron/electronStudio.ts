import {BrowserWindow, type WebContents} from 'electron';
import {Lifetime} from '../../media/studio/lifetime.ts';
import {MovieError, type Studio} from '../../media/studio/studio.ts';
import {WINDOW_URL} from './assets.ts';
import {setupWebPreferences} from './window.ts';

/**
 * Opens a studio, which takes the pictures of movies and stills (main/media/studio/studio.ts). Its pages are in hidden
 * windows of Electron's own Chromium. The set `pages` contains these pages while they are open. In this studio the
 * frames of movies are screenshots. With `enableBlinkFeatures: 'CanvasDrawElement'` in the web preferences the pages
 * could paint their frames themselves (renderer/movie/drawnPicture.ts), but we could not try this with Electron 45.
 */
export async function openElectronStudio(preload: string, pages: Set<WebContents>): Promise<Studio> {
  const windows: BrowserWindow[] = [];
  return {
    browser: `Electron ${process.versions['electron']}`,
    openPage: async path => {
      const webPreferences = {...setupWebPreferences(preload), offscreen: true, backgroundThrottling: false};
      const window = new BrowserWindow({show: false, webPreferences});
      windows.push(window);
      const contents = window.webContents;
      pages.add(contents);
      window.once('closed', () => pages.delete(contents));
      const life = new Lifetime();
      const {debugger: devTools} = contents;
      for (const [emitter, event] of [
        [contents, 'render-process-gone'],
        [contents, 'destroyed'],
        [devTools, 'detach'],
      ] as const) {
        (emitter as NodeJS.EventEmitter).once(event, () => life.end(ENDED));
      }
      await life.within(window.loadURL(WINDOW_URL + path));
      devTools.attach('1.3');
      return {
        send: (method, params) =>
          life.within(devTools.sendCommand(method, params)).catch((error: unknown) => {
            throw MovieError.of(error);
          }),
        close: async () => {
          if (!window.isDestroyed()) window.destroy();
        },
      };
    },
    close: async () => {
      for (const window of windows) if (!window.isDestroyed()) window.destroy();
    },
  };
}

const ENDED = 'the hidden browser page that paints the pictures was closed or has crashed';
