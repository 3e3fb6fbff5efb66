import type {OpenedDocument, Start} from '../../app/host/contract.ts';
import type {Scenario} from '../../app/run/scenario/scenario.ts';
import type {ShownRun} from './loads.ts';
import type {NoticeAction} from './notices.ts';
import type {Session} from './session.ts';

/**
 * Describes the state that a feature of the window keeps for each session, and is the key by which the feature gets
 * this state ({@link Session.stateOf}). The session itself refers to no feature.
 */
export interface FeatureState<T> {
  /** Makes the state for a session. This function may call {@link Session.extend}. */
  readonly create: (session: Session) => T;
}

/** The functions of a feature that the session calls. Every one is optional. */
export interface Extension {
  /**
   * Called at the session's start with the host's answer, after the session has begun to load what it shows first. The
   * start waits for the promise.
   */
  readonly started?: (answer: Start) => void | Promise<void>;
  /** Reads a document or a file of the feature's own format; null if it is in another format. */
  readonly read?: (opened: OpenedDocument | Uint8Array) => ReadDocument | null;
  /** Returns a scenario's run if the feature has computed it already; otherwise undefined. */
  readonly prepared?: (scenario: Scenario) => Promise<ShownRun | undefined> | undefined;
  /** Called when the page is opened again and may have changed: runs that the feature has computed may be outdated. */
  readonly reloads?: () => void;
  /**
   * Called when a scenario that was opened is on screen. It is not called if the opening has its own
   * {@link Opening.onShown}.
   */
  readonly opened?: (run: ShownRun) => void;
  /** Returns the button that a notice offers if the scenario cannot be opened; undefined for none. */
  readonly remedy?: (scenario: Scenario) => NoticeAction | undefined;
}

/** The result of {@link Extension.read}: `open` shows the document, which loads from `servers`. */
export type ReadDocument =
  | {readonly ok: true; readonly servers: readonly string[]; readonly open: () => void}
  /** `kind` is the format with its article, as in `a story`. */
  | {readonly ok: false; readonly kind: string; readonly problems: readonly {readonly message: string}[]};
