import {closeSync, openSync, readSync, statSync} from 'node:fs';
import {basename, dirname, extname, join, resolve} from 'node:path';
import {constants, gunzipSync} from 'node:zlib';
import type {Json} from '../../app/base/json.ts';
import {showName} from '../../app/base/text.ts';
import {captureFormat} from '../../app/captures/captureFormat.ts';
import type {OpenedDocument} from '../../app/host/contract.ts';
import {isBrowserTrace} from '../../app/page/browserTrace.ts';
import {isAddress, PAGE_FILE} from '../../app/run/scenario/pageSource.ts';
import type {TraceFile} from '../../app/run/trace/joinRuns.ts';
import {hasNoScenario, OPENABLE, readFile} from '../../app/run/trace/readScenarioFile.ts';
import {isRunFile} from '../../app/run/trace/runFile.ts';
import {InputError, readInput} from '../files/inputFile.ts';
import {withTraceFiles} from '../files/traceFiles.ts';

/**
 * Reads the document that the window is opened with. `name` is what the user typed, and `path` is where a file of this
 * name would be.
 * - An address, a folder or the file of a page becomes the default scenario with this page.
 * - A scenario file (.json) or trace file (.trace, .trace.gz) becomes its scenario. If no scenario reproduces the run,
 *   the trace file itself is the document.
 * - The bytes of captures and key logs are returned as they are. The shell interprets them later.
 * - Any other text is returned unchanged. The window interprets it as the name of a preset or as a link, or refuses it.
 * @throws Error with one line if a file of this name exists, but cannot be read, is invalid, or has an ending that
 * cannot be opened
 */
export function readOpenedFile(name: string, path = name): OpenedFiles {
  if (isAddress(name)) return {name, text: JSON.stringify({page: name})};
  if (isCaptureFile(path)) return capturesDocument([{name, path}]);
  if (isFolder(path) || isPageFile(path)) {
    return {name: basename(path), text: JSON.stringify({page: resolve(path)})};
  }
  if (!isFile(path)) return {name, text: name};
  if (!ENDINGS.includes(extname(path).toLowerCase())) {
    // this may be the name of a preset, and a file of the same name may be here by chance
    if (extname(path) === '') return {name, text: name};
    throw new Error(`${showName(path, 200)} is not a file that can be opened: ${OPENABLE}`);
  }
  const bytes = bytesOf(path);
  if (hasNoScenario(bytes)) return tracesDocument([{name: basename(path), bytes}]);
  const document = readFile(bytes);
  if (!document.ok) throw new Error(`${showName(path, 200)}: ${document.message}`);
  return {name: basename(path), text: JSON.stringify(withTraces(document.value, path))};
}

/**
 * Reads one file as {@link readOpenedFile} does. Several files must all be trace files, or all be captures, key logs
 * and HAR files. The window shows them side by side. Each `name` is the name that the user typed.
 * @throws Error with one line if a file cannot be read, or if several files are not all of one of these two kinds
 */
export function readOpenedFiles(named: readonly NamedPath[]): OpenedFiles {
  const [first] = named;
  if (first !== undefined && named.length === 1) return readOpenedFile(first.name, first.path);
  if (named.length > 0 && named.every(({path}) => isCaptureFile(path) || isHar(path))) return capturesDocument(named);
  return tracesDocument(
    named.map(({name, path}) => {
      const bytes = isFile(path) ? bytesOf(path) : new Uint8Array();
      if (isRunFile(bytes)) return {name: basename(path), bytes};
      throw new Error(
        `${showName(name, 200)} is not a trace file: several files can only be opened if all are trace files, or all are captures`,
      );
    }),
  );
}

/** A document that was opened, or captures and key logs, which the shell still has to convert to trace files. */
export interface OpenedFiles extends OpenedDocument {
  readonly captures?: readonly TraceFile[];
}

interface NamedPath {
  readonly name: string;
  readonly path: string;
}

/**
 * Whether a file is a capture or a key log. A HAR file opens as a page, unless it is opened together with captures or
 * other HAR files.
 */
function isCaptureFile(path: string): boolean {
  if (!isFile(path) || PAGE_FILE.test(path)) return false;
  try {
    return captureFormat(beginningOf(path)) !== undefined;
  } catch {
    // the file cannot be read, or is damaged
    return false;
  }
}

function isHar(path: string): boolean {
  return /\.har$/i.test(path) && isFile(path);
}

/** @throws Error */
function capturesDocument(named: readonly NamedPath[]): OpenedFiles {
  const captures = named.map(({path}) => ({name: basename(path), bytes: bytesOf(path)}));
  const name = captures.map(each => each.name).join(', ');
  return {name, text: name, captures};
}

function tracesDocument(traces: NonNullable<OpenedDocument['traces']>): OpenedDocument {
  const name = traces.map(each => each.name).join(', ');
  return {name, text: name, traces};
}

function withTraces(document: Json, path: string): Json {
  try {
    return withTraceFiles(document, dirname(path));
  } catch (error) {
    throw error instanceof InputError ? new Error(error.message) : error;
  }
}

function bytesOf(path: string): Uint8Array {
  try {
    return readInput(path);
  } catch (error) {
    // callers regard errors that are not plain Errors as bugs
    throw error instanceof InputError ? new Error(error.message) : error;
  }
}

/**
 * Whether the page that a scenario names must be made into a bundle before it can be loaded. This is true for the file
 * of a page ({@link PAGE_FILE}, or a trace of a browser), and for a folder without an index.html. A name without a
 * slash is never regarded as a folder.
 */
export function isOpenable(path: string): boolean {
  if (path.includes('\0')) return false;
  return isPageFile(path) || (/[/\\]/.test(path) && isFolder(path) && !isFile(join(path, 'index.html')));
}

function isPageFile(path: string): boolean {
  return (PAGE_FILE.test(path) || isTraceOfBrowser(path)) && isFile(path);
}

/** Whether a file is a trace of a browser, from which a page can be made. */
function isTraceOfBrowser(path: string): boolean {
  if (!/\.json(\.gz)?$/i.test(path) || !isFile(path)) return false;
  try {
    return isBrowserTrace(beginningOf(path));
  } catch {
    // the file cannot be read, or is damaged
    return false;
  }
}

/** The first bytes of a file. If gzip has compressed them, they are unpacked as far as possible. */
function beginningOf(path: string): Uint8Array {
  const bytes = Buffer.alloc(READ_BYTES);
  const file = openSync(path, 'r');
  let length = 0;
  try {
    length = readSync(file, bytes);
  } finally {
    closeSync(file);
  }
  const read = bytes.subarray(0, length);
  if (read[0] !== 0x1f || read[1] !== 0x8b) return read;
  return gunzipSync(read, {finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: 64 * READ_BYTES});
}

const READ_BYTES = 1_000_000;

function isFolder(path: string): boolean {
  return statSync(path, {throwIfNoEntry: false})?.isDirectory() === true;
}

/** Whether the path is a regular file. A pipe or a device could make the window wait forever. */
function isFile(path: string): boolean {
  return statSync(path, {throwIfNoEntry: false})?.isFile() === true;
}

const ENDINGS: readonly string[] = ['.json', '.trace', '.gz'];
