import {check, type Parser} from '../../../app/base/schema.ts';
import {
  DEFAULT_MOVIE,
  type Look,
  type MovieFormat,
  type MovieOptions,
  movieProblemText,
  parseLook,
  parseMovie,
  sizeText,
} from '../../../app/telling/movie/options.ts';
import type {Speed} from '../../../app/telling/movie/speed.ts';
import {readTyped} from '../../kit/typedNumber.ts';

export const KINDS = ['movie', 'still', 'filmstrip', 'timeline'] as const;

/**
 * A look as it is typed: the size as `1280x720`, the loss as `2:14` (empty for none), and the page's title (empty for
 * the page's name).
 */
export type LookChoice = Omit<Look, 'size' | 'loss' | 'pageTitle'> & {
  readonly size: string;
  readonly loss: string;
  readonly pageTitle: string;
};

/** The dialog's fields, as they are typed. */
export interface RecordChoice {
  readonly kind: (typeof KINDS)[number];
  readonly format: MovieFormat;
  readonly look: LookChoice;
  readonly fps: number;
  readonly speed: Speed;
  /** Seconds; empty for the whole run. */
  readonly from: string;
  readonly to: string;
  readonly title: boolean;
  readonly results: boolean;
  /** Seconds, with commas between them for a filmstrip. */
  readonly at: string;
  readonly scale: number;
  /** The file's name; empty for a name made of the seed. */
  readonly name: string;
}

export const FIRST_CHOICE: RecordChoice = {
  kind: 'movie',
  format: DEFAULT_MOVIE.format,
  look: {...DEFAULT_MOVIE.look, size: sizeText(DEFAULT_MOVIE.look.size), loss: '', pageTitle: ''},
  fps: DEFAULT_MOVIE.fps,
  speed: DEFAULT_MOVIE.speed,
  from: '',
  to: '',
  title: DEFAULT_MOVIE.title,
  results: DEFAULT_MOVIE.results,
  at: '0',
  scale: 1,
  name: '',
};

/** The value of a choice, or one line on what is wrong with it. */
export type Chosen<T> = {readonly ok: true; readonly value: T} | {readonly ok: false; readonly message: string};

export function chosenMovie(choice: RecordChoice): Chosen<MovieOptions> {
  const {format, fps, speed, from, to, title, results} = choice;
  return chosen(parseMovie, {
    look: lookDocument(choice),
    format,
    fps,
    speed,
    title,
    results,
    fromS: numberOrText(from),
    toS: numberOrText(to),
  });
}

export function chosenLook(choice: RecordChoice): Chosen<Look> {
  return chosen(parseLook, lookDocument(choice));
}

/** Seconds with commas between them, in ns: one or, for a filmstrip, several. */
export function chosenTimes({kind, at}: RecordChoice): Chosen<readonly number[]> {
  // in a single time, a comma is the decimal separator
  const typed = kind === 'filmstrip' ? at.split(',') : [at];
  const times = typed.map(each => Math.round((readTyped(each) ?? Number.NaN) * 1e9));
  if (times.every(each => each >= 0)) return {ok: true, value: times};
  const wanted = kind === 'filmstrip' ? 'seconds, like 4, 7, 12' : 'seconds';
  return {ok: false, message: `at is ${at}: must be ${wanted}`};
}

/** The look as a document that `parseLook` reads. */
function lookDocument({look}: RecordChoice): object {
  return {...look, loss: look.loss.trim() || null, pageTitle: look.pageTitle.trim() || null};
}

function chosen<T>(parse: Parser<T>, document: object): Chosen<T> {
  const answer = check(parse, document);
  return answer.ok ? answer : {ok: false, message: movieProblemText(answer.problems[0], '')};
}

/** A number, or a text that the parser will refuse. */
function numberOrText(text: string): number | string | null {
  if (text.trim() === '') return null;
  return readTyped(text) ?? text;
}
