import {statSync} from 'node:fs';
import {basename, extname, join, resolve} from 'node:path';
import type {OpenedDocument} from '../../app/ipc/contract.ts';
import {isAddress, PAGE_FILE} from '../../app/scenario/pageSource.ts';
import {showName} from '../../app/scenario/show.ts';
import {readFile} from '../../app/trace/openedFile.ts';
import {InputError, readInput} from '../files/inputFile.ts';

/**
 * What the window is opened on: the scenario of a scenario file (.json) or of a trace file (.trace, .trace.gz), or the
 * default one with a page: a file, a folder, an address. Anything else stands for itself and is not read: a preset's
 * name, a link, or what the window then refuses.
 * @throws Error of one line if such a file is there and cannot be read.
 */
export function readOpenedFile(name: string, path = name): OpenedDocument {
  if (isAddress(name)) return {name, text: JSON.stringify({page: name})};
  if (isFolder(path) || isPageFile(path)) {
    return {name: basename(path), text: JSON.stringify({page: resolve(path)})};
  }
  if (!ENDINGS.includes(extname(path).toLowerCase()) || !isFile(path)) return {name, text: name};
  const document = readFile(bytesOf(path));
  if (!document.ok) throw new Error(`${showName(path, 200)}: ${document.message}`);
  return {name: basename(path), text: JSON.stringify(document.value)};
}

function bytesOf(path: string): Uint8Array {
  try {
    return readInput(path);
  } catch (error) {
    // by its name, other errors are taken for bugs
    throw error instanceof InputError ? new Error(error.message) : error;
  }
}

/**
 * Whether a scenario's page becomes one when it is opened: an archive, HTML, a folder of pictures, which a name without
 * a slash is not.
 */
export function isOpenable(path: string): boolean {
  if (path.includes('\0')) return false;
  return isPageFile(path) || (/[/\\]/.test(path) && isFolder(path) && !isFile(join(path, 'index.html')));
}

function isPageFile(path: string): boolean {
  return PAGE_FILE.test(path) && isFile(path);
}

function isFolder(path: string): boolean {
  return statSync(path, {throwIfNoEntry: false})?.isDirectory() === true;
}

/** A pipe or a device would keep the window waiting. */
function isFile(path: string): boolean {
  return statSync(path, {throwIfNoEntry: false})?.isFile() === true;
}

const ENDINGS: readonly string[] = ['.json', '.trace', '.gz'];
