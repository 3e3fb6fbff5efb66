import {app, BrowserWindow, type WebPreferences} from 'electron';

/**
 * Opens the window that shows runs, and quits the program when the window is closed. The window's page cannot use Node.
 * It can use only what the preload script provides.
 */
export function setupWindow(preload: string): BrowserWindow {
  const window = new BrowserWindow({
    width: 1280,
    height: 800,
    show: false,
    autoHideMenuBar: true,
    webPreferences: setupWebPreferences(preload),
  });
  window.once('ready-to-show', () => window.show());
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
