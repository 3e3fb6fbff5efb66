import {join} from 'node:path';
import type {Json} from '../../app/base/json.ts';
import {refusal} from '../../app/base/refusal.ts';
import {check, fail, INVALID, list, number, object, oneOf, type Parser, required} from '../../app/base/schema.ts';
import type {PictureAnswer, RecordAnswer, RecordingState} from '../../app/host/contract.ts';
import {
  type Look,
  type MovieOptions,
  movieProblemText,
  parseLook,
  parseMovie,
} from '../../app/telling/movie/options.ts';
import {parseStory, type Story} from '../../app/telling/story/story.ts';
import {OutputFile, sweepFolder} from '../files/outputFile.ts';
import {record, recordStory, usualStages} from '../media/movie/record.ts';
import {takeFilmstrip, takeStill} from '../media/movie/stills.ts';
import {inStudio, MovieError, type Studio} from '../media/studio/studio.ts';

export interface MoviesOptions {
  readonly openStudio: () => Promise<Studio>;
  /** Folder for movies. */
  readonly folder: string;
  /** Opens the folder of a file in the desktop's file manager. Null if the shell has no file manager. */
  readonly showFile: ((path: string) => void) | null;
  readonly onRecording: (state: RecordingState) => void;
}

/**
 * Makes the movies and pictures that a window asks for. Everything that the window sends is checked here, except
 * scenarios: the page that shows a scenario parses it.
 */
export class Movies {
  readonly #options: MoviesOptions;
  readonly #recorded = new Set<string>();
  readonly #tasks = new Map<AbortController, Promise<unknown>>();
  #recording: RecordingState = {kind: 'idle'};

  constructor(options: MoviesOptions) {
    this.#options = options;
    void sweepFolder(options.folder);
  }

  /** The state of the recording, for a new window. It does not contain the result of a recording for another window. */
  get recording(): RecordingState {
    return this.#recording.kind === 'busy' ? this.#recording : {kind: 'idle'};
  }

  /** Starts recording. The progress is reported by events. */
  record(request: unknown): RecordAnswer {
    if (this.#recording.kind === 'busy')
      return refusal('another recording is in progress: wait until it ends, or cancel it');
    const checked = check(recordRequest, request);
    if (!checked.ok) return refusal(movieProblemText(checked.problems[0], ''));
    this.#report({kind: 'busy', done: 0, frames: 0, leftMs: null});
    void this.#record(checked.value).then(
      path => this.#report({kind: 'done', path, canShow: this.#options.showFile !== null}),
      error => this.#report({kind: 'failed', message: MovieError.of(error).message}),
    );
    return {ok: true};
  }

  async take(request: unknown): Promise<PictureAnswer> {
    const checked = check(pictureRequest, request);
    if (!checked.ok) return refusal(movieProblemText(checked.problems[0], ''));
    const {kind, timesNs, ...options} = checked.value;
    const [tNs = 0] = timesNs;
    try {
      const png = await this.#inStudio(studio =>
        kind === 'still' ? takeStill(studio, options, tNs) : takeFilmstrip(studio, options, timesNs),
      );
      return {ok: true, png};
    } catch (error) {
      if (error instanceof MovieError) return refusal(error.message);
      throw error;
    }
  }

  /** Cancels all recordings and pictures. */
  cancel(): void {
    for (const task of this.#tasks.keys()) task.abort();
  }

  /**
   * Shows the file of a movie in its folder. Only files that were recorded here are shown, because the window must not
   * decide which files are opened.
   */
  show(path: unknown): void {
    if (typeof path === 'string' && this.#recorded.has(path)) this.#options.showFile?.(path);
  }

  /** Cancels all work. Resolves when the work has ended and no unfinished file is left. */
  async close(): Promise<void> {
    this.cancel();
    await Promise.allSettled(this.#tasks.values());
  }

  async #record({scenario, story, movie, name}: CheckedRecording): Promise<string> {
    let firstMs = 0;
    const onProgress = (done: number, frames: number): void => {
      if (done === 1) firstMs = Date.now();
      const leftMs = done < FRAMES_TO_JUDGE_BY ? null : ((Date.now() - firstMs) / (done - 1)) * (frames - done);
      this.#report({kind: 'busy', done, frames, leftMs});
    };
    const out = (format: string) => OutputFile.create(join(this.#options.folder, `${name}.${format}`), 'kept');
    const {path} = await this.#inStudio(async (studio, signal): Promise<{readonly path: string}> => {
      const recording = {studio, movie, out, stages: usualStages(), signal, onProgress};
      return story === null ? record({...recording, scenario}) : recordStory({...recording, story});
    });
    this.#recorded.add(path);
    return path;
  }

  #inStudio<T>(use: (studio: Studio, signal: AbortSignal) => Promise<T>): Promise<T> {
    const task = new AbortController();
    const work = inStudio(this.#options.openStudio, task.signal, studio => use(studio, task.signal));
    this.#tasks.set(
      task,
      work.catch(() => undefined),
    );
    return work.finally(() => this.#tasks.delete(task));
  }

  #report(state: RecordingState): void {
    this.#recording = state;
    this.#options.onRecording(state);
  }
}

/** Number of frames after which the remaining time is estimated. The first frames take longer than the others. */
const FRAMES_TO_JUDGE_BY = 10;

interface CheckedRecording {
  readonly scenario: Json;
  readonly story: Story | null;
  readonly movie: MovieOptions;
  readonly name: string;
}

interface CheckedPicture {
  readonly scenario: Json;
  readonly look: Look;
  readonly kind: 'still' | 'filmstrip';
  readonly timesNs: readonly number[];
  readonly scale: number;
}

/** Accepts every value as a scenario ({@link Movies}). */
const scenario: Parser<Json> = value => value as Json;

/** A file name without a folder, because movies are written only to the movies' folder. */
const fileName: Parser<string> = (value, path, problems) =>
  typeof value === 'string' && /^[\p{L}\p{N}_][\p{L}\p{N}_ .,+-]{0,99}$/u.test(value)
    ? value
    : fail(problems, path, value, 'a file name of up to 100 letters, digits, spaces and . , + - _');

/** Null if the scenario is to be recorded instead of a story. */
const story: Parser<Story | null> = (value, _path, problems) => {
  if (value === null) return null;
  const parsed = parseStory(value);
  if (parsed.ok) return parsed.story;
  problems.push(...parsed.problems);
  return INVALID;
};

const recordRequest: Parser<CheckedRecording> = object('a recording', {
  scenario: required(scenario),
  story: required(story),
  movie: required(parseMovie),
  name: required(fileName),
});

const pictureObject: Parser<CheckedPicture> = object('a picture', {
  scenario: required(scenario),
  look: required(parseLook),
  kind: required(oneOf(['still', 'filmstrip'])),
  timesNs: required(list(number(0, 864e12), 1, 20)),
  scale: required(number(0.25, 8)),
});

const pictureRequest: Parser<CheckedPicture> = (value, path, problems) => {
  const picture = pictureObject(value, path, problems);
  if (picture === INVALID || picture.kind === 'filmstrip' || picture.timesNs.length === 1) return picture;
  return fail(problems, 'timesNs', picture.timesNs, 'a list of one time, because a still shows one time');
};
