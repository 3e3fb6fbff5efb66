import type {Json} from '../base/json.ts';
import type {Refusal} from '../base/refusal.ts';
import type {Conversion} from '../page/conversion.ts';
import type {PageSnapshot} from '../page/page.ts';
import type {Assumption} from '../run/load/assumption.ts';
import type {Part} from '../run/packets/part.ts';
import type {Eye} from '../run/quality/states.ts';
import type {BundleSource} from '../run/scenario/pageSource.ts';
import type {RunningPath} from '../run/scenario/runningPath.ts';
import type {TraceFile} from '../run/trace/joinRuns.ts';
import type {PaneRow} from '../study/experiment/row.ts';

export type {Refusal};

/**
 * All calls that the renderer can make to its host. In the Electron app, the renderer sends them by IPC. In the web
 * shell, it sends them over a WebSocket on loopback. In the web edition, the host is a script in the same document as
 * the renderer. Each host offers exactly the calls in {@link CALLS}. Arguments and answers are plain data, with bytes
 * as Uint8Array.
 */
export interface HostCalls {
  /** Returns the data that the renderer needs to start. The renderer makes this call first, and only once. */
  start(): Start;
  /** Returns the names of the pages that are part of the program. */
  pageNames(): readonly string[];
  /**
   * Reads a page in its present state and holds it in memory for later calls. `page` has the form of a scenario's
   * `page`. `run` is an arbitrary name for the run for which the page is opened. `conversions` are the conversions that
   * the run's panes need.
   */
  openPage(page: Json, run: string, conversions: readonly Conversion[]): PageAnswer;
  /** Returns the page with this hash if it was opened and is still in memory. */
  heldPage(hash: string): PageAnswer;
  /**
   * Computes a run of the opened page with this hash. If the scenario document is not valid, the call does not throw,
   * and the answer contains the problems. `run` is an arbitrary name for the run. If several calls compute the panes of
   * one run, all of them use the same name. `assumption` removes one cause of the loads' time, for example by
   * handshakes that take no time.
   */
  load(scenario: Json, hash: string, run: string, assumption?: Assumption): LoadAnswer;
  /**
   * Loads the opened page with this hash from the scenario's live servers, in all panes. The first call with a name
   * `run` begins the load, and further calls with this name ask for its progress. Each call answers soon with the trace
   * so far. `isOver` is true if the load has ended. The load is cancelled if there is no call for 10 s.
   */
  loadLive(scenario: Json, hash: string, run: string): LiveAnswer;
  /**
   * Sends `change` to the emulated path at the address in a scenario's `live`, and returns the state of the path after
   * the change. `change` has the form of a scenario's `path`. If it is null, nothing is changed. If there is no
   * emulated path at this address, the answer is null, or a refusal if something was to be changed.
   */
  askPath(live: string, change: Json | null): PathAnswer | null;
  /**
   * Computes a run of the opened page for each of these seeds, at most {@link MOST_SEEDS_AT_ONCE}. The seed in the
   * scenario is ignored. Calls of {@link load} have priority. `eye` is the measured quality of the page's pictures, or
   * null if it is not known. If `hasCauses` is true, the causes of the page's time are computed, too, which takes
   * longer.
   */
  loadSeeds(
    scenario: Json,
    hash: string,
    seeds: readonly number[],
    run: string,
    eye: Eye | null,
    hasCauses: boolean,
  ): SeedsAnswer;
  /**
   * Decodes one packet of the run that {@link load} returns for the same arguments. `pane` is the index of the pane.
   * `row` is the row of the packet in the trace of this pane.
   */
  packetParts(scenario: Json, hash: string, pane: number, row: number, run: string): PacketAnswer;
  /**
   * Returns the packets of one pane of the run that {@link load} returns for the same arguments, in the order of the
   * rows in the trace. `pane` is the index of the pane.
   */
  capture(scenario: Json, hash: string, pane: number, run: string): CaptureAnswer;
  /**
   * Sends the next piece of a file that is to be opened, in base64. Before this encoding, a piece has at most {@link
   * LARGEST_PIECE_BYTES} bytes. `opening` is an arbitrary name for the group of files that are opened together. `path`
   * is the file's path in this group.
   */
  sendPiece(opening: string, path: string, base64: string): void;
  /** Makes a page of the files that were sent under the name `opening`, and stores it on disk. */
  openSent(opening: string): OpenedPageAnswer;
  /**
   * Reads the captures and key logs that were sent under the name `opening`, and stores the page of each load on disk.
   * The answer has a trace file for each load.
   */
  openCaptures(opening: string): CapturesAnswer;
  /**
   * Fetches a page from the web and stores it on disk. The event `opening` reports the progress. If `usesBrowser`, an
   * installed Chromium loads the page once, with its scripts running, and the stored page contains a recording of this
   * load.
   */
  openAddress(opening: string, address: string, isPrivateAllowed: boolean, usesBrowser: boolean): OpenedPageAnswer;
  /** Cancels the opening of a page, and removes everything that was sent or fetched for it. */
  cancelOpening(opening: string): void;
  /** Returns the stored pages, the most recently used one first. */
  keptPages(): readonly KeptPage[];
  /** Returns information about the stored page with this hash, or null if it is not stored. */
  aboutPage(bundle: string): AboutPage | null;
  /** Returns a stored page as a zip archive. Opening this archive gives the same page again. */
  savePage(bundle: string): SavedPageAnswer;
  /** Cancels all unfinished calls for a run whose result is no longer needed. */
  cancelLoad(run: string): void;
  /**
   * Holds in memory the trace file that was sent under the name `opening`, so that pictures and movies of its run can
   * be made. The three most recently used files are held. A request for such a picture or movie contains the result of
   * `heldRunDocument` (movieStage.ts) instead of a scenario.
   */
  holdRun(opening: string): HeldRunAnswer;
  /** Returns the trace file that {@link HostCalls.holdRun} holds under the name `run`. */
  heldRun(run: string): LoadAnswer;
  /**
   * Begins to record a movie. The file is written to the user's folder for movies; in the web edition it is a download.
   * The event `recording` reports the progress. Only one movie can be recorded at a time.
   */
  record(request: RecordRequest): RecordAnswer;
  /** Takes a picture of a run. */
  takePicture(request: PictureRequest): PictureAnswer;
  /** Cancels the recording of a movie and all pictures that are being taken. No unfinished files remain. */
  cancelRecording(): void;
  /** Returns the stored drafts of stories from all windows, the newest first. They survive a crash and a restart. */
  keptDrafts(): readonly KeptDraft[];
  /**
   * Stores the next revision of a draft. `base` is the revision from which it was made, or 0 for a new draft. `id` and
   * `writer` consist of at most 64 letters, digits and `-`. The call is rejected if the host cannot store drafts.
   */
  keepDraft(id: string, base: number, writer: string, story: Json): KeepDraftAnswer;
  /** Removes a draft, if this is its latest revision. */
  removeDraft(id: string, revision: number): KeepDraftAnswer;
  /**
   * Stores what a window remembers for the next start of the program, such as its last scenario. It replaces what was
   * stored before. The call is rejected if the host cannot store it.
   */
  remember(remembered: Json): void;
  /**
   * Makes the window fill the screen, or restores its size. Returns false if the host cannot do this, as in the web
   * shell. The renderer must then do it itself.
   */
  setFullScreen(isFull: boolean): boolean;
  /** Shows a movie in the system's file manager, if the host has recorded it since the program was started. */
  showRecorded(path: string): void;
}

