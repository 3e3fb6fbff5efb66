import type {Json} from '../../base/json.ts';
import type {Refusal} from '../../host/contract.ts';
import type {PageStamp} from '../../page/page.ts';
import type {PageQuality} from '../../run/quality/pageQuality.ts';
import type {Look, MovieOptions, Size} from './options.ts';

/**
 * A movie stage is a browser page that shows a run at a given run time. Movies and stills are made of pictures of this
 * page. The page has this interface as `window.stage`, and the recorder calls it. Promises resolve when the page has
 * done what was asked for.
 */
export interface MovieStage {
  /** Computes the run of each scenario without laying it out, and returns the facts about each run. */
  survey(scenarios: readonly Json[]): Promise<readonly SurveyAnswer[]>;
  /** Reads the page of a scenario in its present version. Later calls name this version by the hash in the answer. */
  openPage(scenario: Json): Promise<OpenedAnswer>;
  /**
   * Measures the visual quality of the text and the pictures of a page that a stage has opened. Call it before
   * {@link open}.
   */
  measure(hash: string): Promise<MeasuredAnswer>;
  /** How many objects the newest call of {@link measure} has measured so far, and how many it measures in all. */
  measuring(): {readonly done: number; readonly all: number};
  /** Computes a scene's run and lays it out. `page` was opened and measured by this stage or by another one. */
  open(scene: Scene, page: MeasuredPage): Promise<StageAnswer>;
  /** Computes a run and lays out a filmstrip of it: a row of panes for each of these run times, with labels. */
  openFilmstrip(scenario: Json, look: Look, timesNs: readonly number[], page: MeasuredPage): Promise<StageAnswer>;
  /** Shows the run at this run time. */
  show(tNs: number): Promise<void>;
  /**
   * Makes the stage draw its own frames, which {@link film} needs. Call it before {@link open}. The answer is false if
   * the browser cannot do this. The stage can then no longer be used.
   */
  prepareFilm(size: Size): Promise<boolean>;
  /**
   * Starts to film the open run. A stage makes one film at a time: call startFilm, then film any number of times, then
   * endFilm.
   */
  startFilm(settings: EncoderSettings): Promise<EncoderAnswer>;
  /**
   * Shows each of the frames and encodes what Chromium paints. The next call may be made before the promise resolves.
   * Frames are encoded in the order of the calls.
   */
  film(frames: readonly FrameTime[]): Promise<Filmed>;
  /** Ends the film and returns its last encoded frames. */
  endFilm(): Promise<readonly Packet[]>;
  /** The timeline with its cursor, as an SVG file's text. */
  timelineSvg(): string;
}

/** One run as a movie shows it. */
export interface Scene {
  readonly scenario: Json;
  /** The look, the speed and the cards of this scene. */
  readonly movie: MovieOptions;
  /** Null for a movie without a story. */
  readonly storyStep: StoryStep | null;
}

/** The part of a story that is shown with a run. */
export interface StoryStep {
  /** The title of the story. */
  readonly title: string;
  /** The number of the step, from 0. */
  readonly step: number;
  /** The number of steps in the story. */
  readonly steps: number;
  readonly text: string;
  /** The numbers of the objects that are highlighted. */
  readonly objects: readonly number[];
  readonly layout: 'stacked' | 'overlaid';
  /** The part of the run that the timeline shows, ns; null for all of it. */
  readonly zoomNs: readonly [fromNs: number, toNs: number] | null;
}

/** A page, named by its hash, and the visual quality of its text and pictures. */
export interface MeasuredPage {
  readonly hash: string;
  readonly quality: PageQuality;
}

export type OpenedAnswer = {readonly ok: true; readonly hash: string} | Refusal;

export type MeasuredAnswer = {readonly ok: true; readonly page: MeasuredPage} | Refusal;

export type StageAnswer =
  | {
      readonly ok: true;
      readonly page: PageStamp;
      /** How many packets each pane loses. */
      readonly losses: readonly number[];
      /** The end of the run, ns. */
      readonly endNs: number;
      /** The size of the layout, CSS px. */
      readonly size: Size;
      /** Whether a stage that draws its own frames can show the page. False for a filmstrip. */
      readonly isFilmable: boolean;
    }
  | Refusal;

export type SurveyAnswer =
  | {
      readonly ok: true;
      readonly page: PageStamp;
      /** The addresses of the page's objects, in order. */
      readonly urls: readonly string[];
      /** How many packets each pane loses. */
      readonly losses: readonly number[];
      /** The end of the run, ns. */
      readonly endNs: number;
      /** Whether a stage that draws its own frames can show the page. */
      readonly isFilmable: boolean;
    }
  | Refusal;

/** A frame of a movie: its number from 0, and the run's time that it shows, ns. */
export interface FrameTime {
  readonly frame: number;
  readonly tNs: number;
}

/** The answer to {@link MovieStage.film}. */
export interface Filmed {
  /** Encoded frames. A frame of this call may be in the answer to a later call. */
  readonly packets: readonly Packet[];
  /** The SHA-256 of each frame's pixels, in hex. */
  readonly digests: readonly string[];
}

/**
 * The browser page that encodes pictures of a movie stage. It has this interface as `window.encoder`. It encodes one
 * movie at a time: call open, then add for each frame, then close.
 */
export interface Encoder {
  open(settings: EncoderSettings): Promise<EncoderAnswer>;
  /** Adds a frame, as a PNG in Base64. Returns the frames that have been encoded since the last call. */
  add(frame: number, png: string): Promise<readonly Packet[]>;
  /** Ends the movie and returns its last encoded frames. */
  close(): Promise<readonly Packet[]>;
}

/** Whether the encoder works. A frame is encoded as a test, because browsers claim support that they do not have. */
export type EncoderAnswer = {readonly ok: true} | {readonly ok: false; readonly message: string};

export interface EncoderSettings {
  readonly container: 'mp4' | 'webm';
  readonly size: Size;
  readonly fps: number;
}

/** An encoded frame, in Base64. */
export interface Packet {
  readonly frame: number;
  readonly isKey: boolean;
  readonly bytes: string;
  /** The decoder's configuration; only the first packet of an encoder has it. */
  readonly decoder: DecoderConfig | null;
}

/** The part of WebCodecs' VideoDecoderConfig that a container file holds; the description is Base64. */
export interface DecoderConfig {
  readonly codec: string;
  readonly codedWidth: number;
  readonly codedHeight: number;
  readonly colorSpace: object | null;
  readonly description: string | null;
}

/** The time between key frames, s. To jump to another frame, a player has to decode from the key frame before it. */
export const KEY_FRAME_S = 1;

/**
 * Returns a document that names a recorded run: a trace file that the host holds. To make pictures of a recorded run,
 * pass this document in the place of a scenario.
 */
export function heldRunDocument(run: string): Json {
  return {heldRun: run};
}

/** The name of the held run; undefined if the document is a scenario. */
export function heldRunOf(document: Json): string | undefined {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return undefined;
  const {heldRun} = document as {readonly heldRun?: Json};
  return typeof heldRun === 'string' ? heldRun : undefined;
}
