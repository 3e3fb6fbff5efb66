import {existsSync} from 'node:fs';
import {join} from 'node:path';
import type {PictureAnswer, RecordAnswer, RecordingProgress, Refusal} from '../../app/ipc/contract.ts';
import {type Look, type MovieOptions, parseLook, parseMovie} from '../../app/movie/options.ts';
import type {Json} from '../../app/scenario/document.ts';
import {
  fail,
  INVALID,
  list,
  number,
  object,
  type Parser,
  type Problem,
  required,
} from '../../app/scenario/schema.ts';
import {record, usualStages} from '../movie/record.ts';
import {takeFilmstrip, takeStill} from '../movie/stills.ts';
import {MovieError, type Studio} from '../movie/studio.ts';

export interface PicturesOptions {
  readonly openStudio: () => Promise<Studio>;
  /** Where movies go. */
  readonly folder: string;
  /** Shows a file among the others of its folder. */
  readonly showFile: (path: string) => void;
  readonly onProgress: (progress: RecordingProgress) => void;
}

/** The movies and pictures that a window asks for. What it sends is checked here. */
export class Pictures {
  readonly #options: PicturesOptions;
  readonly #recorded = new Set<string>();
  #recording: AbortController | undefined;
  readonly #work = new Map<Studio, Promise<unknown>>();

  constructor(options: PicturesOptions) {
    this.#options = options;
  }

  async record(request: unknown): Promise<RecordAnswer> {
    if (this.#recording !== undefined) return refusal('a recording is under way: one at a time');
    const parsed = parse(recordRequest, request);
    if (!parsed.ok) return parsed;
    const {scenario, movie, name} = parsed.value;
    const cancel = new AbortController();
    this.#recording = cancel;
    const startedMs = Date.now();
    try {
      return await this.#inStudio(async studio => {
        const {path} = await record({
          studio,
          scenario,
          movie,
          out: freePath(this.#options.folder, name, movie.format),
          stages: usualStages(),
          signal: cancel.signal,
          onProgress: (done, frames) => {
            const leftMs = (Date.now() - startedMs) * (frames / done - 1);
            this.#options.onProgress({done, frames, leftMs});
          },
        });
        this.#recorded.add(path);
        return {ok: true, path};
      });
    } finally {
      this.#recording = undefined;
    }
  }

  async take(request: unknown): Promise<PictureAnswer> {
    const parsed = parse(pictureRequest, request);
    if (!parsed.ok) return parsed;
    const {timesNs, ...options} = parsed.value;
    return this.#inStudio(async studio => {
      const [tNs = 0, ...others] = timesNs;
      const png = await (others.length === 0
        ? takeStill(studio, options, tNs)
        : takeFilmstrip(studio, options, timesNs));
      return {ok: true, png};
    });
  }

  cancel(): void {
    this.#recording?.abort();
  }

  /** Only what was recorded here: the window has no say in which files are opened. */
  show(path: unknown): void {
    if (typeof path === 'string' && this.#recorded.has(path)) this.#options.showFile(path);
  }

  /** Kept when nothing is under way, and nothing half-written left. */
  async close(): Promise<void> {
    await Promise.all(Array.from(this.#work.keys(), studio => studio.close()));
    await Promise.allSettled(this.#work.values());
  }

  async #inStudio<T>(use: (studio: Studio) => Promise<T>): Promise<T | Refusal> {
    let studio: Studio | undefined;
    try {
      studio = await this.#options.openStudio();
      const work = use(studio);
      this.#work.set(studio, work);
      return await work;
    } catch (error) {
      if (error instanceof MovieError) return refusal(error.message);
      throw error;
    } finally {
      await studio?.close();
      if (studio !== undefined) this.#work.delete(studio);
    }
  }
}

interface CheckedRecording {
  readonly scenario: Json;
  readonly movie: MovieOptions;
  readonly name: string;
}

interface CheckedPicture {
  readonly scenario: Json;
  readonly look: Look;
  readonly timesNs: readonly number[];
  readonly scale: number;
}

/** The page that shows it parses it. */
const scenario: Parser<Json> = value => value as Json;

/** One file's name in one folder, on every system. */
const fileName: Parser<string> = (value, path, problems) =>
  typeof value === 'string' && /^[\w][\w .,+-]{0,99}$/.test(value)
    ? value
    : fail(problems, path, value, 'a file name of up to 100 letters, digits, spaces and . , + - _');

const recordRequest: Parser<CheckedRecording> = object('a recording', {
  scenario: required(scenario),
  movie: required(parseMovie),
  name: required(fileName),
});

const pictureRequest: Parser<CheckedPicture> = object('a picture', {
  scenario: required(scenario),
  look: required(parseLook),
  timesNs: required(list(number(0, 864e12), 1, 20)),
  scale: required(number(0.25, 8)),
});

function parse<T>(parser: Parser<T>, value: unknown): {readonly ok: true; readonly value: T} | Refusal {
  const problems: Problem[] = [];
  const parsed = parser(value, '', problems);
  if (parsed !== INVALID) return {ok: true, value: parsed};
  return {ok: false, problems, message: problems[0]?.message ?? 'not valid'};
}

/** What was there before stays. */
function freePath(folder: string, name: string, format: string): string {
  for (let number = 1; ; number++) {
    const path = join(folder, `${name}${number === 1 ? '' : `-${number}`}.${format}`);
    if (!existsSync(path)) return path;
  }
}

function refusal(message: string): Refusal {
  return {ok: false, problems: [], message};
}
