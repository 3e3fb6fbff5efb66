import type {Json} from '../base/json.ts';
import type {Refusal} from '../base/refusal.ts';
import type {Conversion} from '../page/conversion.ts';
import type {PageSnapshot} from '../page/page.ts';
import type {Part} from '../run/packets/part.ts';
import type {Eye} from '../run/quality/states.ts';
import type {BundleSource} from '../run/scenario/pageSource.ts';
import type {RunningPath} from '../run/scenario/runningPath.ts';
import type {PaneRow} from '../study/experiment/row.ts';

export type {Refusal};

/**
 * Everything that the renderer may ask of its host. Electron IPC carries it in the product, a WebSocket on
 * loopback in the web shell; both derive from {@link CALLS}. Arguments and answers are plain data; bytes are
 * Uint8Array.
 */
export interface HostCalls {
  /** Asked once, first. */
  start(): Start;
  /** Names of the pages that come with the program. */
  pageNames(): readonly string[];
  /**
   * Reads a page as it is now, and holds it: `page` as a scenario's `page` document. `run` is any name for what it is
   * opened for, and `conversions` what its panes' gateways make of it.
   */
  openPage(page: Json, run: string, conversions: readonly Conversion[]): PageAnswer;
  /** A page that was opened and is still held, by its hash. */
  heldPage(hash: string): PageAnswer;
  /**
   * Computes a run of the page that was opened, by its hash. A scenario document that is not valid is an answer, not
   * an error. `run` is any name for the run that it is part of: all panes of a run have the same.
   */
  load(scenario: Json, hash: string, run: string): LoadAnswer;
  /**
   * Loads the page that was opened, by its hash, from the scenario's live servers, in all panes: begins with it, or
   * goes on with what `run` names. It answers soon with what there is by then, until `isOver`. The load is cancelled if
   * nobody asks for it for 10 s.
   */
  loadLive(scenario: Json, hash: string, run: string): LiveAnswer;
  /**
   * The emulated path that answers at the address in a scenario's `live`, after it has applied `change`, which has keys of
   * a scenario's path; null changes nothing. Null if no path answers there, but a server or nobody.
   */
  askPath(live: string, change: Json | null): PathAnswer | null;
  /**
   * Computes the run of each of these seeds, at most {@link MOST_SEEDS_AT_ONCE}, of the page that was opened, whatever
   * seed the scenario has. What is asked for by {@link load} goes before. `eye` is null where the page's quality is
   * not known.
   */
  loadSeeds(scenario: Json, hash: string, seeds: readonly number[], run: string, eye: Eye | null): SeedsAnswer;
  /**
   * What a packet of the run that {@link load} gives says, by its pane and its row of the trace's packets, both from 0.
   */
  packetParts(scenario: Json, hash: string, pane: number, row: number, run: string): PacketAnswer;
  /** The packets of a pane of the run that {@link load} gives, in the order of its trace's rows; the pane is from 0. */
  capture(scenario: Json, hash: string, pane: number, run: string): CaptureAnswer;
  /**
   * The next piece of a file that is to be opened, in base64, at most {@link LARGEST_PIECE_BYTES} of bytes. `opening`
   * is any name for what is opened; `path` where the file lies in that.
   */
  sendPiece(opening: string, path: string, base64: string): void;
  /** Makes a page of the files that were sent, and keeps it. */
  openSent(opening: string): OpenedPageAnswer;
  /** Fetches a page of the web, and keeps it; `opening` tells how far it is. */
  openAddress(opening: string, address: string, isPrivateAllowed: boolean): OpenedPageAnswer;
  /** Cancels an opening and removes everything that belongs to it. */
  cancelOpening(opening: string): void;
  /** Pages that were opened and are kept, the one that was used last first. */
  keptPages(): readonly KeptPage[];
  /** What is known of a page that is kept, by its hash; null if it is not. */
  aboutPage(bundle: string): AboutPage | null;
  /** A page that is kept as a zip archive, which opens again as the same page. */
  savePage(bundle: string): SavedPageAnswer;
  /** Ends all calls that were made for a run which nobody waits for any more. */
  cancelLoad(run: string): void;
  /**
   * Holds the trace file that was sent (the last three), for pictures of what happened: in a scenario's place a request
   * then has `heldRunDocument`.
   */
  holdRun(opening: string): HeldRunAnswer;
  /** The trace file that is held by that name. */
  heldRun(run: string): LoadAnswer;
  /** Begins to record a movie into the user's folder for movies; `recording` tells how it goes. One at a time. */
  record(request: RecordRequest): RecordAnswer;
  takePicture(request: PictureRequest): PictureAnswer;
  /** Ends what is recorded and every picture that is being taken, with nothing left behind. */
  cancelRecording(): void;
  /** Drafts of stories from all windows, the newest first. They survive a crash and a restart. */
  keptDrafts(): readonly KeptDraft[];
  /**
   * Keeps a draft's next revision; `base` is the revision that it was made of, 0 for a new one. Draft and writer are named
   * by up to 64 letters, digits and `-`. Rejects where nothing can be kept.
   */
  keepDraft(id: string, base: number, writer: string, story: Json): KeepDraftAnswer;
  /** Removes a draft of that revision. */
  removeDraft(id: string, revision: number): KeepDraftAnswer;
  /** The window fills the screen, or no longer. False where the page has to see to that itself. */
  setFullScreen(isFull: boolean): boolean;
  /** Shows a movie that was recorded among the other files. */
  showRecorded(path: string): void;
}

