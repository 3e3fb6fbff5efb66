import {createHash} from 'node:crypto';
import {availableParallelism} from 'node:os';
import {type Span, spanOf} from '../../app/movie/frames.ts';
import type {MovieFormat, MovieOptions} from '../../app/movie/options.ts';
import type {PageStamp} from '../../app/page/page.ts';
import type {Json} from '../../app/scenario/document.ts';
import type {OutputFile} from '../files/outputFile.ts';
import {openFilm} from './film.ts';
import {openGrabbed} from './grabbed.ts';
import {StagePage} from './stagePage.ts';
import {MovieError, type Studio} from './studio.ts';

export interface Recording {
  readonly studio: Studio;
  readonly scenario: Json;
  readonly movie: MovieOptions;
  /** The file, by its format: where `movie.format` cannot be encoded, it is another. */
  readonly out: (format: MovieFormat) => Promise<OutputFile>;
  /** Pages that take frames at once; any number gives the same frames. */
  readonly stages: number;
  /** Told how many frames are done, before the first too. */
  readonly onProgress: (done: number, frames: number) => void;
  /** Looked at before the file takes its place; closing the studio ends what is under way. */
  readonly signal: AbortSignal;
}

/** A movie that is there. */
export interface Recorded {
  readonly path: string;
  readonly format: MovieFormat;
  readonly page: PageStamp;
  readonly span: Span;
  /** Of all frames, before they were encoded: the same scenario and options give the same in one browser. */
  readonly framesSha256: string;
}

/**
 * Records a movie: frame k is what Chromium paints of t = from + k · speed / fps, each exactly once.
 * @throws MovieError, FileError; there is no file then.
 */
export async function record(recording: Recording): Promise<Recorded> {
  const {studio, movie, signal} = recording;
  const {stages, run, film} = await openStages(recording);
  const {page, endNs} = run;
  const span = spanOf(movie, endNs);
  checkSpan(span, endNs);
  const frames =
    film === null
      ? await openGrabbed(studio, stages, movie, span)
      : await openFilm(stages, film, movie, span);
  const file = await recording.out(frames.format);
  try {
    let done = 0;
    recording.onProgress(done, span.frames);
    const digests = await frames.writeTo(file, () => recording.onProgress(++done, span.frames));
    signal.throwIfAborted();
    const framesSha256 = createHash('sha256').update(digests.join('\n')).digest('hex');
    return {path: await file.keep(), format: frames.format, page, span, framesSha256};
  } finally {
    await file.discard();
  }
}

/** Pages with the run; `film` is the movie's format if they are to paint themselves. */
async function openStages({studio, scenario, movie, stages: count}: Recording) {
  const {format, look} = movie;
  const open = () => Promise.all(Array.from({length: count}, () => StagePage.open(studio)));
  if (format === 'mp4' || format === 'webm') {
    const stages = await open();
    const prepared = await Promise.all(stages.map(stage => stage.prepareFilm(look.size)));
    if (prepared.every(Boolean)) {
      const run = await openAll(stages, scenario, movie);
      if (run.isFilmable) return {stages, run, film: format};
    }
  }
  const stages = await open();
  return {stages, run: await openAll(stages, scenario, movie), film: null};
}

/** The first opens the page, the others have the same. */
async function openAll(stages: readonly StagePage[], scenario: Json, movie: MovieOptions) {
  const [first, ...others] = stages;
  if (first === undefined) throw new RangeError(`invalid stages: ${stages.length} (at least 1)`);
  const run = await first.open(scenario, movie);
  await Promise.all(others.map(stage => stage.openHeld(scenario, movie, run.page.hash)));
  return run;
}

/** As many pages as keep this machine's cores busy beside the encoder. */
export function usualStages(): number {
  return Math.max(1, Math.min(MOST_STAGES, Math.floor(availableParallelism() / 2)));
}

/** More of them wait for the encoder. */
const MOST_STAGES = 4;

/** @throws MovieError if there is nothing to see. */
function checkSpan({fromNs, toNs, frames}: Span, endNs: number): void {
  if (frames > 0) return;
  // rounded down: there is something to see before the end that is named
  const [from, to, end] = [fromNs, toNs, endNs].map(ns => `${Math.floor(ns / 1e6) / 1000} s`);
  throw new MovieError(`a movie from ${from} to ${to} shows nothing; the run ends at ${end}`);
}
