import {type BrowserWindow, ipcMain} from 'electron';
import {CALLS} from '../../../app/ipc/contract.ts';
import type {ShellHost} from '../host.ts';
import {WINDOW_URL} from './assets.ts';

/** Answers the contract's calls from the window's own page, and from nobody else. */
export function setupIpc(host: ShellHost, window: BrowserWindow): void {
  for (const call of CALLS) {
    ipcMain.handle(call, ({sender}, ...args) => {
      const isOurs = sender === window.webContents && sender.getURL().startsWith(WINDOW_URL);
      if (!isOurs) throw new Error(`${call} was asked by ${sender.getURL()}`);
      return host.call(call, args);
    });
  }
  const end = host.on((event, value) => window.webContents.send(event, value));
  window.on('closed', end);
}