/** What the host tells the renderer by itself. */
export interface HostEvents {
  engine: EngineState;
  /** A scenario file or link was opened from outside the window. */
  opened: OpenedDocument;
  opening: OpeningProgress;
  recording: RecordingState;
}

/** The host as the renderer sees it. */
export type Host = {
  readonly [K in keyof HostCalls]: (...args: Parameters<HostCalls[K]>) => Promise<Awaited<ReturnType<HostCalls[K]>>>;
} & {
  /** Subscribes to an event; the function that is returned ends the subscription. */
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
  'setFullScreen',
  'keptDrafts',
  'keepDraft',
  'removeDraft',
  'sendPiece',
  'openSent',
  'openAddress',
  'cancelOpening',
  'keptPages',
  'aboutPage',
  'savePage',
] as const satisfies readonly (keyof HostCalls)[];

export const EVENTS = ['engine', 'opened', 'opening', 'recording'] as const satisfies readonly (keyof HostEvents)[];

export interface Start {
  readonly shell: 'electron' | 'web';
  readonly version: string;
  /** What the window was started with; null for the default demo. */
  readonly opened: OpenedDocument | null;
  readonly engine: EngineState;
  /** `busy` or `idle`. */
  readonly recording: RecordingState;
}

/** A file or link by its text, which the renderer parses: what is wrong with it is told in the window. */
export interface OpenedDocument {
  readonly name: string;
  readonly text: string;
  /** Why it could not be read, if it could not. */
  readonly problem?: string;
  /** Trace files that are shown as they happened; `text` is then their names. */
  readonly traces?: readonly {readonly name: string; readonly bytes: Uint8Array}[];
}

/**
 * `failed`: it cannot be loaded at all, and `message` says what to do. `restarted`: a thread of it had died of
 * `message`; only told when it happens.
 */
export type EngineState =
  | {readonly state: 'ready'}
  | {readonly state: 'restarted' | 'failed'; readonly message: string};

/** How far a page is that is fetched: `done` of `all` objects that are known of. */
export interface OpeningProgress {
  readonly opening: string;
  readonly done: number;
  readonly all: number;
}

/** `page` is what a scenario names it by. */
export type OpenedPageAnswer =
  | {readonly ok: true; readonly page: BundleSource}
  /** `isPrivate`: its address is not public, and such were not allowed. */
  | (Refusal & {readonly isPrivate?: true});

/** Of all files that are sent to be opened. */
export const MOST_SENT_BYTES = 100_000_000;

/** Of a file that is sent: a message of the web shell has room for it. */
export const LARGEST_PIECE_BYTES = 6_000_000;

export interface KeptPage {
  readonly page: BundleSource;
  /** Of its files. */
  readonly bytes: number;
}

