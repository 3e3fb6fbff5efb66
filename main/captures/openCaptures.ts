import {messageOf, showName} from '../../app/base/text.ts';
import type {CapturedLoad, ReadCapture} from '../../app/captures/capturedLoad.ts';
import {captureFormat} from '../../app/captures/captureFormat.ts';
import {captureRun} from '../../app/captures/captureScenario.ts';
import {captureTrace} from '../../app/captures/captureTrace.ts';
import {readHar} from '../../app/captures/har.ts';
import {joinedKeyLogs, type KeyLog, readKeyLog} from '../../app/captures/keyLog.ts';
import {readNetlog} from '../../app/captures/netlog/readNetlog.ts';
import {readPacketCapture} from '../../app/captures/packetCapture.ts';
import {placeOnPage} from '../../app/captures/placeOnPage.ts';
import {readQlog} from '../../app/captures/qlog/readQlog.ts';
import {type PageSnapshot, pageStamp} from '../../app/page/page.ts';
import type {CaptureKind} from '../../app/pipelines/setting.ts';
import {pageDocument} from '../../app/run/scenario/document.ts';
import {parseScenario, type Scenario} from '../../app/run/scenario/scenario.ts';
import type {Run} from '../../app/run/trace/runFile.ts';
import {PageError} from '../pages/base/pageErrors.ts';
import {readStoredPage} from '../pages/readPage.ts';
import {bundleSource} from '../pages/store/bundle.ts';
import {BundleStore} from '../pages/store/bundleStore.ts';
import {captureBundle} from './captureBundle.ts';
import {readCaptureFile} from './captureFile.ts';
import {nodeCrypto} from './nodeCrypto.ts';

/**
 * Thrown if a file cannot be read as a capture, if there is no capture, or if a capture is not enough for a twin. The
 * message is one line for the user.
 */
export class CaptureError extends Error {
  override readonly name = 'CaptureError';
}

export interface NamedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** A page load of a capture file. */
export interface OpenedCapture {
  /** The name of the file. */
  readonly file: string;
  readonly load: CapturedLoad;
  /** The load as a run with one pane. */
  readonly run: Run;
  /** The scenario of the run. */
  readonly scenario: Scenario;
}

/**
 * Reads capture files. There may be key logs among the files. Their secrets are used for all captures. The page of each
 * load is stored, so that panes can show it.
 * @throws CaptureError; FileError if a page cannot be stored; the signal's reason after an abort
 */
export async function openCaptures(
  files: readonly NamedFile[],
  signal: AbortSignal,
  store = new BundleStore(),
): Promise<readonly [OpenedCapture, ...OpenedCapture[]]> {
  const opened: OpenedCapture[] = [];
  for (const {file, load} of await readCaptures(files)) {
    signal.throwIfAborted();
    const run = await runOf(load, store, signal);
    const parsed = parseScenario(run.scenario);
    if (!parsed.ok) throw new RangeError(`invalid run: ${parsed.problems[0]?.message}`);
    opened.push({file, load, run, scenario: parsed.scenario});
  }
  const [first, ...others] = opened;
  if (first === undefined) throw new CaptureError('a key log alone shows no load: open it together with a capture');
  return [first, ...others];
}

/** Reads the page loads of capture files like {@link openCaptures}, without their pages. @throws CaptureError */
export async function readCaptures(
  files: readonly NamedFile[],
): Promise<readonly {readonly file: string; readonly load: CapturedLoad}[]> {
  const formats = files.map(({bytes}) => captureFormat(bytes));
  // all captures use the secrets of all key logs, because a key log does not say to which capture it belongs
  const keys = readKeyLog(files.flatMap(({bytes}, i) => (formats[i] === 'keys' ? [textOf(bytes)] : [])).join('\n'));
  const loads: {readonly file: string; readonly load: CapturedLoad}[] = [];
  for (const [i, {name, bytes}] of files.entries()) {
    const format = formats[i];
    if (format === 'keys') continue;
    const file = showName(name, LONGEST_NAME);
    if (format === undefined)
      throw new CaptureError(`${file} is not a capture: it must be pcapng, pcap, qlog, ${OTHERS}`);
    const read = await readOf(format, bytes, keys);
    if (!read.ok) throw new CaptureError(`${file}: ${read.message}`);
    for (const load of read.loads) loads.push({file: name, load});
  }
  return loads;
}

async function readOf(kind: CaptureKind, bytes: Uint8Array, keys: KeyLog): Promise<ReadCapture> {
  switch (kind) {
    case 'pcap':
      return readPackets(bytes, keys);
    case 'qlog':
      return readQlog(textOf(bytes));
    case 'har':
      return readHar(textOf(bytes));
    case 'netlog':
      return readNetlog(textOf(bytes));
  }
}

async function readPackets(bytes: Uint8Array, keys: KeyLog): Promise<ReadCapture> {
  try {
    const {packets, keys: own, notes} = await readCaptureFile(bytes);
    const read = readPacketCapture(packets, joinedKeyLogs(readKeyLog(own), keys), nodeCrypto);
    if (!read.ok || notes.length === 0) return read;
    const [first, ...others] = read.loads.map(load => ({...load, notes: [...notes, ...load.notes]}));
    return first === undefined ? read : {ok: true, loads: [first, ...others]};
  } catch (error) {
    if ((error as {code?: unknown}).code !== 'INVALID_ARGUMENT') throw error;
    return {ok: false, message: messageOf(error)};
  }
}

async function runOf(load: CapturedLoad, store: BundleStore, signal: AbortSignal): Promise<Run> {
  const data = captureTrace(load);
  const [first] = load.exchanges;
  const address = first?.url ?? 'capture';
  const stored = await pageOf(load, address, store, signal);
  if (stored === undefined) return captureRun(load, data, EMPTY_PAGE);
  const {page, hash} = stored;
  const source = pageDocument({kind: 'bundle', ...bundleSource(hash, {address})});
  return captureRun(load, placeOnPage(data, load.exchanges, page), source, pageStamp(page));
}

/** Stores the page of a load. Undefined if there is no page, because the capture has no complete response. */
async function pageOf(
  load: CapturedLoad,
  address: string,
  store: BundleStore,
  signal: AbortSignal,
): Promise<{readonly page: PageSnapshot; readonly hash: string} | undefined> {
  try {
    const bundle = await captureBundle(load, address, signal);
    const hash = await store.put(bundle, signal);
    return {page: await readStoredPage(address, bundle), hash};
  } catch (error) {
    if (error instanceof PageError) return undefined;
    throw error;
  }
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** The page of a load without any complete response. */
export const EMPTY_PAGE = {synthetic: {objects: 0}};

const OTHERS = 'a network log of Chromium or HAR';

const LONGEST_NAME = 80;
