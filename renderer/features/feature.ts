import {type ComponentType, createContext, useContext} from 'react';
import type {Scenario} from '../../app/run/scenario/scenario.ts';
import type {Theme} from '../kit/objectColours.ts';
import type {FeatureState} from '../session/extension.ts';
import type {ShownRun} from '../session/loads.ts';
import type {Session} from '../session/session.ts';

/**
 * One feature of the window: all that the window and the other features know of it. `list.ts` has all of them; the
 * window is made of that list. Where parts of several features stand in one place, they stand in the list's order.
 */
export interface Feature {
  readonly name: string;
  /** What it keeps for a session. It is made before the session starts. */
  readonly state?: FeatureState<unknown>;
  readonly toolbar?: readonly ToolbarEntry[];
  readonly keys?: readonly Shortcut[];
  /** A paragraph of the help on what is on screen. */
  readonly help?: string;
  readonly dialogs?: readonly Dialog[];
  /** It takes the timeline's place while {@link ViewSettings.panel} is the feature's name. */
  readonly panel?: Part<RunProps>;
  /** What stands between the notices and the run. */
  readonly bar?: Part;
  readonly notice?: ComponentType;
  readonly side?: readonly SidePart[];
  /** What it adds to the settings of the run: page and seed. */
  readonly runSetting?: ComponentType;
  /** Another path than the emulated one, which the path's settings offer. */
  readonly path?: OtherPath;
  /** A page turner's button was pressed. True if the feature has done what it asks for. */
  readonly turn?: (session: Session, step: 1 | -1) => boolean;
  /** A text was pasted anywhere but into a field. */
  readonly paste?: (session: Session, text: string) => void;
  /** Something was dropped on the window. */
  readonly drop?: (session: Session, dropped: DataTransfer) => void;
  /** Escape was pressed and nothing is in front. True if the feature has ended what it does. */
  readonly escape?: (session: Session) => boolean;
  /**
   * The window's page is loaded, perhaps again (F5), and the session starts next. What is returned is called when the
   * session has started.
   */
  readonly restore?: (session: Session, storage: Storage) => (() => void) | undefined;
}

/** A part of the window. It is kept from the errors of the others. */
export interface Part<Props = unknown> {
  /** As the subject of a sentence, for the message after an error: `the seeds`. */
  readonly region: string;
  readonly View: ComponentType<Props>;
}

/** A dialog is mounted all the time; it is open while {@link ViewSettings.dialog} is its name. */
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

/** The toolbar's groups from left to right. What is in `wide` takes the width that is left. */
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
  /** Whether the key plays the run or changes what is shown of it: in presenter mode the controls stay away then. */
  readonly isForWatching?: boolean;
  readonly act: (session: Session) => void;
}

export interface OtherPath {
  /** The text of the button that asks for this path. */
  readonly label: string;
  readonly title: string;
  /** Whether the scenario's path is of this kind. */
  readonly isOf: (scenario: Scenario) => boolean;
  /** Goes back to an emulated path. */
  readonly leave: (session: Session) => void;
  /** `isAsking`: somebody asked for this path, and the scenario has another one yet. */
  readonly Fields: ComponentType<{readonly isAsking: boolean}>;
}

export const FeaturesContext = createContext<readonly Feature[]>([]);

/** The features of this window. */
export function useFeatures(): readonly Feature[] {
  return useContext(FeaturesContext);
}

/** Makes what the features keep for a session, so that they hear all of what happens in it. */
export function openFeatures(session: Session, features: readonly Feature[]): void {
  for (const {state} of features) if (state !== undefined) session.stateOf(state);
}
