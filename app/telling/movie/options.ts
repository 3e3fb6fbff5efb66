import type {Json} from '../../base/json.ts';
import {
  boolean,
  describedBy,
  fail,
  INVALID,
  integer,
  type JsonSchema,
  number,
  object,
  oneOf,
  optional,
  orNull,
  type Parser,
  type Problem,
  problemText,
  text,
} from '../../base/schema.ts';
import type {NumberedLoss} from '../../run/cause/losses.ts';
import {DEFAULT_THRESHOLDS, type Thresholds, wrongThreshold} from '../../run/quality/states.ts';
import type {Speed} from './speed.ts';

/** How a picture of a run is laid out. */
export interface Look {
  /** The size of the picture, CSS px. */
  readonly size: Size;
  readonly theme: 'light' | 'dark';
  readonly timeline: TimelineName;
  /** The quantity that the percent view shows. */
  readonly axis: Axis;
  /** The smallest visual quality at which a picture counts as recognisable, and the smallest at which it is good. */
  readonly thresholds: Thresholds;
  /** The lost packet that is explained; null for none. */
  readonly loss: NumberedLoss | null;
  /** Whether captions say what the panes show and what happened last. */
  readonly captions: boolean;
  /** Whether the timeline hides everything after the frame's run time. */
  readonly reveal: boolean;
  /** Whether the pages also show data that has arrived but waits for a lost packet. */
  readonly waiting: boolean;
  /** The title that replaces the page's name in the picture; null for the page's name. */
  readonly pageTitle: string | null;
  /** Whether a filmstrip scrolls a long page as a reader would. If false, all its pictures show the first screen. */
  readonly scroll: boolean;
}

export type TimelineName = (typeof TIMELINE_NAMES)[number];

/** The names of the timeline's views, which are in `renderer/run/timeline/views/`. */
export const TIMELINE_NAMES = ['losses', 'percent', 'waterfall', 'packets', 'window', 'rtt', 'why', 'queue'] as const;

export type Axis = (typeof AXES)[number];

/**
 * The quantities that the percent view can show for an object: its bytes, its scans, or its visual quality relative to
 * the final picture. An incomplete scan counts by the share of its bytes that has arrived.
 */
export const AXES = ['bytes', 'scans', 'visual'] as const;

/** A size in px. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The options of a movie of a run. */
export interface MovieOptions {
  readonly look: Look;
  readonly format: MovieFormat;
  /** Frames per second of the movie. */
  readonly fps: number;
  /** Seconds of the run that are played in one second of the movie. */
  readonly speed: Speed;
  /**
   * The run time of the first frame, s. It is negative if the movie begins before the run. If null, the movie begins
   * with the title card, or with the run if there is no title card.
   */
  readonly fromS: number | null;
  /**
   * The run time at which the movie ends, s. If null, the movie shows the whole run, then its last frame for a moment,
   * then the results card if there is one.
   */
  readonly toS: number | null;
  /** Whether a title card before the run says what is compared. */
  readonly title: boolean;
  /** Whether a results card is shown after the run. */
  readonly results: boolean;
}

export type MovieFormat = (typeof MOVIE_FORMATS)[number];

export const MOVIE_FORMATS = ['mp4', 'webm', 'gif', 'webp'] as const;

const DEFAULT_LOOK: Look = {
  size: {width: 1280, height: 720},
  theme: 'light',
  timeline: 'percent',
  axis: 'bytes',
  thresholds: DEFAULT_THRESHOLDS,
  loss: null,
  captions: true,
  reveal: false,
  waiting: false,
  pageTitle: null,
  scroll: false,
};

export const DEFAULT_MOVIE: MovieOptions = {
  look: DEFAULT_LOOK,
  format: 'mp4',
  fps: 30,
  speed: 'auto',
  fromS: null,
  toS: null,
  title: true,
  results: true,
};

/** Parses a size like `1280x720`. */
const size: Parser<Size> = (value, path, problems) => {
  const [, width = 0, height = 0] = /^(\d{1,5})[x×](\d{1,5})$/.exec(String(value))?.map(Number) ?? [];
  const isGood = width >= 640 && width <= 3840 && height >= 360 && height <= 2160;
  // video formats halve the resolution of colours, so both numbers must be even
  const isEven = width % 2 === 0 && height % 2 === 0;
  if (isGood && isEven) return {width, height};
  return fail(problems, path, value, 'WIDTHxHEIGHT in px, even numbers, from 640x360 to 3840x2160');
};

/** Formats a size as movie documents write it: `1280x720`. */
export function sizeText({width, height}: Size): string {
  return `${width}x${height}`;
}

/** Parses a loss like `2:14`. Panes are numbered from 1, as on screen. */
const loss: Parser<NumberedLoss> = (value, path, problems) => {
  const [, pane, number] = /^([1-9]\d{0,2}):([1-9]\d{0,8})$/.exec(String(value)) ?? [];
  return pane === undefined
    ? fail(problems, path, value, 'PANE:NUMBER, both from 1, like 2:14')
    : {pane: Number(pane) - 1, number: Number(number)};
};

/** Formats a loss as movie documents write it: `2:14`. */
export function lossName({pane, number}: NumberedLoss): string {
  return `${pane + 1}:${number}`;
}

