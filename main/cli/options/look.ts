import {check, type Parser} from '../../../app/base/schema.ts';
import {nearest} from '../../../app/base/text.ts';
import {
  AXES,
  DEFAULT_MOVIE,
  type Look,
  MOVIE_FORMATS,
  type MovieOptions,
  movieProblemText,
  parseLook,
  parseMovie,
  TIMELINE_NAMES,
} from '../../../app/telling/movie/options.ts';
import type {Options, Values} from './option.ts';
import {UsageError} from './usageError.ts';
import {THRESHOLD_OPTIONS} from './visual.ts';

const usualTimeline = DEFAULT_MOVIE.look.timeline;
const otherTimelines = TIMELINE_NAMES.filter(each => each !== usualTimeline);
const [usualAxis, ...otherAxes] = AXES;

/**
 * Options for the look of stills, movies and filmstrips. {@link WINDOW_OPTIONS} adds options that filmstrips do not
 * have, such as those for the timeline and the captions.
 */
const PICTURE_OPTIONS = {
  size: {
    type: 'string',
    value: '1280x720',
    help: 'Width and height in CSS pixels, from 640x360 to 3840x2160. Both must be even numbers.',
  },
  theme: {type: 'string', value: 'light|dark', help: 'The colours. The default is light.'},
  title: {
    type: 'string',
    value: 'TEXT',
    help: 'The title of the page on the picture. The default is the page’s name, or the last part of its path.',
  },
  loss: {
    type: 'string',
    value: 'PANE:NUMBER',
    help:
      'Shows the explanation of what one lost packet delayed. 2:14 is the 14th lost packet of pane 2, with the same ' +
      'numbers as in the window.',
  },
  recognisable: THRESHOLD_OPTIONS.recognisable,
  good: THRESHOLD_OPTIONS.good,
} as const satisfies Options;

const SCALE = {
  type: 'string',
  value: '1',
  help: 'The number of pixels of the picture for each CSS pixel of --size, in width and in height: 0.25 to 8.',
} as const;

export const FILMSTRIP_OPTIONS = {
  ...PICTURE_OPTIONS,
  size: {
    type: 'string',
    value: '1280x720',
    help: 'The width of the picture. The height is ignored: the picture is as high as its rows.',
  },
  scale: SCALE,
  scroll: {
    type: 'boolean',
    help: 'Scrolls a long page down to what has arrived. Without this option, every row shows the first screen.',
  },
} as const satisfies Options;

/** Options of stills and movies, which show the whole window. */
const WINDOW_OPTIONS = {
  ...PICTURE_OPTIONS,
  timeline: {
    type: 'string',
    value: `${usualTimeline}`,
    help: `The timeline below the panes. Other values: ${otherTimelines.join(', ')}.`,
  },
  axis: {
    type: 'string',
    value: `${usualAxis}`,
    help:
      `What the vertical axis counts with --timeline percent. Other values: ${otherAxes.join(', ')}. The axis ` +
      'visual compares what is shown with the complete picture.',
  },
  'no-captions': {type: 'boolean', help: 'Leaves out the captions below the panes.'},
  reveal: {
    type: 'boolean',
    help:
      'Hides everything in the timeline that happens after the moment of the picture, so that the timeline does not ' +
      'reveal the result.',
  },
  waiting: {
    type: 'boolean',
    help: 'Shows each page as it would look if data that has arrived did not have to wait for lost packets (HOL blocking).',
  },
} as const satisfies Options;

export const STILL_OPTIONS = {...WINDOW_OPTIONS, scale: SCALE} as const satisfies Options;

export const MOVIE_OPTIONS = {
  ...WINDOW_OPTIONS,
  fps: {type: 'string', value: '30', help: 'Frames per second: 24 to 60, 1 to 60 for WebP, or 1 to 50 for GIF.'},
  speed: {
    type: 'string',
    value: 'auto',
    help:
      'How many seconds of the load one second of the movie shows: 0.25 is slow motion. auto shows a load shorter ' +
      'than 10 s in about 10 s, a load longer than a minute in about a minute, and any other load in real time.',
  },
  from: {
    type: 'string',
    value: '-3s',
    help:
      'The time at which the movie begins. t = 0 is the start of the load; at negative times, such as --from=-3s, ' +
      'the movie shows the title. The default shows the title for 3 s.',
  },
  to: {
    type: 'string',
    value: '30s',
    help:
      'The time at which the movie ends. After the end of the load, the movie shows the results. The default shows ' +
      'all of the load and the results.',
  },
  'no-title': {type: 'boolean', help: 'Leaves out the title.'},
  'no-results': {type: 'boolean', help: 'Leaves out the results.'},
} as const satisfies Options;