export interface AboutPage {
  readonly page: BundleSource;
  /** When it was fetched or opened first, ISO 8601, UTC. */
  readonly date: string;
  /** What is known of it and not loaded: `3 scripts`. */
  readonly notLoaded: readonly string[];
  readonly leftOut: readonly {readonly address: string; readonly why: string}[];
}

/** A story that is being written. */
export interface KeptDraft {
  readonly id: string;
  /** From 1 on. */
  readonly revision: number;
  /** Of this revision: a window's page. */
  readonly writer: string;
  /** As it was given, which another version of the program may have done. */
  readonly story: Json;
  /** Why its file cannot be read, if it cannot; `story` is null then. */
  readonly problem?: string;
}

/** `isStale`: another revision is kept, or the draft was removed; nothing was changed. */
export type KeepDraftAnswer =
  | {readonly ok: true; readonly revision: number}
  | {readonly ok: false; readonly isStale: true};

export type SavedPageAnswer = {readonly ok: true; readonly zip: Uint8Array} | Refusal;

export type PageAnswer = {readonly ok: true; readonly page: PageSnapshot} | Refusal;

/** `run` is a trace file: `decodeRun` reads it. */
export type LoadAnswer = {readonly ok: true; readonly run: Uint8Array} | Refusal;

/** `run` is a trace file of what there is by now; `notes` are for people. */
export type LiveAnswer =
  | {
      readonly ok: true;
      readonly run: Uint8Array;
      readonly isOver: boolean;
      readonly notes: readonly string[];
    }
  | Refusal;

/** `run` is its name. */
export type HeldRunAnswer = {readonly ok: true; readonly run: string} | Refusal;
export type PathAnswer = {readonly ok: true; readonly running: RunningPath} | Refusal;

/** `parts` begin with the IP header. */
export type PacketAnswer = {readonly ok: true; readonly parts: readonly Part[]} | Refusal;

/** `capture` is a capture file (pcapng). */
export type CaptureAnswer = {readonly ok: true; readonly capture: Uint8Array} | Refusal;

/** In the order of the seeds. */
export type SeedsAnswer = {readonly ok: true; readonly rows: readonly SeedRow[]} | Refusal;

/** One seed's run with all metrics of an experiment; visual metrics are only there if an {@link Eye} was given. */
export interface SeedRow {
  readonly seed: number;
  readonly panes: readonly PaneRow[];
  /** Of each pane when its first picture was complete, ms from the first packet; null if none was. */
  readonly firstPicturesMs: readonly (number | null)[];
  /** Of each pane when the whole page was there, set-up included: ms from the first packet; null if it never was. */
  readonly wholePagesMs: readonly (number | null)[];
}

/** With a slow page these take a few seconds. For more seeds the call is repeated. */
export const MOST_SEEDS_AT_ONCE = 100;

export interface RecordRequest {
  readonly scenario: Json;
  /** Told instead of the scenario: as `parseStory` takes it; null for the scenario. */
  readonly story: Json;
  /** As `parseMovie` takes it. */
  readonly movie: Json;
  /** Of the file, without folder and ending; a file that is there stays, and the new one gets a number. */
  readonly name: string;
}

export type RecordAnswer = {readonly ok: true} | Refusal;

/** What is recorded, or what became of it. */
export type RecordingState =
  | {readonly kind: 'idle'}
  /** `frames` is 0 until the run is laid out; `leftMs` is an estimate, null until there is one. */
  | {
      readonly kind: 'busy';
      readonly done: number;
      readonly frames: number;
      readonly leftMs: number | null;
    }
  | {readonly kind: 'done'; readonly path: string}
  | {readonly kind: 'failed'; readonly message: string};

export interface PictureRequest {
  readonly scenario: Json;
  /** As `parseLook` takes it. */
  readonly look: Json;
  /** One: the presentation at it. Several: the panes at each of them. ns since the run's start. */
  readonly timesNs: readonly number[];
  /** px of the picture per CSS px, 0.25 to 8. */
  readonly scale: number;
}

/** `png` is a file's bytes. */
export type PictureAnswer = {readonly ok: true; readonly png: Uint8Array} | Refusal;
