import type {Trust} from '../../net/trust.ts';
import type {OpenedFile} from '../open/openFiles.ts';
import type {Bundle} from '../store/bundle.ts';

/** What the user asks the gateway for. */
export interface GatewayRequest {
  readonly address: string;
  /** Pictures become ones that can be shown before they are complete (N07 §6). */
  readonly isProgressive: boolean;
  /** Addresses that are not public may be reached, for this page. */
  readonly isPrivateAllowed: boolean;
  /**
   * Which servers of https this machine takes. It is not told to another machine's gateway, which has its own: there it
   * counts for the gateway itself.
   */
  readonly trust?: Trust | undefined;
}

/** Files that somebody opened, and that become a page's bundle: read where nothing is lost by it. */
export type FilesRequest =
  | {readonly files: readonly OpenedFile[]}
  /** One that lies on this machine, with what it names in its folder. */
  | {readonly path: string};

/** What a gateway tells: its process, or one on another machine. */
export type GatewayMessage = {readonly type: 'progress'; readonly done: number; readonly all: number} | GatewayAnswer;

/** The last that it tells. */
export type GatewayAnswer =
  | {readonly type: 'bundle'; readonly bundle: Bundle}
  | {readonly type: 'refused'; readonly why: string; readonly isPrivate: boolean};

/** What the gateway's process took: all of its threads' time, and the most memory that it had, resident. */
export interface ProcessUse {
  readonly cpuMs: number;
  readonly peakBytes: number;
}

/** What the gateway's process tells whoever started it. */
export type ProcessMessage = GatewayMessage | {readonly type: 'used'; readonly used: ProcessUse};
