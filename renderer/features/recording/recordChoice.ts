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

export const TIMELINE_FORMATS = ['svg', 'png'] as const;

/**
 * A look in the form of the dialog's fields. The size is a text like `1280x720`. The loss, which the timeline explains,
 * is a text like `2:14` (loss 14 of pane 2), or empty for no loss. An empty `pageTitle` stands for the page's name.
 */
export type LookChoice = Omit<Look, 'size' | 'loss' | 'pageTitle'> & {
  readonly size: string;
  readonly loss: string;
  readonly pageTitle: string;
};

/** The values of the dialog's fields. */
export interface RecordChoice {
  readonly kind: (typeof KINDS)[number];
  readonly format: MovieFormat;
  readonly look: LookChoice;
  readonly fps: number;
  readonly speed: Speed;
  /**
   * Seconds since the run's start. If `from` is empty, the movie begins with the title card, if there is one. If `to`
   * is empty, the movie ends with the results card, if there is one.
   */
  readonly from: string;
  readonly to: string;
  readonly title: boolean;
  readonly results: boolean;
  /** Seconds since the run's start. A filmstrip can have several, with commas between them. */
  readonly at: string;
  /** The format of a picture of the timeline. */
  readonly timelineFormat: (typeof TIMELINE_FORMATS)[number];
  /** The number of pixels of a PNG picture for each px of `look.size`. SVG pictures do not depend on it. */
  readonly scale: number;
  /** The file's name. If it is empty, the name is made from the seed. */
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
  timelineFormat: 'svg',
  scale: 1,
  name: '',
};

/** The value of a choice, or a message of one line that says what is wrong. */
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

/** The chosen times, ns. A filmstrip can have several, with commas between them; other kinds have one. */
export function chosenTimes({kind, at}: RecordChoice): Chosen<readonly number[]> {
  // if only one time is allowed, a comma is the decimal separator
  const typed = kind === 'filmstrip' ? at.split(',') : [at];
  const times = typed.map(each => Math.round((readTyped(each) ?? Number.NaN) * 1e9));
  if (times.every(each => each >= 0)) return {ok: true, value: times};
  const wanted = kind === 'filmstrip' ? 'times in seconds, like 4, 7, 12' : 'one time in seconds';
  return {ok: false, message: `‘at’ is ${at.trim() || 'empty'}: it must be ${wanted}`};
}

/** The look as the document that `parseLook` reads. */
function lookDocument({look}: RecordChoice): object {
  return {...look, loss: look.loss.trim() || null, pageTitle: look.pageTitle.trim() || null};
}

function chosen<T>(parse: Parser<T>, document: object): Chosen<T> {
  const answer = check(parse, document);
  return answer.ok ? answer : {ok: false, message: movieProblemText(answer.problems[0], '')};
}

/** The number in a text, or null for an empty text. Any other text is returned unchanged, and the parser refuses it. */
function numberOrText(text: string): number | string | null {
  if (text.trim() === '') return null;
  return readTyped(text) ?? text;
}