/** Returns the document from which {@link parseMovie} makes these options. */
export function movieDocument(movie: MovieOptions): {readonly [key: string]: Json} {
  return {...movie, look: lookDocument(movie.look)};
}

/** Returns the document from which {@link parseLook} makes this look. */
export function lookDocument(look: Look): {readonly [key: string]: Json} {
  const {size, loss, thresholds} = look;
  return {
    ...look,
    size: sizeText(size),
    thresholds: {...thresholds},
    loss: loss === null ? null : lossName(loss),
  };
}

const anyNumber: Parser<number> = (value, path, problems) =>
  typeof value === 'number' ? value : fail(problems, path, value, 'a number');

const bothThresholds = object('thresholds', {
  recognisable: optional(anyNumber, DEFAULT_THRESHOLDS.recognisable),
  good: optional(anyNumber, DEFAULT_THRESHOLDS.good),
});

const thresholds: Parser<Thresholds> = (value, path, problems) => {
  const parsed = bothThresholds(value, path, problems);
  if (parsed === INVALID) return INVALID;
  const wrong = wrongThreshold(parsed);
  if (wrong === undefined) return parsed;
  return fail(problems, join(path, wrong.name), parsed[wrong.name], wrong.limit);
};

/** The longest title, characters. It must fit in one line of the title card. */
const LONGEST_TITLE = 80;

/** Checks a look. Missing keys get their values from {@link DEFAULT_LOOK}. */
export const parseLook: Parser<Look> = object('a look', {
  size: optional(size, DEFAULT_LOOK.size),
  theme: optional(oneOf(['light', 'dark']), DEFAULT_LOOK.theme),
  timeline: optional(oneOf(TIMELINE_NAMES), DEFAULT_LOOK.timeline),
  axis: optional(oneOf(AXES), DEFAULT_LOOK.axis),
  thresholds: optional(thresholds, DEFAULT_LOOK.thresholds),
  loss: optional(orNull(loss), DEFAULT_LOOK.loss),
  captions: optional(boolean(), DEFAULT_LOOK.captions),
  reveal: optional(boolean(), DEFAULT_LOOK.reveal),
  waiting: optional(boolean(), DEFAULT_LOOK.waiting),
  pageTitle: optional(orNull(text(LONGEST_TITLE)), DEFAULT_LOOK.pageTitle),
  scroll: optional(boolean(), DEFAULT_LOOK.scroll),
});

/** Parses a time of up to a day before or after the run's start, s. */
const seconds = number(-86_400, 86_400);

/** Parses a speed: a number, or `auto` for a speed that suits the run's length. */
export const parseSpeed: Parser<Speed> = describedBy(speedSchema, (value, path, problems) => {
  const isSpeed = typeof value === 'number' && value >= 0.01 && value <= 20;
  if (value === 'auto' || isSpeed) return value;
  return fail(problems, path, value, 'a number from 0.01 to 20, or "auto"');
});

function speedSchema(): JsonSchema {
  return {anyOf: [{const: 'auto'}, {type: 'number', minimum: 0.01, maximum: 20}]};
}

const settings = object('a movie', {
  look: optional(parseLook, DEFAULT_LOOK),
  format: optional(oneOf(MOVIE_FORMATS), DEFAULT_MOVIE.format),
  fps: optional(number(0, 1000), DEFAULT_MOVIE.fps),
  speed: optional(parseSpeed, DEFAULT_MOVIE.speed),
  fromS: optional(orNull(seconds), null),
  toS: optional(orNull(seconds), null),
  title: optional(boolean(), DEFAULT_MOVIE.title),
  results: optional(boolean(), DEFAULT_MOVIE.results),
});

/**
 * Checks a movie's options. Missing keys get their values from {@link DEFAULT_MOVIE}. It reports the problems and never
 * throws.
 */
export const parseMovie: Parser<MovieOptions> = (value, path, problems) => {
  const movie = settings(value, path, problems);
  if (movie === INVALID) return INVALID;
  const {fromS, toS, fps, format} = movie;
  const problemsBefore = problems.length;
  integer(...FPS[format])(fps, join(path, 'fps'), problems);
  if (fromS !== null && toS !== null && toS <= fromS) {
    fail(problems, join(path, 'toS'), toS, `after the start, ${fromS}`);
  }
  return problems.length > problemsBefore ? INVALID : movie;
};

/**
 * The smallest and the largest frame rate of each format, in frames per second. GIF and WebP may have low rates,
 * because they are used in slides. Browsers play a GIF of more than 50 fps at 10 fps.
 */
const FPS: {readonly [F in MovieFormat]: readonly [least: number, most: number]} = {
  mp4: [24, 60],
  webm: [24, 60],
  gif: [1, 50],
  webp: [1, 60],
};

/**
 * The message of a problem. It begins with `prefix` and the name that users know. With the prefix `--`, it begins with
 * `--title` for `look.pageTitle`.
 */
export function movieProblemText({path, value, limit}: Problem, prefix: string): string {
  return problemText(
    `${prefix}${path
      .replace(/^(look\.)?(thresholds\.)?/, '')
      .replace(/S$/, '')
      .replace('pageTitle', 'title')}`,
    value,
    limit,
  );
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}
