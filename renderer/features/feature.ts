import {type ComponentType, createContext, useContext} from 'react';
import type {Scenario} from '../../app/run/scenario/scenario.ts';
import type {Theme} from '../kit/objectColours.ts';
import type {FeatureState} from '../session/extension.ts';
import type {ShownRun} from '../session/loads.ts';
import type {Session} from '../session/session.ts';

/**
 * One feature of the window: everything that the window uses of the feature. The window is built from all features in
 * `list.ts`. If several features have parts for the same place, these parts are shown in the order of that list.
 */
export interface Feature {
  readonly name: string;
  /** The state that the feature keeps for a session. The state is made before the session starts. */
  readonly state?: FeatureState<unknown>;
  readonly toolbar?: readonly ToolbarEntry[];
  readonly keys?: readonly Shortcut[];
  /** A paragraph for the part of the help that explains what is on screen. */
  readonly help?: string;
  readonly dialogs?: readonly Dialog[];
  /** The panel that is shown instead of the timeline while {@link ViewSettings.panel} is the feature's name. */
  readonly panel?: Part<RunProps>;
  /** A bar that is shown between the notices and the run. */
  readonly bar?: Part;
  readonly notice?: ComponentType;
  readonly side?: readonly SidePart[];
  /** A part that is added to the settings of the run, beside page and seed. */
  readonly runSetting?: ComponentType;
  /** Another kind of path, which the path's settings offer besides the emulated one. */
  readonly path?: OtherPath;
  /** Called when a button of a page turner is pressed. Returns true if the feature has handled the press. */
  readonly turn?: (session: Session, step: 1 | -1) => boolean;
  /** Called when a text is pasted, but not into a field. */
  readonly paste?: (session: Session, text: string) => void;
  /** Called when something is dropped on the window. */
  readonly drop?: (session: Session, dropped: DataTransfer) => void;
  /** Called when Escape is pressed and nothing else is there to close. Returns true if the feature ended something. */
  readonly escape?: (session: Session) => boolean;
  /**
   * Called when the window's page is loaded or reloaded (F5), before the session starts. A function that this returns
   * is called when the session has started.
   */
  readonly restore?: (session: Session, storage: Storage) => (() => void) | undefined;
}

/** A part of the window. An error in another part does not affect this one. */
export interface Part<Props = unknown> {
  /** The part's name as the subject of a sentence, for the message after an error: `the seeds`. */
  readonly region: string;
  readonly View: ComponentType<Props>;
}

/** A dialog of a feature. It is always mounted, and open while {@link ViewSettings.dialog} is the dialog's name. */
export interface Dialog extends Part<{readonly theme: Theme}> {
  readonly name: string;
}

export interface RunProps {
  readonly run: ShownRun;
  readonly theme: Theme;
}

/**
 * `settings` is above the metrics, and `trace files` in its place while trace files are shown; `files` is below them.
 */
export interface SidePart extends Part {
  readonly place: 'settings' | 'trace files' | 'files';
}

/** The toolbar's groups from left to right. The group `wide` fills the width that is left. */
export const TOOLBAR_GROUPS = ['edit', 'files', 'tools', 'wide', 'window'] as const;

export interface ToolbarEntry {
  readonly group: (typeof TOOLBAR_GROUPS)[number];
  readonly Entry: ComponentType;
}

/** The keys' groups, in the order in which the help lists them. */
export const KEY_GROUPS = ['play', 'seeds', 'timeline', 'show', 'tell', 'edit', 'open', 'window'] as const;

/** One key and what it does, as the help says it. */
export interface Shortcut {
  /** `KeyboardEvent.key`, with `Ctrl ` before it where that is held (⌘ on a Mac), `Shift ` before arrows. */
  readonly key: string;
  readonly group: (typeof KEY_GROUPS)[number];
  readonly text: string;
  /** Whether the key plays the run or changes what is shown of it. In presenter mode such a key shows no controls. */
  readonly isForWatching?: boolean;
  readonly act: (session: Session) => void;
}

export interface OtherPath {
  /** The text of the button that asks for this path. */
  readonly label: string;
  readonly title: string;
  /** Whether the scenario's path is of this kind. */
  readonly isOf: (scenario: Scenario) => boolean;
  /** Sets an emulated path again. */
  readonly leave: (session: Session) => void;
  /** The fields of this path. `isAsking`: the user asked for this path, and the scenario still has another one. */
  readonly Fields: ComponentType<{readonly isAsking: boolean}>;
}

export const FeaturesContext = createContext<readonly Feature[]>([]);

/** The features of this window. */
export function useFeatures(): readonly Feature[] {
  return useContext(FeaturesContext);
}

/** Makes the states of the features for a session, so that their extensions are called from the session's start on. */
export function openFeatures(session: Session, features: readonly Feature[]): void {
  for (const {state} of features) if (state !== undefined) session.stateOf(state);
}
