import type {Theme} from '../kit/objectColours.ts';

// The speaker view and the windows that show runs to an audience talk over one BroadcastChannel of their origin:
//
// 1. A speaker view sends `hello` when it opens, and then once a second.
// 2. Each window answers with `state`, or with `time` if the speaker view has already seen the window's current
//    state. A window that does not answer for some seconds is gone.
// 3. While a window hears `hello`, it also sends `state` when something changes, and `time` while t changes.
// 4. A key that is pressed in the speaker view is sent to one window as `key`. The window acts as if it was pressed
//    there.
// 5. A window that is closed sends `gone`.

export const SPEAKER_CHANNEL = 'interleave-speaker';

/** The part of a BroadcastChannel that both sides use. */
export interface SpeakerChannel {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage(message: ChannelMessage): void;
  close(): void;
}

/** What a speaker view sends to the windows. */
export type SpeakerMessage =
  /** `seen` has the revision of each window's state that the view saw last. `theme` is the theme for pictures. */
  | {readonly kind: 'hello'; readonly seen: {readonly [window: string]: number}; readonly theme: Theme}
  | {readonly kind: 'key'; readonly to: string; readonly key: string};

/** What a window sends to the speaker views. `from` identifies the window. */
export type AudienceMessage =
  | {readonly kind: 'state'; readonly from: string; readonly state: AudienceState}
  | {readonly kind: 'time'; readonly from: string; readonly tS: number}
  | {readonly kind: 'gone'; readonly from: string};

export type ChannelMessage = SpeakerMessage | AudienceMessage;

/** What a window shows to its audience. */
export interface AudienceState {
  /** Counts the changes of this state. */
  readonly revision: number;
  /** The wall-clock time at which the window was opened, ms since 1970. */
  readonly openedMs: number;
  /** The story on screen; null if there is none. */
  readonly story: ShownStory | null;
  /** The time of the run on screen, s. */
  readonly tS: number;
  readonly isPlaying: boolean;
  readonly isPresenting: boolean;
  /** Whether the screen is black. */
  readonly isBlank: boolean;
  /** Whether a dialog is open. If so, the window ignores all keys except Escape. */
  readonly hasDialog: boolean;
}

export interface ShownStory {
  readonly title: string;
  /** The wall-clock time at which the story was started, ms since 1970. */
  readonly startedMs: number;
  /** The index of the step on screen. */
  readonly step: number;
  readonly steps: readonly ShownStep[];
}

export interface ShownStep {
  readonly text: string;
  readonly notes: string;
  /** The part of its run that the step plays, s. Null if the end of the run is not known yet. */
  readonly spanS: readonly [fromS: number, toS: number] | null;
  /** The planned duration of the step, s. Null if the end of the run is not known yet. */
  readonly plannedS: number | null;
  /**
   * The timeline at the end of the step as SVG. Only the step on screen and the next one have it; null until their runs
   * are computed.
   */
  readonly still: string | null;
}

/**
 * The keys that a speaker view sends to the window, as shortcuts write them: those that play the run, change the
 * timeline, or change what the audience sees of the run.
 */
export const SPEAKER_KEYS: readonly string[] = [
  ' ',
  ...'PageDown PageUp ArrowRight ArrowLeft Home End Escape'.split(' '),
  'Shift ArrowRight',
  'Shift ArrowLeft',
  ...'. , [ ] z 1 2 3 4 5 6 7 8 y + - 0 o h t u g x m k p b'.split(' '),
];

/**
 * Returns data from the channel if it is a message. Returns undefined for other data, which another version of the
 * program may send.
 */
export function messageIn(data: unknown): ChannelMessage | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const {kind, from, to, key, seen, state, tS} = data as {readonly [name: string]: unknown};
  const isKnown =
    (kind === 'hello' && typeof seen === 'object' && seen !== null) ||
    (kind === 'key' && typeof to === 'string' && typeof key === 'string') ||
    (kind === 'state' && typeof from === 'string' && typeof state === 'object' && state !== null) ||
    (kind === 'time' && typeof from === 'string' && typeof tS === 'number') ||
    (kind === 'gone' && typeof from === 'string');
  return isKnown ? (data as ChannelMessage) : undefined;
}
