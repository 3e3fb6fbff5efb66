import {statSync} from 'node:fs';
import {basename, extname, join, resolve} from 'node:path';
import {showName} from '../../app/base/text.ts';
import type {OpenedDocument} from '../../app/host/contract.ts';
import {isAddress, PAGE_FILE} from '../../app/run/scenario/pageSource.ts';
import {isOfNoScenario, readFile} from '../../app/run/trace/readScenarioFile.ts';
import {isRunFile} from '../../app/run/trace/runFile.ts';
import {InputError, readInput} from '../files/inputFile.ts';

/**
 * What the window is opened on: the scenario of a scenario file (.json) or of a trace file (.trace, .trace.gz), the
 * trace file itself where no scenario gives it again, or the
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
  const bytes = bytesOf(path);
  if (isOfNoScenario(bytes)) return tracesDocument([{name: basename(path), bytes}]);
  const document = readFile(bytes);
  if (!document.ok) throw new Error(`${showName(path, 200)}: ${document.message}`);
  return {name: basename(path), text: JSON.stringify(document.value)};
}

/**
 * Several trace files, which the window shows beside each other. Each `name` is as whoever named it did.
 * @throws Error of one line for what is no trace file, or cannot be read.
 */
export function readOpenedFiles(named: readonly {readonly name: string; readonly path: string}[]): OpenedDocument {
  const [first] = named;
  if (first !== undefined && named.length === 1) return readOpenedFile(first.name, first.path);
  return tracesDocument(
    named.map(({name, path}) => {
      const bytes = isFile(path) ? bytesOf(path) : new Uint8Array();
      if (isRunFile(bytes)) return {name: basename(path), bytes};
      throw new Error(`${showName(name, 200)} is no trace file: of several only these are opened`);
    }),
  );
}

function tracesDocument(traces: NonNullable<OpenedDocument['traces']>): OpenedDocument {
  const name = traces.map(each => each.name).join(', ');
  return {name, text: name, traces};
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
