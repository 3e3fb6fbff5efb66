import {existsSync, readFileSync} from 'node:fs';
import {extname, join} from 'node:path';
import type {MovieFormat} from '../../app/movie/options.ts';
import {type Json, scenarioDocument} from '../../app/scenario/document.ts';
import type {Scenario} from '../../app/scenario/scenario.ts';
import {showName} from '../../app/scenario/show.ts';
import {OutputFile, writeWhole} from '../files/outputFile.ts';
import {openChromiumStudio} from '../movie/chromiumStudio.ts';

import {type Recorded, record, usualStages} from '../movie/record.ts';
import {takeFilmstrip, takeStill, takeTimeline} from '../movie/stills.ts';
import {inStudio, MovieError, type Studio} from '../movie/studio.ts';
import {openWebShell} from '../shells/web.ts';
import type {Command} from './command.ts';
import {json, tellLeftOut} from './output.ts';
import {startProgress} from './progress.ts';

type RecordCommand = Extract<Command, {name: 'record'}>;
type StillCommand = Extract<Command, {name: 'still' | 'filmstrip'}>;

/**
 * `record`, `still` and `filmstrip`. `root` has the built renderer; an abort ends it with nothing left behind.
 * @returns what to print. @throws UsageError, MovieError, FileError
 */
export async function takePictures(
  command: RecordCommand | StillCommand,
  run: Scenario,
  root: string,
  signal: AbortSignal,
): Promise<string> {
  const scenario = scenarioDocument(run);
  const {version} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {version: string};
  const shell = await openWebShell({root, version, opened: null});
  try {
    return await inStudio(
      () => openChromiumStudio(shell.newAddress()),
      signal,
      studio =>
        command.name === 'record'
          ? recordMovie(command, scenario, studio, signal)
          : saveStill(command, scenario, studio, signal),
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
  const progress = startProgress(process.stderr, 'frames');
  try {
    const recorded = await record({
      ...{studio, scenario, movie, signal},
      out: format => openOut(out, movie.format, format),
      stages: usualStages(),
      onProgress: (done, frames) => progress.show(done, frames),
    });
    progress.end();
    tellLeftOut(recorded.page);
    return format === 'json' ? json(recorded) : recordedText(recorded, movie.fps);
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
  throw new MovieError(
    `this browser cannot encode ${wanted}, and ${path} is there already: name another --out`,
  );
}

function recordedText({path, span, framesSha256}: Recorded, fps: number): string {
  const [from, to] = [span.fromNs, span.toNs].map(ns => (ns / 1e9).toFixed(2));
  const length = `${span.frames} frame${span.frames === 1 ? '' : 's'}, ${(span.frames / fps).toFixed(1)} s`;
  return `${showName(path, LONGEST_PATH)}: ${length}, t from ${from} to ${to} s; frames' SHA-256 ${framesSha256.slice(0, 16)}…\n`;
}

async function saveStill(
  command: StillCommand,
  scenario: Json,
  studio: Studio,
  signal: AbortSignal,
): Promise<string> {
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
