import type {FrameTime} from './movieStage.ts';
import type {MovieOptions} from './options.ts';
import {speedOf} from './speed.ts';

/** The part of a run that a movie shows. */
export interface Span {
  /** The run time of the first frame, ns. It is negative if the movie begins before the run. */
  readonly fromNs: number;
  /** The run time at which the movie ends, ns. The last frame may end a little earlier or later ({@link spanOf}). */
  readonly toNs: number;
  readonly frames: number;
  /** Seconds of the run that are played in one second of the movie. */
  readonly speed: number;
}

/**
 * The part of a run that a movie shows. The run ends at `endNs`. If the end of the movie is not after its beginning, it
 * has no frames. Otherwise it lasts (to − from) / speed, rounded to whole frames, and at least one frame.
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

/** Consecutive frames of a movie. They show the same scene at a constant speed. */
export interface Segment {
  /** The scene's number, from 0. */
  readonly scene: number;
  /** The run time of the segment's first frame, ns. */
  readonly fromNs: number;
  /** Seconds of the run that are played in one second of the movie; 0 repeats the same picture. */
  readonly speed: number;
  readonly frames: number;
}

/** A frame of a movie, and the scene that it shows. */
export interface SceneFrame extends FrameTime {
  readonly scene: number;
}

/** Lists all frames of a movie. Frame k of a segment, from 0, shows the run time `fromNs` + 10⁹ · k · speed / fps. */
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

/** The run time at which the results card appears, ns. */
export function resultsFromNs({speed}: Pick<MovieOptions, 'speed'>, endNs: number): number {
  return endNs + LAST_LOOK_NS * speedOf(speed, endNs);
}

/** How long the title card is shown, ns of movie time. An audience needs about this time to read it. */
export const TITLE_NS = 3e9;
/** How long the end of the run is shown before the results card covers it, ns of movie time. */
const LAST_LOOK_NS = 1.5e9;
/** How long the results card is shown, ns of movie time. */
export const RESULTS_NS = 5e9;
