import {app, BrowserWindow, type WebPreferences} from 'electron';

/**
 * Opens the program's only window, and quits when that is closed. The window's page cannot use Node, but only what the
 * preload script provides.
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

/** Web preferences of all of the program's pages. */
export function setupWebPreferences(preload: string): WebPreferences {
  const isolated = {sandbox: true, contextIsolation: true, nodeIntegration: false, webviewTag: false};
  // the spell checker would download dictionaries
  return {preload, ...isolated, spellcheck: false};
}
