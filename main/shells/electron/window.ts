import {app, BrowserWindow, type WebPreferences} from 'electron';

/** The one window; the program ends with it. Its page has no Node and no reach beyond what the preload gives it. */
export function setupWindow(preload: string): BrowserWindow {
  const window = new BrowserWindow({
    width: 1280,
    height: 800,
    show: false,
    autoHideMenuBar: true,
    webPreferences: setupWebPreferences(preload),
  });
  window.once('ready-to-show', () => window.show());
  // those that pictures are taken in are not a reason to stay
  window.once('closed', () => app.quit());
  return window;
}

/** Of every page of ours. */
export function setupWebPreferences(preload: string): WebPreferences {
  const isolated = {sandbox: true, contextIsolation: true, nodeIntegration: false, webviewTag: false};
  // its dictionaries come from the network
  return {preload, ...isolated, spellcheck: false};
}