/** The events that the host sends to the renderer without being asked. */
export interface HostEvents {
  engine: EngineState;
  /** Sent when files or a link were opened outside the window. */
  opened: OpenedDocument;
  opening: OpeningProgress;
  recording: RecordingState;
}

/** The host's calls and events as the renderer uses them. All calls return promises. */
export type Host = {
  readonly [K in keyof HostCalls]: (...args: Parameters<HostCalls[K]>) => Promise<Awaited<ReturnType<HostCalls[K]>>>;
} & {
  /** Subscribes to an event. The returned function ends the subscription. */
  readonly on: <E extends keyof HostEvents>(event: E, listener: (value: HostEvents[E]) => void) => () => void;
};

export const CALLS = [
  'start',
  'pageNames',
  'openPage',
  'heldPage',
  'load',
  'loadLive',
  'askPath',
  'loadSeeds',
  'packetParts',
  'capture',
  'cancelLoad',
  'holdRun',
  'heldRun',
  'record',
  'cancelRecording',
  'showRecorded',
  'takePicture',
  'remember',
  'setFullScreen',
  'keptDrafts',
  'keepDraft',
  'removeDraft',
  'sendPiece',
  'openSent',
  'openCaptures',
  'openAddress',
  'cancelOpening',
  'keptPages',
  'aboutPage',
  'savePage',
] as const satisfies readonly (keyof HostCalls)[];

