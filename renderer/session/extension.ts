import type {OpenedDocument, Start} from '../../app/host/contract.ts';
import type {Scenario} from '../../app/run/scenario/scenario.ts';
import type {ShownRun} from './loads.ts';
import type {NoticeAction} from './notices.ts';
import type {Session} from './session.ts';

/**
 * The state that a feature of the window keeps for a session. The session knows no feature: a feature asks for its own
 * state by this key ({@link Session.stateOf}).
 */
export interface FeatureState<T> {
  /** Makes the state. It may {@link Session.extend} the session. */
  readonly create: (session: Session) => T;
}

/** What a feature does when something happens in the session. Every part is optional. */
export interface Extension {
  /** The host has answered, and what it was asked to open is on its way. The session's start waits for this. */
  readonly started?: (answer: Start) => void | Promise<void>;
  /** Reads a document or a file of the feature's own format; null if it is in another format. */
  readonly read?: (opened: OpenedDocument | Uint8Array) => ReadDocument | null;
  /** The run of a scenario that the feature has computed ahead; undefined if it has none. */
  readonly prepared?: (scenario: Scenario) => Promise<ShownRun | undefined> | undefined;
  /** The page is loaded anew: runs that were computed ahead may be of another page. */
  readonly reloads?: () => void;
  /** What was opened is on screen. A feature that opened it itself is told by {@link Opening.onShown} instead. */
  readonly opened?: (run: ShownRun) => void;
  /** What may help where a scenario cannot be opened. */
  readonly remedy?: (scenario: Scenario) => NoticeAction | undefined;
}

/** What a feature makes of a document that was opened. */
export type ReadDocument =
  | {readonly ok: true; readonly servers: readonly string[]; readonly open: () => void}
  /** `kind` is the format with its article, as in `a story`. */
  | {readonly ok: false; readonly kind: string; readonly problems: readonly {readonly message: string}[]};
