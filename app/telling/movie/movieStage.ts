import type {Json} from '../../base/json.ts';
import type {Refusal} from '../../host/contract.ts';
import type {PageStamp} from '../../page/page.ts';
import type {PageQuality} from '../../run/quality/pageQuality.ts';
import type {Look, MovieOptions, Size} from './options.ts';

/**
 * A movie stage is the browser page that shows a run at a time t and of which movies and stills are taken. The page has
 * this interface as `window.stage`, and the recorder calls it. Promises resolve when the page shows what was asked for.
 */
export interface MovieStage {
  /** Computes runs without laying them out. */
  survey(scenarios: readonly Json[]): Promise<readonly SurveyAnswer[]>;
  /** Reads a scenario's page as it is now. From then on the page is named by its hash. */
  openPage(scenario: Json): Promise<OpenedAnswer>;
  /** Measures the pictures of a page that a stage has opened. It is called before {@link open}. */
  measure(hash: string): Promise<MeasuredAnswer>;
  /** How many objects {@link measure} has measured so far. */
  measuring(): {readonly done: number; readonly all: number};
  /** Computes a scene's run and lays it out. All stages get the same page, which one of them has opened. */
  open(scene: Scene, page: MeasuredPage): Promise<StageAnswer>;
  /** Lays out the panes at each of these times below each other, with labels. */
  openFilmstrip(scenario: Json, look: Look, timesNs: readonly number[], page: MeasuredPage): Promise<StageAnswer>;
  show(tNs: number): Promise<void>;
  /**
   * Makes the page draw its own picture, for {@link film}. It is called before {@link open}. False if the browser
   * cannot do this; the page is then useless.
   */
  prepareFilm(size: Size): Promise<boolean>;
  /** Begins to film the open run. A stage makes one film at a time: start, film…, end. */
  startFilm(settings: EncoderSettings): Promise<EncoderAnswer>;
  /**
   * Shows each of the frames and encodes what Chromium paints. The next call may be made before this one has answered;
   * its frames follow.
   */
  film(frames: readonly FrameTime[]): Promise<Filmed>;
  /** Ends the film and returns its last packets. */
  endFilm(): Promise<readonly Packet[]>;
  /** The timeline with its cursor, as an SVG file's text. */
  timelineSvg(): string;
}

/** What a movie shows of one run. */
export interface Scene {
  readonly scenario: Json;
  /** The cards and the look of this scene. */
  readonly movie: MovieOptions;
  /** Null for a movie without a story. */
  readonly telling: Telling | null;
}

/** The part of a story that is shown with a run. */
export interface Telling {
  /** The title of the story. */
  readonly title: string;
  /** The number of the step, from 0. */
  readonly step: number;
  readonly steps: number;
  readonly text: string;
  /** The numbers of the objects that are highlighted. */
  readonly objects: readonly number[];
  readonly layout: 'stacked' | 'overlaid';
  /** The part of the run that the timeline shows, ns; null for all of it. */
  readonly zoomNs: readonly [fromNs: number, toNs: number] | null;
}

/** A page, named by its hash, and the quality of its pictures. */
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
      /** The size of what is laid out, CSS px. */
      readonly size: Size;
      /** Whether a page that draws itself can show it. */
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
      /** Whether a page that draws itself can show it. */
      readonly isFilmable: boolean;
    }
  | Refusal;

/** A frame of a movie: its number from 0, and the run's time that it shows, ns. */
export interface FrameTime {
  readonly frame: number;
  readonly tNs: number;
}

/** The answer to {@link MovieStage.film}; packets come later than their frames. */
export interface Filmed {
  readonly packets: readonly Packet[];
  /** For each frame the SHA-256 of its pixels, in hex. */
  readonly digests: readonly string[];
}

/**
 * The interface, as `window.encoder`, of the page that encodes pictures that were taken of a stage. It encodes one
 * movie at a time: open, add…, close.
 */
export interface Encoder {
  open(settings: EncoderSettings): Promise<EncoderAnswer>;
  /** Adds a frame, as a PNG in Base64. */
  add(frame: number, png: string): Promise<readonly Packet[]>;
  /** Ends the movie and returns its last packets. */
  close(): Promise<readonly Packet[]>;
}

/** Whether the encoder works. It is tried with a frame, because browsers claim support that they do not have. */
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

/** Time from one key frame to the next, s. A player can only jump to key frames. */
export const KEY_FRAME_S = 1;

/**
 * A document that is given instead of a scenario, for pictures of a run that has already happened: it names a trace
 * file that the host holds.
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
