import type {Trust} from '../base/trust.ts';
import type {OpenedFile} from '../open/openFiles.ts';
import type {Bundle} from '../store/bundle.ts';

/** A request to a gateway to fetch a page. */
export interface GatewayRequest {
  readonly address: string;
  /** Whether pictures are converted so that they can be shown before they are complete, as paper N07 proposes (§6). */
  readonly isProgressive: boolean;
  /** Whether an installed Chromium loads the page, with its scripts running, and records what it requests and why. */
  readonly usesBrowser?: boolean;
  /** Whether requests for this page may go to addresses that are not public. */
  readonly isPrivateAllowed: boolean;
  /**
   * Which HTTPS servers this machine trusts. A gateway on another machine does not receive this setting, because it has
   * its own. In that case the setting applies to the connection to that gateway.
   */
  readonly trust?: Trust | undefined;
}

/**
 * Files that a user opened, from which a page's bundle is made. A separate process reads them, so that malicious files
 * cannot harm the program.
 */
export type FilesRequest =
  | {readonly files: readonly OpenedFile[]}
  /** A folder on this machine, or a file together with the files in and below its folder that the file refers to. */
  | {readonly path: string};

/** A message from a gateway. The gateway is a process on this machine, or runs on another machine. */
export type GatewayMessage = {readonly type: 'progress'; readonly done: number; readonly all: number} | GatewayAnswer;

/** The last message of a gateway. */
export type GatewayAnswer =
  | {readonly type: 'bundle'; readonly bundle: Bundle}
  | {readonly type: 'refused'; readonly why: string; readonly isPrivate: boolean};

/** What the gateway's process used: CPU time of all threads, and the peak of its resident memory. */
export interface ProcessUse {
  readonly cpuMs: number;
  readonly peakBytes: number;
}

/** What the gateway's process reports to the process that started it. */
export type ProcessMessage = GatewayMessage | {readonly type: 'used'; readonly used: ProcessUse};
