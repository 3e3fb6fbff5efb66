import {type ComponentType, createContext, useContext} from 'react';
import type {Scenario} from '../../app/run/scenario/scenario.ts';
import type {Theme} from '../kit/objectColours.ts';
import type {FeatureState} from '../session/extension.ts';
import type {ShownRun} from '../session/loads.ts';
import type {Session} from '../session/session.ts';

/**
 * One feature of the window: everything that the window uses of this feature. The window is built from all features in
 * `list.ts`. If several features have parts for the same place of the window, the parts have the order of that list.
 */
export interface Feature {
  readonly name: string;
  /** The state that the feature keeps for a session. The state is made before the session starts. */
  readonly state?: FeatureState<unknown>;
  readonly toolbar?: readonly ToolbarEntry[];
  readonly keys?: readonly Shortcut[];
  /**
   * Returns the feature's commands for the palette, except those of `keys`, which the palette lists by itself. Called
   * when the palette opens.
   */
  readonly commands?: (session: Session) => readonly Command[];
  /** What the feature offers on the start screen. */
  readonly door?: Door;
  /** A paragraph for the help dialog that explains what this feature shows. */
  readonly help?: string;
  readonly dialogs?: readonly Dialog[];
  /** The panel that is shown instead of the timeline while {@link ViewSettings.panel} is the feature's name. */
  readonly panel?: Panel;
  /** A bar that is shown between the notices and the run. */
  readonly bar?: Part;
  readonly notice?: ComponentType;
  readonly side?: readonly SidePart[];
  /** A part of the settings of a run. It is shown after the page and the seed, unless the run is live. */
  readonly runSetting?: ComponentType;
  /** Another kind of path. The path's settings offer it besides the emulated path. */
  readonly path?: OtherPath;
  /**
   * Called when a button of a page turner, the remote control of a presenter, is pressed. `step` is 1 for forwards and
   * -1 for back. Returns true if the feature handled the press.
   */
  readonly turn?: (session: Session, step: 1 | -1) => boolean;
  /** Called when the space key is pressed. Returns true if the feature handled it, so that the run is not played. */
  readonly playOrPause?: (session: Session) => boolean;
  /** Called when text is pasted, except into a field. */
  readonly paste?: (session: Session, text: string) => void;
  /** Called when the user drops something on the window. */
  readonly drop?: (session: Session, dropped: DataTransfer) => void;
  /** Called when Escape is pressed and nothing else can be closed. Returns true if the feature ended something. */
  readonly escape?: (session: Session) => boolean;
  /**
   * Called when the window's page is loaded or reloaded (F5), before the session starts. If it returns a function, that
   * function is called when the session has started.
   */
  readonly restore?: (session: Session, storage: Storage) => (() => void) | undefined;
}

/** A part of the window. Errors in other parts do not affect it. */
export interface Part<Props = unknown> {
  /** The part's name inside a sentence about an error: `the seeds` in `could not show the seeds`. */
  readonly region: string;
  readonly View: ComponentType<Props>;
}

/** A panel of a feature, which has the place of the timeline. */
export interface Panel extends Part<RunProps> {
  /** The least height of the panel for this number of panes, em. By default it is that of the timeline. */
  readonly leastEm?: (panes: number) => number;
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
 * A part beside the run. `settings` is above the metrics and `files` is below them. `trace files` replaces `settings`
 * while trace files are shown.
 */
export interface SidePart extends Part {
  readonly place: 'settings' | 'trace files' | 'files';
}

/**
 * The toolbar's groups from left to right. The group `wide` fills the width that is left. The buttons of the group
 * `more` are in a menu.
 */
export const TOOLBAR_GROUPS = ['tools', 'more', 'edit', 'wide', 'window'] as const;

export interface ToolbarEntry {
  readonly group: (typeof TOOLBAR_GROUPS)[number];
  readonly Entry: ComponentType;
}

/** The keys' groups, in the order in which the help lists them. */
export const KEY_GROUPS = ['play', 'seeds', 'timeline', 'show', 'present', 'edit', 'open', 'window'] as const;

/** One key, and what it does in the words of the help dialog. */
export interface Shortcut {
  /**
   * `KeyboardEvent.key`, preceded by `Ctrl ` if Ctrl is held (⌘ on a Mac), or by `Shift ` for Delete or an arrow key
   * with Shift.
   */
  readonly key: string;
  readonly group: (typeof KEY_GROUPS)[number];
  readonly text: string;
  /**
   * Whether the key only plays the run, chooses what is shown, or changes how it is shown. In presenter mode such keys
   * do not show the controls.
   */
  readonly isForWatching?: boolean;
  readonly act: (session: Session) => void;
}

/** The groups of the palette's commands, in the order in which the palette lists them while nothing is typed. */
export const COMMAND_GROUPS = ['command', 'view', 'story', 'preset', 'page', 'setting', 'speed', 'theme'] as const;

/** Something that the user can find in the palette and choose. */
export interface Command {
  /** Identifies the command, also in another window. */
  readonly id: string;
  readonly group: (typeof COMMAND_GROUPS)[number];
  readonly title: string;
  /** Other words by which the command is found. */
  readonly words?: string;
  /** The key of the command, as in {@link Shortcut.key}. */
  readonly key?: string;
  readonly act: (session: Session) => void;
  /** Present if a value can be typed after the name, as in `loss 5`. */
  readonly value?: CommandValue;
}

export interface CommandValue {
  /** Describes what a typed text would set, as in `5 %`. Null if the text is no value of this kind. */
  readonly read: (typed: string) => string | null;
  /** Sets the value. Returns why it was refused, or null if it was accepted. */
  readonly set: (session: Session, typed: string) => string | null;
}

/** One of the three offers of the start screen. */
export interface Door {
  readonly place: 'watch' | 'compare' | 'page';
  readonly title: string;
  readonly View: ComponentType<DoorProps>;
}

export interface DoorProps {
  /** Closes the start screen. */
  readonly leave: () => void;
}

export interface OtherPath {
  /** The text of the button that chooses this kind of path. */
  readonly label: string;
  readonly title: string;
  /** Whether the scenario's path is of this kind. */
  readonly isOf: (scenario: Scenario) => boolean;
  /** Goes back to an emulated path. */
  readonly leave: (session: Session) => void;
  /** The fields of this path. With `isAsking`, the user has chosen this kind of path but not set the path yet. */
  readonly Fields: ComponentType<{readonly isAsking: boolean}>;
}

export const FeaturesContext = createContext<readonly Feature[]>([]);

/** The features of this window. */
export function useFeatures(): readonly Feature[] {
  return useContext(FeaturesContext);
}

/** Contains the function that returns all commands of the window and its features. */
export const CommandsContext = createContext<(session: Session) => readonly Command[]>(() => []);

/**
 * Creates the states of the features now, so that the extensions that they add ({@link Session.extend}) are called from
 * the start of the session.
 */
export function openFeatures(session: Session, features: readonly Feature[]): void {
  for (const {state} of features) if (state !== undefined) session.stateOf(state);
}
