import {
  boolean,
  fail,
  INVALID,
  integer,
  number,
  object,
  oneOf,
  optional,
  type Parser,
} from '../scenario/schema.ts';

/** How a run is laid out for a picture. */
export interface Look {
  /** Of the picture, CSS px. */
  readonly size: Size;
  readonly theme: 'light' | 'dark';
  readonly timeline: 'percent' | 'waterfall' | 'packets' | 'window';
  /** Below each pane: what happened last. */
  readonly captions: boolean;
}

/** px. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** How a run becomes a movie. */
export interface MovieOptions {
  readonly look: Look;
  readonly format: MovieFormat;
  /** Frames per second of the movie. */
  readonly fps: number;
  /** Run time per movie time. */
  readonly speed: number;
  /** t of the first frame, ns; negative before the run. Null: with the title card before the run. */
  readonly fromNs: number | null;
  /** t of the end, ns. Null: the whole run, a moment to look at it, the card with the results. */
  readonly toNs: number | null;
  /** A card before t = 0: what is compared. */
  readonly title: boolean;
  /** A card after the run: what came of it. */
  readonly results: boolean;
}

export type MovieFormat = (typeof MOVIE_FORMATS)[number];

export const MOVIE_FORMATS = ['mp4', 'webm', 'gif', 'webp'] as const;

export const DEFAULT_LOOK: Look = {
  size: {width: 1280, height: 720},
  theme: 'light',
  timeline: 'percent',
  captions: true,
};

export const DEFAULT_MOVIE: MovieOptions = {
  look: DEFAULT_LOOK,
  format: 'mp4',
  fps: 30,
  speed: 1,
  fromNs: null,
  toNs: null,
  title: true,
  results: true,
};

/** 640×360 to 3840×2160, and even: video formats halve the colours' resolution. */
const size: Parser<Size> = (value, path, problems) => {
  const parsed = object('a size', {
    width: optional(integer(640, 3840), DEFAULT_LOOK.size.width),
    height: optional(integer(360, 2160), DEFAULT_LOOK.size.height),
  })(value, path, problems);
  if (parsed === INVALID) return INVALID;
  const {width, height} = parsed;
  if (width % 2 === 0 && height % 2 === 0) return parsed;
  return fail(problems, path, `${width}x${height}`, 'even numbers');
};

/** Checks how a picture shall look; what is missing is {@link DEFAULT_LOOK}'s. */
export const parseLook: Parser<Look> = object('a look', {
  size: optional(size, DEFAULT_LOOK.size),
  theme: optional(oneOf(['light', 'dark']), DEFAULT_LOOK.theme),
  timeline: optional(oneOf(['percent', 'waterfall', 'packets', 'window']), DEFAULT_LOOK.timeline),
  captions: optional(boolean(), DEFAULT_LOOK.captions),
});

/** A day before or after the run's start, ns. */
const time = number(-864e11, 864e11);

/** Null, or what `parse` takes. */
const nullable =
  <T>(parse: Parser<T>): Parser<T | null> =>
  (value, path, problems) =>
    value === null ? null : parse(value, path, problems);

const settings = object('a movie', {
  look: optional(parseLook, DEFAULT_LOOK),
  format: optional(oneOf(MOVIE_FORMATS), DEFAULT_MOVIE.format),
  fps: optional(integer(1, 60), DEFAULT_MOVIE.fps),
  speed: optional(number(0.01, 20), DEFAULT_MOVIE.speed),
  fromNs: optional(nullable(time), null),
  toNs: optional(nullable(time), null),
  title: optional(boolean(), DEFAULT_MOVIE.title),
  results: optional(boolean(), DEFAULT_MOVIE.results),
});

/** Checks a movie's options and fills in {@link DEFAULT_MOVIE}. Reports every problem, never throws. */
export const parseMovie: Parser<MovieOptions> = (value, path, problems) => {
  const movie = settings(value, path, problems);
  if (movie === INVALID) return INVALID;
  const {fromNs, toNs, fps, format} = movie;
  if (fromNs !== null && toNs !== null && toNs <= fromNs)
    return fail(problems, join(path, 'toNs'), seconds(toNs), `after fromNs, ${seconds(fromNs)}`);
  const least = LEAST_FPS[format];
  if (fps < least)
    return fail(problems, join(path, 'fps'), fps, `a whole number from ${least} to 60 (${format})`);
  return movie;
};

/** Moving pictures for slides may be slower than a movie. */
const LEAST_FPS: {readonly [F in MovieFormat]: number} = {mp4: 24, webm: 24, gif: 1, webp: 1};

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

function seconds(ns: number): string {
  return `${ns / 1e9} s`;
}
