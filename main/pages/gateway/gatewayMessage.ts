import type {Trust} from '../base/trust.ts';
import type {OpenedFile} from '../open/openFiles.ts';
import type {Bundle} from '../store/bundle.ts';

/** What a user asks the gateway for. */
export interface GatewayRequest {
  readonly address: string;
  /**
   * Whether pictures are converted to ones that can be shown before they are complete (N07 §6, 'The effects of
   * transport-layer multistreaming on web browsing').
   */
  readonly isProgressive: boolean;
  /** Whether addresses that are not public may be reached, for this page. */
  readonly isPrivateAllowed: boolean;
  /**
   * Which HTTPS servers this machine trusts. The gateway of another machine does not receive this, as it has a setting
   * of its own. In that case this applies to the connection to the gateway itself.
   */
  readonly trust?: Trust | undefined;
}

/**
 * Files that a user opened, from which a page's bundle is made. A separate process reads them, so that nothing is lost
 * if they do harm.
 */
export type FilesRequest =
  | {readonly files: readonly OpenedFile[]}
  /** A file on this machine, together with the files in its folder that it refers to. */
  | {readonly path: string};

/** What a gateway reports, whether it is a process or on another machine. */
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
