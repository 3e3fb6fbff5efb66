import {app, BrowserWindow, screen, type WebPreferences} from 'electron';
import {keepWindowPlace, readWindowPlace} from './windowPlace.ts';

/**
 * Opens the window that shows runs, and quits the program when the window is closed. The window opens where it was
 * closed last. The window's page cannot use Node. It can use only what the preload script provides.
 */
export function setupWindow(preload: string, userFolder: string): BrowserWindow {
  const areas = [screen.getPrimaryDisplay(), ...screen.getAllDisplays()].map(({workArea}) => workArea);
  const {bounds, isMaximized} = readWindowPlace(userFolder, areas);
  const window = new BrowserWindow({
    ...bounds,
    show: false,
    autoHideMenuBar: true,
    webPreferences: setupWebPreferences(preload),
  });
  keepWindowPlace(window, userFolder);
  window.once('ready-to-show', () => {
    if (isMaximized) window.maximize();
    window.show();
  });
  // hidden windows for pictures do not keep the program running
  window.once('closed', () => app.quit());
  return window;
}

/** Returns the web preferences for the pages of the program that call the host. */
export function setupWebPreferences(preload: string): WebPreferences {
  return {preload, ...ISOLATED_PREFERENCES};
}

/** The web preferences for all pages of the program. */
export const ISOLATED_PREFERENCES = {
  sandbox: true,
  contextIsolation: true,
  nodeIntegration: false,
  webviewTag: false,
  // the spell checker would download dictionaries
  spellcheck: false,
} as const satisfies WebPreferences;
