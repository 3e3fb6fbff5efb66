import {
  DEFAULT_MOVIE,
  type Look,
  type MovieFormat,
  type MovieOptions,
  parseLook,
  parseMovie,
} from '../../app/movie/options.ts';
import {INVALID, type Parser, type Problem} from '../../app/scenario/schema.ts';

export const KINDS = ['movie', 'still', 'filmstrip', 'timeline'] as const;

/** What the dialog holds, as it is typed. */
export interface RecordChoice {
  readonly kind: (typeof KINDS)[number];
  readonly format: MovieFormat;
  /** `1280x720`. */
  readonly size: string;
  readonly fps: number;
  readonly speed: number;
  /** Seconds; empty for the whole run. */
  readonly from: string;
  readonly to: string;
  readonly theme: Look['theme'];
  readonly timeline: Look['timeline'];
  readonly captions: boolean;
  readonly title: boolean;
  readonly results: boolean;
  /** Seconds, with commas between them for a filmstrip. */
  readonly at: string;
  readonly scale: number;
  /** The file's; empty for one of the seed. */
  readonly name: string;
}

export const FIRST_CHOICE: RecordChoice = {
  kind: 'movie',
  format: DEFAULT_MOVIE.format,
  size: `${DEFAULT_MOVIE.look.size.width}x${DEFAULT_MOVIE.look.size.height}`,
  fps: DEFAULT_MOVIE.fps,
  speed: DEFAULT_MOVIE.speed,
  from: '',
  to: '',
  theme: DEFAULT_MOVIE.look.theme,
  timeline: DEFAULT_MOVIE.look.timeline,
  captions: DEFAULT_MOVIE.look.captions,
  title: DEFAULT_MOVIE.title,
  results: DEFAULT_MOVIE.results,
  at: '0',
  scale: 1,
  name: '',
};

/** What a choice comes to, or one line on what is wrong with it. */
export type Chosen<T> =
  | {readonly ok: true; readonly value: T}
  | {readonly ok: false; readonly message: string};

export function chosenMovie(choice: RecordChoice): Chosen<MovieOptions> {
  const {format, fps, speed, title, results} = choice;
  const [fromNs, toNs] = [optionalNs(choice.from), optionalNs(choice.to)];
  if (Number.isNaN(fromNs)) return {ok: false, message: `from is ${choice.from}: must be seconds`};
  if (Number.isNaN(toNs)) return {ok: false, message: `to is ${choice.to}: must be seconds`};
  return check(parseMovie, {
    look: lookDocument(choice),
    ...{format, fps, speed, fromNs, toNs, title, results},
  });
}

export function chosenLook(choice: RecordChoice): Chosen<Look> {
  return check(parseLook, lookDocument(choice));
}

/** Seconds with commas between them, in ns: one or, for a filmstrip, several. */
export function chosenTimes({kind, at}: RecordChoice): Chosen<readonly number[]> {
  const times = at.split(',').map(each => Number(each.trim() || Number.NaN) * 1e9);
  const isGood = times.every(each => each >= 0) && (kind === 'filmstrip' || times.length === 1);
  if (isGood) return {ok: true, value: times};
  const wanted = kind === 'filmstrip' ? 'seconds, like 4, 7, 12' : 'seconds';
  return {ok: false, message: `at is ${at}: must be ${wanted}`};
}

function lookDocument({size, theme, timeline, captions}: RecordChoice): object {
  const [width, height] = size.split('x').map(Number);
  return {size: {width, height}, theme, timeline, captions};
}

function check<T>(parse: Parser<T>, document: object): Chosen<T> {
  const problems: Problem[] = [];
  const value = parse(document, '', problems);
  return value === INVALID ? {ok: false, message: problems[0]?.message ?? 'not valid'} : {ok: true, value};
}

function optionalNs(text: string): number | null {
  return text.trim() === '' ? null : Math.round(Number(text) * 1e9);
}
