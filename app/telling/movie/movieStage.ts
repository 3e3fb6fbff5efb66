import type {Json} from '../../base/json.ts';
import type {Refusal} from '../../host/contract.ts';
import type {PageStamp} from '../../page/page.ts';
import type {PageQuality} from '../../run/quality/pageQuality.ts';
import type {Look, MovieOptions, Size} from './options.ts';

/**
 * What the page that movies and stills are taken of offers to who takes them, as `window.stage`. A promise is
 * kept when the page shows what was asked for.
 */
export interface MovieStage {
  /** Computes runs, and lays out none. */
  survey(scenarios: readonly Json[]): Promise<readonly SurveyAnswer[]>;
  /** Reads a scenario's page as it is now, which is known by its hash from then on. */
  openPage(scenario: Json): Promise<OpenedAnswer>;
  /** Measures a page that a stage has opened; before {@link open}. */
  measure(hash: string): Promise<MeasuredAnswer>;
  /** Of what is measured, objects. */
  measuring(): {readonly done: number; readonly all: number};
  /** Computes the scene's run of a page that a stage has opened, so that all show the same, and lays it out. */
  open(scene: Scene, page: MeasuredPage): Promise<StageAnswer>;
  /** The panes at each of the times below each other, with labels. */
  openFilmstrip(scenario: Json, look: Look, timesNs: readonly number[], page: MeasuredPage): Promise<StageAnswer>;
  show(tNs: number): Promise<void>;
  /**
   * Before {@link open}: from now on the page draws its picture itself, for {@link film}. False where the browser
   * cannot; the page is of no use then.
   */
  prepareFilm(size: Size): Promise<boolean>;
  /** Begins a film of the run that is open. One at a time: start, film…, end. */
  startFilm(settings: EncoderSettings): Promise<EncoderAnswer>;
  /**
   * Shows each of the frames, takes what Chromium paints of it, and encodes that. The next call may come before the
   * answer: its frames follow.
   */
  film(frames: readonly FrameTime[]): Promise<Filmed>;
  /** The last packets. */
  endFilm(): Promise<readonly Packet[]>;
  /** The timeline with its cursor, as an SVG file's text. */
  timelineSvg(): string;
}

/** What a movie shows of one run. */
export interface Scene {
  readonly scenario: Json;
  /** Its cards and its look are the scene's. */
  readonly movie: MovieOptions;
  /** Null of a movie of a run alone. */
  readonly telling: Telling | null;
}

/** What a story tells beside a run. */
export interface Telling {
  /** The story's. */
  readonly title: string;
  /** From 0. */
  readonly step: number;
  readonly steps: number;
  readonly text: string;
  /** What stands out from the others, by its number on the page. */
  readonly objects: readonly number[];
  readonly layout: 'stacked' | 'overlaid';
  /** What of the run the timeline shows, ns; null for all of it. */
  readonly zoomNs: readonly [fromNs: number, toNs: number] | null;
}

/** A page by its hash, and what is to be seen of it. */
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
      /** What there is to see, CSS px. */
      readonly size: Size;
      /** Whether a page that draws itself can show it. */
      readonly isFilmable: boolean;
    }
  | Refusal;

export type SurveyAnswer =
  | {
      readonly ok: true;
      readonly page: PageStamp;
      /** Of the page, in its order. */
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

/** What came of some frames; packets come later than their frames. */
export interface Filmed {
  readonly packets: readonly Packet[];
  /** Of each frame, a text that its pixels make: SHA-256, in hex. */
  readonly digests: readonly string[];
}

/** What the page that encodes pictures of a stage offers, as `window.encoder`. One movie at a time: open, add…, close. */
export interface Encoder {
  open(settings: EncoderSettings): Promise<EncoderAnswer>;
  /** A frame, as a PNG in Base64. */
  add(frame: number, png: string): Promise<readonly Packet[]>;
  /** The last packets. */
  close(): Promise<readonly Packet[]>;
}

/** Whether the encoder works, tried with a frame: what the browser says it supports it may not. */
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
  /** What a decoder has to know, with the first packet of an encoder. */
  readonly decoder: DecoderConfig | null;
}

/** Of WebCodecs' VideoDecoderConfig what a container says; the description is Base64. */
export interface DecoderConfig {
  readonly codec: string;
  readonly codedWidth: number;
  readonly codedHeight: number;
  readonly colorSpace: object | null;
  readonly description: string | null;
}

/** From one key frame to the next, s: a player jumps to these. */
export const KEY_FRAME_S = 1;

/** In a scenario's place, for pictures of a run that happened: a trace file that the host holds, by its name there. */
export function heldRunDocument(run: string): Json {
  return {heldRun: run};
}

/** The name of the run that is held; undefined for a scenario. */
export function heldRunOf(document: Json): string | undefined {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return undefined;
  const {heldRun} = document as {readonly heldRun?: Json};
  return typeof heldRun === 'string' ? heldRun : undefined;
}
