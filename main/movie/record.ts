import {createHash} from 'node:crypto';
import {availableParallelism} from 'node:os';
import {frameNs, type Span, spanOf} from '../../app/movie/frames.ts';
import type {MovieFormat, MovieOptions} from '../../app/movie/options.ts';
import type {PageStamp} from '../../app/page/page.ts';
import type {Json} from '../../app/scenario/document.ts';
import type {OutputFile} from '../files/outputFile.ts';
import {animationSink, checkAnimation} from './animation.ts';
import {type FrameSink, MovieEncoder, startFirstThatWorks} from './movieEncoder.ts';
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
  /** Of all frames as PNG, before they were encoded: the same scenario and options give the same. */
  readonly framesSha256: string;
}

/**
 * Records a movie: frame k is what Chromium paints of t = from + k · speed / fps, each exactly once.
 * @throws MovieError, FileError; there is no file then.
 */
export async function record(recording: Recording): Promise<Recorded> {
  const {studio, scenario, movie} = recording;
  const stages = await Promise.all(Array.from({length: recording.stages}, () => StagePage.open(studio)));
  const {page, endNs} = await openAll(stages, scenario, movie);
  const span = spanOf(movie, endNs);
  checkSpan(span, endNs);
  const {format, sinkOf} = await openSink(recording, span);
  const file = await recording.out(format);
  try {
    const sink = sinkOf(file);
    const hash = createHash('sha256');
    let adding = Promise.resolve();
    let done = 0;
    recording.onProgress(done, span.frames);
    for await (const png of framesOf(stages, movie, span)) {
      hash.update(png);
      await adding;
      // the next frame is painted while this one is encoded
      adding = sink.add(png);
      adding.catch(() => undefined);
      recording.onProgress(++done, span.frames);
    }
    await adding;
    await sink.finish();
    recording.signal.throwIfAborted();
    return {path: await file.keep(), format, page, span, framesSha256: hash.digest('hex')};
  } finally {
    await file.discard();
  }
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

/** The frames in their order, as PNG in Base64; each stage has one under way. */
async function* framesOf(
  stages: readonly StagePage[],
  movie: MovieOptions,
  span: Span,
): AsyncGenerator<string> {
  const underWay: Promise<string>[] = [];
  const take = async (k: number): Promise<string> => {
    const stage = stages[k % stages.length];
    if (stage === undefined) throw new RangeError(`invalid stages: ${stages.length} (at least 1)`);
    await stage.show(frameNs(movie, span, k));
    return stage.grab();
  };
  for (let k = 0; k < span.frames + stages.length; k++) {
    const oldest = k >= stages.length ? underWay.shift() : undefined;
    const png = await oldest;
    if (k < span.frames) {
      const frame = take(k);
      frame.catch(() => undefined); // told when its turn comes
      underWay.push(frame);
    }
    if (png !== undefined) yield png;
  }
}

interface ChosenSink {
  readonly format: MovieFormat;
  readonly sinkOf: (file: OutputFile) => FrameSink;
}

/** MP4 gives way to WebM where H.264 cannot be encoded. */
async function openSink({studio, movie}: Recording, {frames}: Span): Promise<ChosenSink> {
  const {format, fps, look} = movie;
  if (format === 'gif' || format === 'webp') {
    checkAnimation(movie, frames);
    return {format, sinkOf: file => animationSink(format, fps, file)};
  }
  const encoder = await MovieEncoder.open(studio);
  const containers = format === 'mp4' ? (['mp4', 'webm'] as const) : (['webm'] as const);
  const works = await startFirstThatWorks(encoder, containers, {size: look.size, fps, frames});
  return {format: works, sinkOf: file => encoder.sink(file)};
}

/** @throws MovieError if there is nothing to see. */
function checkSpan({fromNs, toNs, frames}: Span, endNs: number): void {
  if (frames > 0) return;
  // rounded down: there is something to see before the end that is named
  const [from, to, end] = [fromNs, toNs, endNs].map(ns => `${Math.floor(ns / 1e6) / 1000} s`);
  throw new MovieError(`a movie from ${from} to ${to} shows nothing; the run ends at ${end}`);
}
