import type {EngineState} from '../../app/host/contract.ts';
import type {Scenario} from '../../app/run/scenario/scenario.ts';
import type {Story} from '../../app/telling/story/story.ts';
import {type HighlightState, NOTHING_HIGHLIGHTED} from './highlights.ts';
import type {ShownRun} from './loads.ts';
import type {Notice} from './notices.ts';
import type {QualityState} from './qualities.ts';
import type {SettingsState} from './scenarioHistory.ts';
import {FIRST_VIEW, type ViewSettings} from './viewSettings.ts';

/** The state of a session, without the shown time t. The player has t, because t changes far more often. */
export interface SessionState extends QualityState, HighlightState, SettingsState {
  /** The run on screen. While `isComputing`, it may belong to an earlier scenario. */
  readonly run: ShownRun | null;
  /** The run from before the last change of settings, for comparison; null if the runs cannot be compared. */
  readonly before: ShownRun | null;
  readonly isComputing: boolean;
  readonly engine: EngineState;
  /** The program's version; empty until the host has answered. */
  readonly version: string;
  /** The address of the web edition, with which its links to scenarios begin. Null outside of the web edition. */
  readonly linkAddress: string | null;
  readonly pageNames: readonly string[];
  /** The story that is shown; null for none. */
  readonly story: Story | null;
  /** The notice that is shown until it is dismissed. */
  readonly notice: Notice | null;
  readonly view: ViewSettings;
}

/** The state before anything is shown. */
export function firstState(scenario: Scenario): SessionState {
  return {
    scenario,
    past: [],
    future: [],
    setFromMs: null,
    run: null,
    quality: null,
    qualityProgress: null,
    before: null,
    isComputing: false,
    engine: {state: 'ready'},
    version: '',
    linkAddress: null,
    pageNames: [],
    story: null,
    notice: null,
    refused: null,
    view: FIRST_VIEW,
    ...NOTHING_HIGHLIGHTED,
  };
}

/** Access for one part of the session: the state that it reads, and the state that it sets. */
export interface Slice<Read, Set = Read> {
  readonly get: () => Read;
  readonly set: (change: Partial<Set>) => void;
}
