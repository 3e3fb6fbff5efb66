import type {MovieOptions} from './options.ts';

/** What of a run a movie shows. */
export interface Span {
  /** t of the first frame, ns. */
  readonly fromNs: number;
  /** Where the last frame ends, ns. */
  readonly toNs: number;
  readonly frames: number;
}

/** The movie's span over a run that ends at `endNs`: its duration is (to − from) / speed to a frame. */
export function spanOf(movie: MovieOptions, endNs: number): Span {
  const {speed, fps} = movie;
  const fromNs = movie.fromNs ?? (movie.title ? -TITLE_NS * speed : 0);
  const wholeNs = resultsFromNs(movie, endNs) + (movie.results ? RESULTS_NS * speed : 0);
  // a movie from after the run's end is one frame long
  const toNs = movie.toNs ?? Math.max(wholeNs, fromNs);
  return {fromNs, toNs, frames: Math.max(1, Math.round(((toNs - fromNs) * fps) / (speed * 1e9)))};
}

/** t of frame k, ns: from + k · speed / fps. */
export function frameNs(movie: MovieOptions, {fromNs}: Span, k: number): number {
  return Math.round(fromNs + (k * movie.speed * 1e9) / movie.fps);
}

/** From when on the card with the results is shown, ns. */
export function resultsFromNs({speed}: Pick<MovieOptions, 'speed'>, endNs: number): number {
  return endNs + LAST_LOOK_NS * speed;
}

/** As long as an audience takes to read the title, ns of the movie. */
const TITLE_NS = 3e9;
/** The complete pages, before the card covers them. */
const LAST_LOOK_NS = 1.5e9;
const RESULTS_NS = 5e9;
