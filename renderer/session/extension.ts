import type {OpenedDocument, Start} from '../../app/host/contract.ts';
import type {Scenario} from '../../app/run/scenario/scenario.ts';
import type {ShownRun} from './loads.ts';
import type {NoticeAction} from './notices.ts';
import type {Opening} from './runOnScreen.ts';
import type {Session} from './session.ts';

/**
 * Describes the state that a feature keeps for each session. The feature passes this object to {@link Session.stateOf}
 * to get the state. The session itself refers to no feature.
 */
export interface FeatureState<T> {
  /** Makes the state for a session. It may call {@link Session.extend}. */
  readonly create: (session: Session) => T;
}

/** The functions of a feature that the session calls. Every one is optional. */
export interface Extension {
  /**
   * Called if the window was started without a document and its page was not reloaded. Returns what the window shows
   * first, or undefined for the scenario that the last window showed.
   */
  readonly first?: () => Opening | undefined;
  /**
   * Called with the host's answer when the session starts, after the session has begun to load its first document. The
   * start waits for the promise.
   */
  readonly started?: (answer: Start) => void | Promise<void>;
  /** Reads a document or a file in the feature's own format. Returns null if the document has another format. */
  readonly read?: (opened: OpenedDocument | Uint8Array) => ReadDocument | null;
  /** If the feature has computed a scenario's run or is computing it, returns this run. Otherwise returns undefined. */
  readonly prepared?: (scenario: Scenario) => Promise<ShownRun | undefined> | undefined;
  /**
   * Called when the user loads the scenario's page again. The page may have changed, so runs that the feature has
   * computed may be outdated.
   */
  readonly reloads?: () => void;
  /** Called when a scenario was opened and is on screen, unless the opening has its own {@link Opening.onShown}. */
  readonly opened?: (run: ShownRun) => void;
  /** Returns the button that a notice offers if the scenario cannot be opened. Returns undefined for no button. */
  readonly remedy?: (scenario: Scenario) => NoticeAction | undefined;
}

/** The result of {@link Extension.read}. `open` shows the document; `servers` are those that it loads from. */
export type ReadDocument =
  | {readonly ok: true; readonly servers: readonly string[]; readonly open: () => void}
  /** `kind` is the format with its article, as in `a story`. */
  | {readonly ok: false; readonly kind: string; readonly problems: readonly {readonly message: string}[]};