export const EVENTS = ['engine', 'opened', 'opening', 'recording'] as const satisfies readonly (keyof HostEvents)[];

export interface Start {
  readonly shell: 'electron' | 'web' | 'site';
  readonly version: string;
  /**
   * The file or link with which the window was started. If it is null, the window shows what the user saw last, or, if
   * nothing is remembered, the start screen or the default demo.
   */
  readonly opened: OpenedDocument | null;
  /** What a window stored with {@link HostCalls.remember}. It is null if nothing is stored. */
  readonly remembered: Json;
  readonly engine: EngineState;
  /** The state at the start, which is `busy` or `idle`. */
  readonly recording: RecordingState;
  /**
   * The address of the web edition from which the window was opened. Links to scenarios begin with it. It is absent in
   * the other shells.
   */
  readonly linkAddress?: string;
}

/**
 * The text of a file or link that was opened. The renderer parses the text, so that the window can show its problems.
 */
export interface OpenedDocument {
  readonly name: string;
  readonly text: string;
  /** The reason why the file could not be read. It is absent if the file was read. */
  readonly problem?: string;
  /** Trace files to show without computing their runs again. In this case `text` holds the files' names. */
  readonly traces?: readonly TraceFile[];
}

/**
 * The state of the engine that computes runs. `failed`: the engine cannot be loaded, or the web shell behind the window
 * has ended, and `message` tells the user what to do. `restarted`: one of the engine's threads crashed and was started
 * again, and `message` is the reason. The state `restarted` is only sent as an event.
 */
export type EngineState =
  | {readonly state: 'ready'}
  | {readonly state: 'restarted' | 'failed'; readonly message: string};

/** The progress of fetching a page: `all` objects are known so far, and `done` of them have been fetched. */
export interface OpeningProgress {
  readonly opening: string;
  readonly done: number;
  readonly all: number;
}

/** The answer to opening a page. `page` is the value with which a scenario names the page. */
export type OpenedPageAnswer =
  /** `isRecorded` is set if the page has a recording of a browser's load. */
  | {readonly ok: true; readonly page: BundleSource; readonly isRecorded?: true}
  /** `isPrivate` is set if the page's address is not public and `isPrivateAllowed` was false. */
  | (Refusal & {readonly isPrivate?: true});

/** The answer to opening captures: a trace file for each load, which has the name of its capture file. */
export type CapturesAnswer = {readonly ok: true; readonly traces: readonly TraceFile[]} | Refusal;

/** The largest total size of the files that are opened together. */
export const MOST_SENT_BYTES = 100_000_000;

/** The largest piece in which a file is sent, in bytes. A message of the web shell can contain a piece of this size. */
export const LARGEST_PIECE_BYTES = 6_000_000;

export interface KeptPage {
  readonly page: BundleSource;
  /** As in {@link OpenedPageAnswer}. */
  readonly isRecorded?: true;
  /** The total size of the page's files. */
  readonly bytes: number;
}

export interface AboutPage {
  readonly page: BundleSource;
  /** The time when the page was first fetched or opened (ISO 8601, UTC). */
  readonly date: string;
  /** The parts of the page that are known but not loaded, such as `3 scripts`. There is one line for each kind. */
  readonly notLoaded: readonly string[];
  readonly leftOut: readonly {readonly address: string; readonly why: string}[];
}

/** A stored draft of a story. */
export interface KeptDraft {
  readonly id: string;
  /** The number of the revision, counted from 1. */
  readonly revision: number;
  /** The name of the window that wrote this revision. */
  readonly writer: string;
  /** The story as it was stored. Another version of the program may have stored it, so it need not be valid. */
  readonly story: Json;
  /**
   * The reason why the draft's file cannot be read. It is absent if the file can be read. If it is present, `story` is
   * null.
   */
  readonly problem?: string;
}

/**
 * The answer to storing or removing a draft. `isStale` means that nothing was changed, because the given revision is
 * not the latest one or the draft was removed.
 */
export type KeepDraftAnswer =
  | {readonly ok: true; readonly revision: number}
  | {readonly ok: false; readonly isStale: true};

