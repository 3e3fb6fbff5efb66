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

/** t of frame k, ns: from + k · speed / fps. */
export function frameNs({fps}: MovieOptions, {fromNs, speed}: Span, k: number): number {
  return Math.round(fromNs + (k * speed * 1e9) / fps);
}

/** From when on the card with the results is shown, ns. */
export function resultsFromNs({speed}: Pick<MovieOptions, 'speed'>, endNs: number): number {
  return endNs + LAST_LOOK_NS * speedOf(speed, endNs);
}

/** As long as an audience takes to read the title, ns of the movie. */
const TITLE_NS = 3e9;
/** The complete pages, before the card covers them. */
const LAST_LOOK_NS = 1.5e9;
const RESULTS_NS = 5e9;
