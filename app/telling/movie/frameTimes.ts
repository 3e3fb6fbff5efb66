import type {FrameTime} from './movieStage.ts';
import type {MovieOptions} from './options.ts';
import {speedOf} from './speed.ts';

/** What of a run a movie shows. */
export interface Span {
  /** t of the first frame, ns. */
  readonly fromNs: number;
  /** Where the last frame ends, ns. */
  readonly toNs: number;
  readonly frames: number;
  /** Run time per movie time. */
  readonly speed: number;
}

/**
 * The movie's span over a run that ends at `endNs`: its duration is (to − from) / speed to a frame. No frames, if it
 * would end before it begins.
 */
export function spanOf(movie: MovieOptions, endNs: number): Span {
  const {fps, fromS, toS} = movie;
  const speed = speedOf(movie.speed, endNs);
  const fromNs = fromS === null ? (movie.title ? -TITLE_NS * speed : 0) : fromS * 1e9;
  const wholeNs = resultsFromNs(movie, endNs) + (movie.results ? RESULTS_NS * speed : 0);
  const toNs = toS === null ? wholeNs : toS * 1e9;
  const frames = toNs <= fromNs ? 0 : Math.max(1, Math.round(((toNs - fromNs) * fps) / (speed * 1e9)));
  return {fromNs, toNs, frames, speed};
}

/** A part of a movie: frames of one of its scenes. */
export interface Segment {
  /** Which, from 0; scenes come in their order. */
  readonly scene: number;
  /** t of its first frame, ns. */
  readonly fromNs: number;
  /** Run time per movie time; 0 stands still. */
  readonly speed: number;
  readonly frames: number;
}

/** A frame of a movie, and whose run it shows. */
export interface SceneFrame extends FrameTime {
  readonly scene: number;
}

/** All frames of a movie: frame k of a segment shows t = from + k · speed / fps. */
export function frameTimes(segments: readonly Segment[], fps: number): readonly SceneFrame[] {
  let frame = 0;
  return segments.flatMap(({scene, fromNs, speed, frames}) =>
    Array.from({length: frames}, (_, k) => ({
      frame: frame++,
      scene,
      tNs: Math.round(fromNs + (k * speed * 1e9) / fps),
    })),
  );
}

/** From when on the card with the results is shown, ns. */
export function resultsFromNs({speed}: Pick<MovieOptions, 'speed'>, endNs: number): number {
  return endNs + LAST_LOOK_NS * speedOf(speed, endNs);
}

/** As long as an audience takes to read the title, ns of the movie. */
export const TITLE_NS = 3e9;
/** The complete pages, before the card covers them. */
const LAST_LOOK_NS = 1.5e9;
export const RESULTS_NS = 5e9;