type LookValues = Values<typeof WINDOW_OPTIONS> & Values<typeof FILMSTRIP_OPTIONS>;

/** @throws UsageError */
export function lookOf(values: LookValues): Look {
  return checked(parseLook, lookDocument(values));
}

/** Returns the options of a movie. The ending of `out` decides the format. @throws UsageError */
export function movieOf(values: Values<typeof MOVIE_OPTIONS>, out: string): MovieOptions {
  return checked(parseMovie, {
    look: lookDocument(values),
    format: formatOf(out),
    ...(values.fps === undefined ? {} : {fps: numberOf('fps', values.fps)}),
    ...(values.speed === undefined ? {} : {speed: values.speed === 'auto' ? 'auto' : numberOf('speed', values.speed)}),
    ...(values.from === undefined ? {} : {fromS: timeS('from', values.from)}),
    ...(values.to === undefined ? {} : {toS: timeS('to', values.to)}),
    title: !values['no-title'],
    results: !values['no-results'],
  });
}

/** Parses a list of times such as `4s,7s,12s`, and returns them in ns. @throws UsageError */
export function timesOf(text: string | undefined): readonly number[] {
  if (!text) throw new UsageError('--at is missing: must be a time like 7s or 700ms');
  const times = text.split(',').map(time => Math.round(timeS('at', time) * 1e9));
  if (times.length > MOST_TIMES) throw new UsageError(`--at has ${times.length} times: at most ${MOST_TIMES}`);
  return times;
}

/** Parses the number of pixels per CSS pixel. @throws UsageError */
export function scaleOf(text: string | undefined): number {
  const scale = text === undefined ? 1 : numberOf('scale', text);
  if (!(scale >= 0.25 && scale <= 8)) throw new UsageError(`--scale is ${text}: must be 0.25 to 8`);
  return scale;
}

function lookDocument({size, theme, timeline, axis, ...values}: LookValues): object {
  const {recognisable, good, loss, title} = values;
  return {
    ...(size === undefined ? {} : {size}),
    ...(theme === undefined ? {} : {theme}),
    ...(timeline === undefined ? {} : {timeline}),
    ...(axis === undefined ? {} : {axis}),
    thresholds: {
      ...(recognisable === undefined ? {} : {recognisable: numberOf('recognisable', recognisable)}),
      ...(good === undefined ? {} : {good: numberOf('good', good)}),
    },
    ...(loss === undefined ? {} : {loss}),
    captions: !values['no-captions'],
    reveal: values.reveal === true,
    waiting: values.waiting === true,
    ...(title === undefined ? {} : {pageTitle: title}),
    scroll: values.scroll === true,
  };
}

function checked<T>(parse: Parser<T>, document: unknown): T {
  const answer = check(parse, document);
  if (answer.ok) return answer.value;
  throw new UsageError(movieProblemText(answer.problems[0], '--'));
}

function formatOf(out: string): string {
  const ending = /\.(\w+)$/.exec(out)?.[1]?.toLowerCase() ?? '';
  if (MOVIE_FORMATS.some(format => format === ending)) return ending;
  const near = nearest(ending, MOVIE_FORMATS);
  const hint = near === undefined ? '' : `; did you mean .${near}?`;
  throw new UsageError(`--out ${out}: must end in .${MOVIE_FORMATS.join(', .')}${hint}`);
}

function numberOf(option: string, text: string): number {
  const value = Number(text);
  if (text.trim() === '' || Number.isNaN(value)) {
    throw new UsageError(`--${option} is ${text.trim() || 'empty'}: must be a number`);
  }
  return value;
}

/** Parses a time such as `7s`, `7`, `700ms` or `-2.5s`, and returns it in seconds. */
function timeS(option: string, text: string): number {
  const [, number, unit] = /^\s*(-?\d+(?:\.\d+)?|-?\.\d+)\s*(s|ms)?\s*$/.exec(text) ?? [];
  if (number === undefined) throw new UsageError(`--${option} is ${text || 'empty'}: must be a time like 7s or 700ms`);
  return unit === 'ms' ? Number(number) / 1000 : Number(number);
}

/** The maximum number of times in a filmstrip. Each time is one row. */
const MOST_TIMES = 20;
