import type {Json} from '../../base/json.ts';
import {
  boolean,
  fail,
  INVALID,
  integer,
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

/** How a run is laid out for a picture. */
export interface Look {
  /** Of the picture, CSS px. */
  readonly size: Size;
  readonly theme: 'light' | 'dark';
  readonly timeline: TimelineName;
  /** What the percent view counts. */
  readonly axis: Axis;
  /** From when on a picture is recognisable, and good. */
  readonly thresholds: Thresholds;
  /** The lost packet that is explained; null for none. */
  readonly loss: NumberedLoss | null;
  /** Below each pane: what happened last. */
  readonly captions: boolean;
  /** The timeline has nothing after t. */
  readonly reveal: boolean;
  /** What the page is called; null for its own name. */
  readonly pageTitle: string | null;
  /** Of a filmstrip: a page that is scrolled follows what is read of it; otherwise all show the first screen. */
  readonly scroll: boolean;
}

export type TimelineName = (typeof TIMELINE_NAMES)[number];

/** What the renderer's views are called: `renderer/run/timeline/views/`. */
export const TIMELINE_NAMES = ['percent', 'waterfall', 'packets', 'window', 'rtt', 'losses'] as const;

export type Axis = (typeof AXES)[number];

/**
 * What of an object there is, in percent: of its bytes; of its scans, with the bytes of the one that is on its way; or of
 * what is to be seen in the end.
 */
export const AXES = ['bytes', 'scans', 'visual'] as const;

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
  readonly speed: Speed;
  /** t of the first frame, s; negative before the run. Null: with the title card before the run. */
  readonly fromS: number | null;
  /** t of the end, s. Null: the whole run, a moment to look at it, the card with the results. */
  readonly toS: number | null;
  /** A card before t = 0: what is compared. */
  readonly title: boolean;
  /** A card after the run: what came of it. */
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

/** `1280x720` */
const size: Parser<Size> = (value, path, problems) => {
  const [, width = 0, height = 0] = /^(\d{1,5})[x×](\d{1,5})$/.exec(String(value))?.map(Number) ?? [];
  const isGood = width >= 640 && width <= 3840 && height >= 360 && height <= 2160;
  // video formats halve the colours' resolution
  const isEven = width % 2 === 0 && height % 2 === 0;
  if (isGood && isEven) return {width, height};
  return fail(problems, path, value, 'WIDTHxHEIGHT in px, even numbers, from 640x360 to 3840x2160');
};

/** As a document has it. */
export function sizeText({width, height}: Size): string {
  return `${width}x${height}`;
}

/** `2:14`: panes count from 1, as on screen. */
const loss: Parser<NumberedLoss> = (value, path, problems) => {
  const [, pane, number] = /^([1-9]\d{0,2}):([1-9]\d{0,8})$/.exec(String(value)) ?? [];
  return pane === undefined
    ? fail(problems, path, value, 'PANE:NUMBER, both from 1, like 2:14')
    : {pane: Number(pane) - 1, number: Number(number)};
};

/** As a document has it. */
export function lossName({pane, number}: NumberedLoss): string {
  return `${pane + 1}:${number}`;
}

/** The document that `parseMovie` makes these options of. */
export function movieDocument(movie: MovieOptions): {readonly [key: string]: Json} {
  return {...movie, look: lookDocument(movie.look)};
}

/** The document that `parseLook` makes this look of. */
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

/** A line of the title card. */
const LONGEST_TITLE = 80;

/** Checks how a picture shall look; what is missing is {@link DEFAULT_LOOK}'s. */
export const parseLook: Parser<Look> = object('a look', {
  size: optional(size, DEFAULT_LOOK.size),
  theme: optional(oneOf(['light', 'dark']), DEFAULT_LOOK.theme),
  timeline: optional(oneOf(TIMELINE_NAMES), DEFAULT_LOOK.timeline),
  axis: optional(oneOf(AXES), DEFAULT_LOOK.axis),
  thresholds: optional(thresholds, DEFAULT_LOOK.thresholds),
  loss: optional(orNull(loss), DEFAULT_LOOK.loss),
  captions: optional(boolean(), DEFAULT_LOOK.captions),
  reveal: optional(boolean(), DEFAULT_LOOK.reveal),
  pageTitle: optional(orNull(text(LONGEST_TITLE)), DEFAULT_LOOK.pageTitle),
  scroll: optional(boolean(), DEFAULT_LOOK.scroll),
});

/** Up to a day before or after the run's start. */
const seconds = number(-86_400, 86_400);

/** A number, or the word for what the run's length asks for. */
export const parseSpeed: Parser<Speed> = (value, path, problems) => {
  const isSpeed = typeof value === 'number' && value >= 0.01 && value <= 20;
  if (value === 'auto' || isSpeed) return value;
  return fail(problems, path, value, 'a number from 0.01 to 20, or "auto"');
};

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

/** Checks a movie's options and fills in {@link DEFAULT_MOVIE}. Reports every problem, never throws. */
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

/** Slides bear fewer frames than movies; a browser plays a GIF of more than 50 at 10. */
const FPS: {readonly [F in MovieFormat]: readonly [least: number, most: number]} = {
  mp4: [24, 60],
  webm: [24, 60],
  gif: [1, 50],
  webp: [1, 60],
};

/** What is wrong with a document, by the name that people know the setting by, after `prefix`. */
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
