import type {Refusal} from '../ipc/contract.ts';
import type {PageStamp} from '../page/page.ts';
import type {Json} from '../scenario/document.ts';
import type {Look, MovieOptions, Size} from './options.ts';

/**
 * What the page that movies and stills are taken of offers to who takes them, as `window.stage`. A promise is
 * kept when the page shows what was asked for.
 */
export interface Stage {
  /**
   * Computes the run and lays it out; `movie` for its cards. `hash` is of a page that another stage has opened, so
   * that both show the same; null opens it.
   */
  open(scenario: Json, movie: MovieOptions, hash: string | null): Promise<StageAnswer>;
  /** The panes at each of the times below each other, with labels. */
  openFilmstrip(scenario: Json, look: Look, timesNs: readonly number[]): Promise<StageAnswer>;
  show(tNs: number): Promise<void>;
  /** The timeline with its cursor, as an SVG file's text. */
  timelineSvg(): string;
}

export type StageAnswer =
  | {
      readonly ok: true;
      readonly page: PageStamp;
      /** The end of the run, ns. */
      readonly endNs: number;
      /** What there is to see, CSS px. */
      readonly size: Size;
    }
  | Refusal;

/** What the page that encodes movies offers, as `window.encoder`. One movie at a time: open, add…, close. */
export interface Encoder {
  /** Tries the encoder with a frame: what the browser says it supports it may not. */
  open(
    settings: EncoderSettings,
  ): Promise<{readonly ok: true} | {readonly ok: false; readonly message: string}>;
  /** The next frame, a PNG in Base64. Gives what is to be written. */
  add(png: string): Promise<readonly Write[]>;
  close(): Promise<readonly Write[]>;
}

export interface EncoderSettings {
  readonly container: 'mp4' | 'webm';
  readonly size: Size;
  readonly fps: number;
  readonly frames: number;
}

/** Bytes in Base64 for a place in the file. */
export interface Write {
  readonly position: number;
  readonly bytes: string;
}
