import type {ParseArgsConfig} from 'node:util';
import {check, type Parser} from '../../app/base/schema.ts';
import {nearest} from '../../app/base/text.ts';
import {
  type Look,
  MOVIE_FORMATS,
  type MovieOptions,
  movieProblemText,
  parseLook,
  parseMovie,
} from '../../app/telling/movie/options.ts';
import {UsageError} from './usageError.ts';

/** Of a filmstrip, which has no timeline and no captions. */
export const PAPER_OPTIONS = {
  size: {type: 'string'},
  theme: {type: 'string'},
  recognisable: {type: 'string'},
  good: {type: 'string'},
  loss: {type: 'string'},
  title: {type: 'string'},
} as const satisfies ParseArgsConfig['options'];

export const FILMSTRIP_OPTIONS = {
  ...PAPER_OPTIONS,
  scroll: {type: 'boolean'},
} as const satisfies ParseArgsConfig['options'];

export const LOOK_OPTIONS = {
  ...PAPER_OPTIONS,
  timeline: {type: 'string'},
  axis: {type: 'string'},
  'no-captions': {type: 'boolean'},
  reveal: {type: 'boolean'},
} as const satisfies ParseArgsConfig['options'];

export const MOVIE_OPTIONS = {
  ...LOOK_OPTIONS,
  fps: {type: 'string'},
  speed: {type: 'string'},
  from: {type: 'string'},
  to: {type: 'string'},
  'no-title': {type: 'boolean'},
  'no-results': {type: 'boolean'},
} as const satisfies ParseArgsConfig['options'];

type Values<O> = {readonly [K in keyof O]?: (O[K] extends {type: 'boolean'} ? boolean : string) | undefined};

type LookValues = Values<typeof LOOK_OPTIONS & typeof FILMSTRIP_OPTIONS>;

/** @throws UsageError */
export function lookOf(values: LookValues): Look {
  return checked(parseLook, lookDocument(values));
}

/** The file's ending is the format. @throws UsageError */
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

/** `4s,7s,12s` in ns. @throws UsageError */
export function timesOf(text: string | undefined): readonly number[] {
  if (!text) throw new UsageError('--at is missing: a time like 7s or 700ms');
  const times = text.split(',').map(time => Math.round(timeS('at', time) * 1e9));
  if (times.length > MOST_TIMES) throw new UsageError(`--at has ${times.length} times: at most ${MOST_TIMES}`);
  return times;
}

/** `--scale` of a still. @throws UsageError */
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
  if (text.trim() === '' || Number.isNaN(value)) throw new UsageError(`--${option} is ${text}: must be a number`);
  return value;
}

/** `7s`, `7`, `700ms`, `-2.5s` in seconds. */
function timeS(option: string, text: string): number {
  const [, number, unit] = /^\s*(-?\d+(?:\.\d+)?|-?\.\d+)\s*(s|ms)?\s*$/.exec(text) ?? [];
  if (number === undefined) throw new UsageError(`--${option} is ${text}: must be a time like 7s or 700ms`);
  return unit === 'ms' ? Number(number) / 1000 : Number(number);
}

/** Rows of a filmstrip that a picture bears. */
const MOST_TIMES = 20;
