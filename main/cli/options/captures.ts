import {showName} from '../../../app/base/text.ts';
import {addressesOf} from '../../../app/captures/addresses.ts';
import {captureFormat} from '../../../app/captures/captureFormat.ts';
import {captureRun} from '../../../app/captures/captureScenario.ts';
import {captureTrace} from '../../../app/captures/captureTrace.ts';
import {type FilePane, panesOfFiles, panesOfRuns} from '../../../app/run/trace/joinRuns.ts';
import {isRunFile} from '../../../app/run/trace/runFile.ts';
import {
  EMPTY_PAGE,
  type NamedFile,
  type OpenedCapture,
  openCaptures,
  readCaptures,
} from '../../captures/openCaptures.ts';
import {BundleError, BundleStore} from '../../pages/store/bundleStore.ts';
import {namedFile} from './namedFile.ts';
import type {Option} from './option.ts';
import {panesOf} from './traceFiles.ts';
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
 * @throws UsageError, CaptureError naming the file that is wrong; FileError; the signal's reason
 */
export async function capturesOf(
  paths: readonly string[],
  keyPaths: readonly string[],
  signal: AbortSignal,
): Promise<readonly [OpenedCapture, ...OpenedCapture[]]> {
  return openCaptures([...paths.map(path => namedFile(path, 'capture')), ...keyPaths.map(keyLog)], signal);
}

/**
 * Returns the panes of each file. The files are trace files and captures. If there is a captured load among them, the
 * objects of stored pages are named by their addresses on the web instead of by the names of the stored files. The same
 * object then has the same name in all loads.
 * @throws UsageError, CaptureError naming the file that is wrong
 */
export async function panesOfRecordings(
  paths: readonly string[],
  keyPaths: readonly string[],
): Promise<readonly (readonly FilePane[])[]> {
  const keys = keyPaths.map(keyLog);
  const files: (readonly FilePane[])[] = [];
  for (const path of paths) {
    const file = namedFile(path, 'trace file');
    files.push(isRunFile(file.bytes) ? panesOf(panesOfFiles([file])) : await rawPanes(file, keys));
  }
  const hasCapture = files.some(panes => panes.some(({scenario: {path}}) => path.captured !== undefined));
  if (!hasCapture) return files;
  return Promise.all(files.map(panes => Promise.all(panes.map(named))));
}

/** Returns the panes of a capture. The page is not stored, because `diff` compares only objects. @throws CaptureError */
async function rawPanes(file: NamedFile, keys: readonly NamedFile[]): Promise<readonly FilePane[]> {
  const loads = await readCaptures([file, ...keys]);
  return loads.flatMap(({load}) => {
    const run = captureRun(load, captureTrace(load), EMPTY_PAGE);
    return panesOf(panesOfRuns([{name: file.name, run}]));
  });
}

/** Names the objects of a pane by their addresses, if its page is stored. */
async function named(pane: FilePane): Promise<FilePane> {
  const {page} = pane.scenario;
  if (page.kind !== 'bundle') return pane;
  const bundle = await new BundleStore().open(page.bundle).catch((error: unknown) => {
    if (error instanceof BundleError) return undefined;
    throw error;
  });
  const {objects = []} = bundle?.document ?? {};
  const names = addressesOf(objects.map(({address}) => address));
  const known = new Map(objects.map(({file}, i) => [`/${file}`, names[i]]));
  const renamed = pane.data.objects.map(object => ({...object, url: known.get(object.url) ?? object.url}));
  return {...pane, data: {...pane.data, objects: renamed}};
}

/** @throws UsageError if the file has no secrets */
function keyLog(path: string): NamedFile {
  const file = namedFile(path, '--keys');
  if (captureFormat(file.bytes) === 'keys') return file;
  throw new UsageError(`--keys ${showName(path, 200)}: has no secrets in the format of SSLKEYLOGFILE`);
}
