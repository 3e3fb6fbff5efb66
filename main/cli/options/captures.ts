import {basename} from 'node:path';
import {showName} from '../../../app/base/text.ts';
import {captureFormat} from '../../../app/captures/captureFormat.ts';
import {captureRun} from '../../../app/captures/captureScenario.ts';
import {captureTrace} from '../../../app/captures/captureTrace.ts';
import {type FilePane, panesOfFiles} from '../../../app/run/trace/joinRuns.ts';
import {encodeRun, isRunFile, type Run} from '../../../app/run/trace/runFile.ts';
import {
  CaptureError,
  type NamedFile,
  type OpenedCapture,
  openCaptures,
  readCaptures,
} from '../../captures/openCaptures.ts';
import {bytesOf} from './namedFile.ts';
import type {Option} from './option.ts';
import {UsageError} from './usageError.ts';

/** The option that names key logs, for commands that read captures of packets. */
export const KEYS = {
  type: 'string',
  multiple: true,
  value: 'FILE',
  help:
    'A key log with the secrets of TLS, which browsers and curl write if SSLKEYLOGFILE names the file. Without it, the ' +
    'contents of encrypted packets cannot be read. A pcapng file may contain the secrets itself.',
} as const satisfies Option;

/**
 * Reads the capture files that the user named, and key logs. The page of each load is stored.
 * @throws UsageError naming the file that is wrong; FileError; the signal's reason
 */
export async function capturesOf(
  paths: readonly string[],
  keyPaths: readonly string[],
  signal: AbortSignal,
): Promise<readonly [OpenedCapture, ...OpenedCapture[]]> {
  try {
    return await openCaptures([...paths.map(namedFile), ...keyPaths.map(keyLog)], signal);
  } catch (error) {
    throw error instanceof CaptureError ? new UsageError(error.message) : error;
  }
}

/**
 * Returns the panes of trace files and of captures. If all files are captures, their pages are not stored, and objects
 * have the addresses that were requested, so that captures of one page are aligned.
 * @throws UsageError naming the file that is wrong; FileError; the signal's reason
 */
export async function panesOfRecordings(
  paths: readonly string[],
  keyPaths: readonly string[],
  signal: AbortSignal,
): Promise<readonly (readonly FilePane[])[]> {
  const files = paths.map(namedFile);
  const keys = keyPaths.map(keyLog);
  const areCaptures = files.every(({bytes}) => !isRunFile(bytes));
  const found: (readonly FilePane[])[] = [];
  for (const file of files) {
    if (isRunFile(file.bytes)) found.push(panesOf([file]));
    else {
      const runs = areCaptures ? rawRuns([file, ...keys]) : await storedRuns([file, ...keys], signal);
      found.push(panesOf(runs.map(run => ({name: file.name, bytes: encodeRun(run)}))));
    }
  }
  return found;
}

/** @throws UsageError */
function panesOf(files: readonly NamedFile[]): readonly FilePane[] {
  const panes = files.map(file => panesOfFiles([file]));
  return panes.flatMap(each => {
    if (!each.ok) throw new UsageError(each.message);
    return each.panes;
  });
}

/** @throws UsageError */
function rawRuns(files: readonly NamedFile[]): readonly Run[] {
  try {
    return readCaptures(files).map(({load}) => captureRun(load, captureTrace(load), {synthetic: {objects: 0}}));
  } catch (error) {
    throw error instanceof CaptureError ? new UsageError(error.message) : error;
  }
}

async function storedRuns(files: readonly NamedFile[], signal: AbortSignal): Promise<readonly Run[]> {
  try {
    return (await openCaptures(files, signal)).map(({run}) => run);
  } catch (error) {
    throw error instanceof CaptureError ? new UsageError(error.message) : error;
  }
}

function namedFile(path: string): NamedFile {
  const problem = (why: string): string => `${showName(path, 200)}: no file that can be read${why}`;
  return {name: basename(path), bytes: bytesOf(path, problem)};
}

/** @throws UsageError if the file has no secrets */
function keyLog(path: string): NamedFile {
  const file = namedFile(path);
  if (captureFormat(file.bytes) === 'keys') return file;
  throw new UsageError(`--keys ${showName(path, 200)}: has no secrets in the format of SSLKEYLOGFILE`);
}
