import {existsSync} from 'node:fs';
import {extname} from 'node:path';
import type {Json} from '../../app/base/json.ts';
import {showName} from '../../app/base/text.ts';
import {scenarioDocument} from '../../app/run/scenario/document.ts';
import type {Scenario} from '../../app/run/scenario/scenario.ts';
import {encodeRun, type Run} from '../../app/run/trace/runFile.ts';
import {heldRunDocument} from '../../app/telling/movie/movieStage.ts';
import type {MovieFormat} from '../../app/telling/movie/options.ts';
import type {Story} from '../../app/telling/story/story.ts';
import {OutputFile, writeWhole} from '../files/outputFile.ts';
import {programVersion} from '../files/program.ts';
import {type Recorded, record, recordStory, usualStages} from '../media/movie/record.ts';
import {takeFilmstrip, takeStill, takeTimeline} from '../media/movie/stills.ts';
import {openChromiumStudio} from '../media/studio/chromiumStudio.ts';
import {inStudio, MovieError, type Studio} from '../media/studio/studio.ts';
import {openWebShell, type WebShell} from '../shells/webShell.ts';
import type {Command} from './command.ts';
import {json, tellLeftOut} from './output.ts';
import {startProgress} from './progress.ts';

type RecordCommand = Extract<Command, {name: 'record'}>;
type StoryCommand = Extract<Command, {name: 'record-story'}>;
type StillCommand = Extract<Command, {name: 'still' | 'filmstrip'}>;

/** What is on the pictures: a scenario's run, or one that happened. */
type Subject = {readonly scenario: Scenario} | {readonly run: Run};

/**
 * `record`, `still` and `filmstrip`. `root` has the built renderer; an abort ends it with nothing left behind.
 * @returns what to print. @throws UsageError, MovieError, FileError
 */
export async function takePictures(
  command: RecordCommand | StillCommand,
  subject: Subject,
  root: string,
  signal: AbortSignal,
): Promise<string> {
  return withStudio(root, signal, (studio, shell) => {
    const scenario = 'run' in subject ? heldIn(shell, subject.run) : scenarioDocument(subject.scenario);
    return command.name === 'record'
      ? recordMovie(command, scenario, studio, signal)
      : saveStill(command, scenario, studio, signal);
  });
}

/** @throws MovieError */
function heldIn(shell: WebShell, run: Run): Json {
  const held = shell.holdRun(encodeRun(run));
  if (!held.ok) throw new MovieError(held.message);
  return heldRunDocument(held.run);
}

/** `record --story`. @returns what to print. @throws MovieError, FileError */
export async function takeStory(
  {movie, out, format}: StoryCommand,
  story: Story,
  root: string,
  signal: AbortSignal,
): Promise<string> {
  const recorded = await withStudio(root, signal, studio =>
    withProgress(onProgress =>
      recordStory({
        studio,
        story,
        movie,
        signal,
        onProgress,
        out: format => openOut(out, movie.format, format),
        stages: usualStages(),
      }),
    ),
  );
  for (const page of recorded.pages) tellLeftOut(page);
  const {path, frames, framesSha256} = recorded;
  if (format === 'json') return json(recorded);
  const steps = `${story.steps.length} step${story.steps.length === 1 ? '' : 's'}`;
  return `${showName(path, LONGEST_PATH)}: ${lengthText(frames, movie.fps)}, ${steps}; ${digestText(framesSha256)}\n`;
}

async function withStudio<T>(
  root: string,
  signal: AbortSignal,
  use: (studio: Studio, shell: WebShell) => Promise<T>,
): Promise<T> {
  const shell = await openWebShell({root, version: programVersion(), opened: null});
  try {
    return await inStudio(
      () => openChromiumStudio(shell),
      signal,
      studio => use(studio, shell),
    );
  } finally {
    await shell.close();
  }
}

async function recordMovie(
  {movie, out, format}: RecordCommand,
  scenario: Json,
  studio: Studio,
  signal: AbortSignal,
): Promise<string> {
  const recorded = await withProgress(onProgress =>
    record({
      studio,
      scenario,
      movie,
      signal,
      onProgress,
      out: format => openOut(out, movie.format, format),
      stages: usualStages(),
    }),
  );
  tellLeftOut(recorded.page);
  return format === 'json' ? json(recorded) : recordedText(recorded, movie.fps);
}

async function withProgress<T>(take: (onProgress: (done: number, frames: number) => void) => Promise<T>): Promise<T> {
  const progress = startProgress(process.stderr, 'frames');
  try {
    return await take((done, frames) => progress.show(done, frames));
  } finally {
    progress.end();
  }
}

/**
 * The movie's file: `out`, which may be there already, or one of another format, which may not.
 * @throws MovieError, FileError
 */
function openOut(out: string, wanted: MovieFormat, format: MovieFormat): Promise<OutputFile> {
  if (wanted === format) return OutputFile.create(out);
  const path = `${out.slice(0, -wanted.length)}${format}`;
  if (!existsSync(path)) return OutputFile.create(path, 'kept');
  throw new MovieError(`this browser cannot encode ${wanted}, and ${path} is there already: name another --out`);
}

function recordedText({path, span, framesSha256}: Recorded, fps: number): string {
  const [from, to] = [span.fromNs, span.toNs].map(ns => (ns / 1e9).toFixed(2));
  return `${showName(path, LONGEST_PATH)}: ${lengthText(span.frames, fps)}, t from ${from} to ${to} s; ${digestText(framesSha256)}\n`;
}

function lengthText(frames: number, fps: number): string {
  return `${frames} frame${frames === 1 ? '' : 's'}, ${(frames / fps).toFixed(1)} s`;
}

function digestText(framesSha256: string): string {
  return `frames' SHA-256 ${framesSha256.slice(0, 16)}…`;
}

async function saveStill(command: StillCommand, scenario: Json, studio: Studio, signal: AbortSignal): Promise<string> {
  const {look, scale, out} = command;
  const options = {scenario, look, scale, onPage: tellLeftOut};
  const take = extname(out).toLowerCase() === '.svg' ? takeTimeline : takeStill;
  const picture = await (command.name === 'filmstrip'
    ? takeFilmstrip(studio, options, command.timesNs)
    : take(studio, options, command.timeNs));
  await writeWhole(out, picture, signal);
  return `${showName(out, LONGEST_PATH)}\n`;
}

/** Linux's PATH_MAX. */
const LONGEST_PATH = 4096;
