import {resolve} from 'node:path';
import {fileURLToPath} from 'node:url';
import {app, BrowserWindow} from 'electron';
import {messageOf} from '../../../app/base/text.ts';
import {type OpenedFiles, readOpenedFiles} from '../openedFile.ts';
import type {ShellHost} from '../shellHost.ts';

/**
 * Reads the documents that the program was started with. Each argument in `argv` names a document, except the switches,
 * the first argument (the name of Electron) and, if Electron was started with the path of the program, this path.
 * Relative paths are resolved against `folder`. Returns null if no argument names a document.
 */
export function readOpened(argv: readonly string[], folder: string): OpenedFiles | null {
  const words = argv.slice(1).filter(arg => !arg.startsWith('-'));
  const wanted = process.defaultApp ? words.slice(1) : words;
  return wanted.length === 0 ? null : read(wanted.map(name => ({name, path: pathOf(name, folder)})));
}

/**
 * Sends opened files and links to the window. Call this before Electron is ready: on macOS an event names the document
 * that the program was started with, and it is emitted before there is a window.
 */
export function setupOpening(host: ShellHost): void {
  const open = (opened: OpenedFiles | null) => {
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

/** The path that an argument names. Linux desktops pass files as URLs (Desktop Entry Specification, `%U`). */
function pathOf(name: string, folder: string): string {
  try {
    return /^file:\/\//i.test(name) ? fileURLToPath(name) : resolve(folder, name);
  } catch {
    return name;
  }
}

/** Reads the files. If a file cannot be read, the result contains a message for the window. */
function read(named: readonly {readonly name: string; readonly path: string}[]): OpenedFiles {
  try {
    return readOpenedFiles(named);
  } catch (error) {
    const name = named.map(each => each.name).join(', ');
    return {name, text: '', problem: messageOf(error)};
  }
}
