import {type BrowserWindow, ipcMain, type WebContents} from 'electron';
import {CALLS} from '../../../app/host/contract.ts';
import type {ShellHost} from '../shellHost.ts';
import {WINDOW_URL} from './assets.ts';

/**
 * Answers the contract's calls. Only the window's own page, and the pages of which pictures are taken, get an answer.
 * Calls from iframes in these pages, and from other windows, are refused.
 */
export function setupIpc(host: ShellHost, window: BrowserWindow, studioPages: ReadonlySet<WebContents>): void {
  // this is read before the window is closed, because the pages of which pictures are taken may still call afterwards
  const contents = window.webContents;
  for (const call of CALLS) {
    ipcMain.handle(call, ({sender, senderFrame}, ...args) => {
      const isOurs = sender === contents || studioPages.has(sender);
      if (!isOurs || senderFrame?.parent !== null || !senderFrame.url.startsWith(WINDOW_URL)) {
        throw new Error(`${call} was called by ${senderFrame?.url ?? 'a page that was closed'}`);
      }
      return host.call(call, args);
    });
  }
  const end = host.on((event, value) => contents.send(event, value));
  window.on('closed', end);
}