export type SavedPageAnswer = {readonly ok: true; readonly zip: Uint8Array} | Refusal;

export type PageAnswer = {readonly ok: true; readonly page: PageSnapshot} | Refusal;

/** The answer to loading a page. `run` is a trace file, which `decodeRun` reads. */
export type LoadAnswer = {readonly ok: true; readonly run: Uint8Array} | Refusal;

/** The answer of a live load. `run` is a trace file of the load so far. `notes` are texts for users. */
export type LiveAnswer =
  | {
      readonly ok: true;
      readonly run: Uint8Array;
      readonly isOver: boolean;
      readonly notes: readonly string[];
    }
  | Refusal;

/** The answer to holding a trace file. `run` is the name under which it is held. */
export type HeldRunAnswer = {readonly ok: true; readonly run: string} | Refusal;
export type PathAnswer = {readonly ok: true; readonly running: RunningPath} | Refusal;

/** The answer to {@link HostCalls.packetParts}. The first of the `parts` is the IP header. */
export type PacketAnswer = {readonly ok: true; readonly parts: readonly Part[]} | Refusal;

/** The answer to {@link HostCalls.capture}. `capture` is a capture file (pcapng). */
export type CaptureAnswer = {readonly ok: true; readonly capture: Uint8Array} | Refusal;

/** The answer to {@link HostCalls.loadSeeds}. The `rows` are in the order of the seeds. */
export type SeedsAnswer = {readonly ok: true; readonly rows: readonly SeedRow[]} | Refusal;

/**
 * The metrics of one seed's run. The `values` of a pane are in this order: the metrics that every load has, visual
 * metrics, and the times of causes. Causes are present only if they were asked for. Without an {@link Eye}, the visual
 * metrics are null if causes are present, and otherwise absent.
 */
export interface SeedRow {
  readonly seed: number;
  readonly panes: readonly PaneRow[];
  /**
   * For each pane: the time when its first picture was complete, in ms since navigation. It is null if no picture was
   * complete.
   */
  readonly firstPicturesMs: readonly (number | null)[];
  /**
   * For each pane: the time when the whole page was complete, in ms since navigation. The time includes the set-up
   * of connections. It is null if the page was never complete.
   */
  readonly wholePagesMs: readonly (number | null)[];
}

/**
 * The largest number of seeds in one call. For a slow page, this many seeds take a few seconds. More seeds need several
 * calls.
 */
export const MOST_SEEDS_AT_ONCE = 100;

export interface RecordRequest {
  readonly scenario: Json;
  /**
   * The story to record instead of the scenario, in the form that `parseStory` reads. If it is null, the scenario is
   * recorded.
   */
  readonly story: Json;
  /** The settings of the movie, in the form that `parseMovie` reads. */
  readonly movie: Json;
  /**
   * The name of the file, without folder and extension. If a file with this name exists, it is kept, and a number is
   * added to the new file's name.
   */
  readonly name: string;
}

export type RecordAnswer = {readonly ok: true} | Refusal;

/** The progress or the result of recording a movie. */
export type RecordingState =
  | {readonly kind: 'idle'}
  /**
   * `done` of `frames` frames are recorded. `frames` is 0 while the number is not known. `leftMs` is an estimate of the
   * remaining time, or null while there is no estimate.
   */
  | {
      readonly kind: 'busy';
      readonly done: number;
      readonly frames: number;
      readonly leftMs: number | null;
    }
  /** `path` is the name of a download if the host has no folder for movies. Only a file in a folder can be shown. */
  | {readonly kind: 'done'; readonly path: string; readonly canShow: boolean}
  | {readonly kind: 'failed'; readonly message: string};

export interface PictureRequest {
  readonly scenario: Json;
  /** The look of the picture, in the form that `parseLook` reads. */
  readonly look: Json;
  /** A still shows the presentation at one time. A filmstrip shows the panes at each of its times. */
  readonly kind: 'still' | 'filmstrip';
  /** The times to show, in ns since the run's start. A still has exactly one. */
  readonly timesNs: readonly number[];
  /** The number of the picture's pixels per CSS pixel, from 0.25 to 8. */
  readonly scale: number;
}

/** The answer to {@link HostCalls.takePicture}. `png` holds the bytes of a PNG file. */
export type PictureAnswer = {readonly ok: true; readonly png: Uint8Array} | Refusal;
