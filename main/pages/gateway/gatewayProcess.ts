import {GATEWAY_LIMITS} from '../base/gatewayLimits.ts';
import {FetchError} from '../base/pageErrors.ts';
import type {Bundle} from '../store/bundle.ts';
import type {FilesRequest, GatewayRequest, ProcessMessage, ProcessUse} from './gatewayMessage.ts';
import {type OwnProcess, type StartProcess, startNodeProcess} from './ownProcess.ts';

export interface GatewayOptions {
  /** The module of the gateway's process. */
  readonly module: URL;
  readonly signal: AbortSignal;
  readonly onProgress?: (done: number, all: number) => void;
  /** Called once before the bundle is returned, but not if the request fails. */
  readonly onUsed?: (used: ProcessUse) => void;
  /** Starts the process. By default it is a process of Node. */
  readonly startProcess?: StartProcess | undefined;
}

/**
 * Fetches a page over the real network, in a separate process that ends with the request.
 * @throws FetchError if the page cannot be fetched; the signal's reason after an abort
 */
export function fetchBundle(request: GatewayRequest, options: GatewayOptions): Promise<Bundle> {
  return ask(request, options);
}

/**
 * Makes a page from files, in a separate process, so that a malicious file cannot harm the program.
 * @throws FetchError if the files are not a page; the signal's reason after an abort
 */
export function openInOwnProcess(request: FilesRequest, options: GatewayOptions): Promise<Bundle> {
  return ask(request, options);
}

async function ask(request: GatewayRequest | FilesRequest, options: GatewayOptions): Promise<Bundle> {
  const {module, signal, onProgress, onUsed, startProcess = startNodeProcess} = options;
  signal.throwIfAborted();
  const late = AbortSignal.timeout(LONGEST_MS);
  const end = AbortSignal.any([signal, late]);
  let child: OwnProcess | undefined;
  const kill = (): void => child?.kill();
  end.addEventListener('abort', kill);
  try {
    return await new Promise<Bundle>((resolve, reject) => {
      child = startProcess(module, HEAP_MB, {
        onMessage: message => {
          const report = message as ProcessMessage;
          if (report.type === 'progress') onProgress?.(report.done, report.all);
          else if (report.type === 'used') onUsed?.(report.used);
          else if (report.type === 'bundle') resolve(report.bundle);
          else reject(new FetchError(report.why, report.isPrivate));
        },
        onError: reject,
        onEnd: () => {
          if (signal.aborted) reject(signal.reason);
          else if (late.aborted) reject(new FetchError(`it takes more than ${LONGEST_MS / 1000} s`));
          else reject(new FetchError('the gateway’s process ended: the page may be too large for it'));
        },
      });
      child.send(request);
    });
  } finally {
    end.removeEventListener('abort', kill);
    kill();
  }
}

/**
 * Largest JavaScript heap of the process, in MB. The bytes of the page are not on the heap. A page that reaches all
 * limits needs less than half of this.
 */
const HEAP_MB = 512;

/** Time after which a process that hangs is killed. The gateway's own limits end all other requests earlier. */
export const LONGEST_MS = GATEWAY_LIMITS.pageMs + GATEWAY_LIMITS.convertMs + GATEWAY_LIMITS.objectMs;
