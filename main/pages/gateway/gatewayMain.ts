import {isPublic, resolveBySystem} from '../../net/publicAddress.ts';
import {GATEWAY_LIMITS} from '../base/gatewayLimits.ts';
import type {MediaType} from '../base/mediaType.ts';
import {FetchError, PageError} from '../base/pageErrors.ts';
import {peakMemoryBytes, watchMemory} from '../base/processMemory.ts';
import {Fetcher} from '../fetch/fetcher.ts';
import {type Converted, gather} from '../fetch/gather.ts';
import {progressive} from '../fetch/progressive.ts';
import {openFiles} from '../open/openFiles.ts';
import {openPath} from '../open/openPath.ts';
import {fetchWithBrowser} from '../record/fetchWithBrowser.ts';
import type {Bundle} from '../store/bundle.ts';
import type {FilesRequest, GatewayRequest, ProcessMessage, ProcessUse} from './gatewayMessage.ts';

// This is the gateway's process. It fetches one page, or makes one from files, and reports the result. Then its parent
// process kills it. It also ends when its parent process ends.

/** The parent process, if this is a utility process of Electron. Such a process ends with its parent by itself. */
const electron = (process as {readonly parentPort?: NodeJS.Process['parentPort'] | null}).parentPort ?? undefined;

if (electron !== undefined) electron.once('message', ({data}) => void serve(data as GatewayRequest | FilesRequest));
else process.once('message', (request: GatewayRequest | FilesRequest) => void serve(request));
process.on('disconnect', () => process.exit());

async function serve(request: GatewayRequest | FilesRequest): Promise<void> {
  const {memoryBytes} = GATEWAY_LIMITS;
  watchMemory(memoryBytes, () => {
    report({type: 'refused', why: `it takes more than ${memoryBytes / 1e6} MB of memory`, isPrivate: false});
  });
  try {
    const bundle = await ('address' in request ? fetched(request) : opened(request));
    report({type: 'used', used: usedSoFar()});
    report({type: 'bundle', bundle});
  } catch (error) {
    if (error instanceof PageError) report({type: 'refused', why: error.message, isPrivate: false});
    else if (error instanceof FetchError) report({type: 'refused', why: error.message, isPrivate: error.isPrivate});
    else throw error;
  }
}

async function opened(request: FilesRequest): Promise<Bundle> {
  const {signal} = new AbortController();
  if ('files' in request) return openFiles(request.files, signal);
  const bundle = await openPath(request.path, signal);
  if (bundle === undefined) throw new PageError(request.path, 'is not a file');
  return bundle;
}

async function fetched(request: GatewayRequest): Promise<Bundle> {
  const {address, isProgressive, isPrivateAllowed, usesBrowser, trust} = request;
  const limits = GATEWAY_LIMITS;
  const {signal} = new AbortController();
  const fetcher = new Fetcher({
    limits,
    trust,
    resolve: resolveBySystem,
    signal,
    mayReach: isPrivateAllowed ? () => true : isPublic,
  });
  try {
    const onProgress = (done: number, all: number): void => report({type: 'progress', done, all});
    const convert = isProgressive ? {convert: toProgressive} : {};
    if (usesBrowser) return await fetchWithBrowser(address, {limits, fetcher, signal, onProgress, ...convert});
    return await gather(address, {
      limits,
      date: new Date(),
      get: address => fetcher.get(address),
      onProgress,
      ...convert,
    });
  } finally {
    await fetcher.close();
  }
}

function toProgressive(bytes: Uint8Array, type: MediaType): Promise<Converted | undefined> {
  return progressive(bytes, type, () => performance.now());
}

function usedSoFar(): ProcessUse {
  const {user, system} = process.cpuUsage();
  return {cpuMs: (user + system) / 1000, peakBytes: peakMemoryBytes()};
}

function report(message: ProcessMessage): void {
  if (electron !== undefined) electron.postMessage(message);
  // If the parent process has ended, the message cannot be sent. Without the callback, this error would end the process
  // with a stack trace.
  else process.send?.(message, undefined, undefined, () => undefined);
}
