import {resolve} from 'node:path';
import {app, BrowserWindow} from 'electron';
import type {OpenedDocument} from '../../../app/ipc/contract.ts';
import type {ShellHost} from '../host.ts';
import {readOpenedFile} from '../openedFile.ts';

/**
 * What the program was started on: the first of `argv` that is no switch, after Electron's own program and, when
 * Electron runs it from its sources, the program's. Null without one. A relative path is from `folder` on.
 */
export function readOpened(argv: readonly string[], folder: string): OpenedDocument | null {
  const words = argv.slice(1).filter(arg => !arg.startsWith('-'));
  const wanted = process.defaultApp ? words[1] : words[0];
  return wanted === undefined ? null : read(wanted, resolve(folder, wanted));
}

/**
 * Files and links that are opened go to the window. Call it before Electron is ready: macOS tells what the program
 * was started on by an event, and before there is a window.
 */
export function setupOpening(host: ShellHost): void {
  const open = (opened: OpenedDocument | null) => {
    if (opened !== null) host.open(opened);
    const window = BrowserWindow.getAllWindows().find(each => !each.webContents.isOffscreen());
    if (window?.isMinimized()) window.restore();
    window?.focus();
  };
  app.on('second-instance', (_event, argv, folder) => open(readOpened(argv, folder)));
  app.on('open-file', (event, path) => {
    event.preventDefault();
    open(read(path));
  });
  app.on('open-url', (event, url) => {
    event.preventDefault();
    open({name: 'the link', text: url});
  });
}

/** Of a file that cannot be read the window is told why. */
function read(name: string, path = name): OpenedDocument {
  try {
    return readOpenedFile(name, path);
  } catch (error) {
    return {name, text: '', problem: error instanceof Error ? error.message : String(error)};
  }
}
