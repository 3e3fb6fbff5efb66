import type {FrameTime} from './movieStage.ts';
import type {MovieOptions} from './options.ts';
import {speedOf} from './speed.ts';

/** The part of a run that a movie shows. */
export interface Span {
  /** t of the first frame, ns. */
  readonly fromNs: number;
  /** t at the end of the last frame, ns. */
  readonly toNs: number;
  readonly frames: number;
  /** Run time per movie time. */
  readonly speed: number;
}

/**
 * The movie's span over a run that ends at `endNs`. Its duration is (to − from) / speed, rounded to a frame. It has no
 * frames if it would end before it begins.
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
  /** The scene's number, from 0. Scenes follow each other in their order. */
  readonly scene: number;
  /** t of the segment's first frame, ns. */
  readonly fromNs: number;
  /** Run time per movie time; 0 stands still. */
  readonly speed: number;
  readonly frames: number;
}

/** A frame of a movie, and the scene that it shows. */
export interface SceneFrame extends FrameTime {
  readonly scene: number;
}

/** All frames of a movie. Frame k of a segment shows t = from + k · speed / fps. */
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

/** t from which on the card with the results is shown, ns. */
export function resultsFromNs({speed}: Pick<MovieOptions, 'speed'>, endNs: number): number {
  return endNs + LAST_LOOK_NS * speedOf(speed, endNs);
}

/** How long the title card is shown, so that an audience can read it, ns of the movie. */
export const TITLE_NS = 3e9;
/** How long the complete pages are shown before the card covers them, ns of the movie. */
const LAST_LOOK_NS = 1.5e9;
/** How long the card with the results is shown, ns of the movie. */
export const RESULTS_NS = 5e9;
