import {resolve} from 'node:path';
import {app, BrowserWindow} from 'electron';
import {messageOf} from '../../../app/base/text.ts';
import type {OpenedDocument} from '../../../app/host/contract.ts';
import type {ShellHost} from '../host.ts';
import {readOpenedFiles} from '../openedFile.ts';

/**
 * What the program was started on: those of `argv` that are no switch, after Electron's own program and, when
 * Electron runs it from its sources, the program's. Null without one. A relative path is from `folder` on.
 */
export function readOpened(argv: readonly string[], folder: string): OpenedDocument | null {
  const words = argv.slice(1).filter(arg => !arg.startsWith('-'));
  const wanted = process.defaultApp ? words.slice(1) : words;
  return wanted.length === 0 ? null : read(wanted.map(name => ({name, path: resolve(folder, name)})));
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
    open(read([{name: path, path}]));
  });
  app.on('open-url', (event, url) => {
    event.preventDefault();
    open({name: 'the link', text: url});
  });
}

/** Of a file that cannot be read the window is told why. */
function read(named: readonly {readonly name: string; readonly path: string}[]): OpenedDocument {
  try {
    return readOpenedFiles(named);
  } catch (error) {
    const name = named.map(each => each.name).join(', ');
    return {name, text: '', problem: messageOf(error)};
  }
}
