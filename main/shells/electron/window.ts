import {app, BrowserWindow, type WebPreferences} from 'electron';

/**
 * Opens the program's only window, and quits the program when the window is closed. The window's page cannot use Node.
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

/** Returns the web preferences for all pages of the program. */
export function setupWebPreferences(preload: string): WebPreferences {
  const isolated = {sandbox: true, contextIsolation: true, nodeIntegration: false, webviewTag: false};
  // the spell checker would download dictionaries
  return {preload, ...isolated, spellcheck: false};
}
