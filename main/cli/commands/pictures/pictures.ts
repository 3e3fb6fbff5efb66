import {existsSync} from 'node:fs';
import type {Json} from '../../../../app/base/json.ts';
import {showName} from '../../../../app/base/text.ts';
import {scenarioDocument} from '../../../../app/run/scenario/document.ts';
import type {Scenario} from '../../../../app/run/scenario/scenario.ts';
import {encodeRun, type Run} from '../../../../app/run/trace/runFile.ts';
import {heldRunDocument} from '../../../../app/telling/movie/movieStage.ts';
import type {Look, MovieFormat, MovieOptions} from '../../../../app/telling/movie/options.ts';
import type {Story} from '../../../../app/telling/story/story.ts';
import {OutputFile, writeWhole} from '../../../files/outputFile.ts';
import {programVersion} from '../../../files/program.ts';
import {type Recorded, record, recordStory, usualStages} from '../../../media/movie/record.ts';
import type {StillOptions} from '../../../media/movie/stills.ts';
import {openChromiumStudio} from '../../../media/studio/chromiumStudio.ts';
import {inStudio, MovieError, type Studio} from '../../../media/studio/studio.ts';
import {openPageFor} from '../../../pages/convertPage.ts';
import {openWebShell, type WebShell} from '../../../shells/webShell.ts';
import {GATEWAY} from '../../bundled.ts';
import type {CommandContext} from '../../command.ts';
import {untilInterrupted} from '../../interruption.ts';
import {scenarioWithPage} from '../../options/chosenPage.ts';
import {lookOf, scaleOf} from '../../options/look.ts';
import {type Format, fileOf} from '../../options/output.ts';
import {type ScenarioChoice, scenarioChoice} from '../../options/scenario.ts';
import {chosenRun, tracesOf} from '../../options/traceFiles.ts';
import {UsageError} from '../../options/usageError.ts';
import {json, printLeftOut} from '../../output.ts';
import {withProgress} from '../../progress.ts';

/** What the pictures show: a scenario, which is then loaded, or the run of trace files. */
type Subject = {readonly scenario: Scenario} | {readonly run: Run};

interface SubjectChoice extends ScenarioChoice {
  /** Trace files. If empty, the scenario is loaded. */
  readonly traces: readonly string[];
}

/** The settings that `still` and `filmstrip` share. */
export interface PictureSettings extends SubjectChoice {
  readonly out: string;
  readonly look: Look;
  /** Pixels of the picture per CSS pixel. */
  readonly scale: number;
}

type PictureValues = Parameters<typeof scenarioChoice>[0] &
  Parameters<typeof lookOf>[0] & {
    readonly trace?: readonly string[] | undefined;
    readonly out?: string | undefined;
    readonly scale?: string | undefined;
  };

/** Reads the settings of a picture. @throws UsageError, for example if `--out` ends in none of the `endings` */
export function pictureSettings(values: PictureValues, endings: readonly string[]): PictureSettings {
  const out = fileOf(values);
  const isKnown = endings.some(ending => out.toLowerCase().endsWith(ending));
  if (!isKnown) throw new UsageError(`--out ${out}: must end in ${endings.join(' or ')}`);
  const look = lookOf(values);
  const scale = scaleOf(values.scale);
  return {...scenarioChoice(values), traces: tracesOf(values), out, look, scale};
}

/** Takes a picture of the load, writes it and prints its path. @returns the exit code */
export function savePicture(
  settings: PictureSettings,
  context: CommandContext,
  take: (studio: Studio, options: StillOptions) => Promise<Uint8Array>,
): Promise<number> {
  const {look, scale, out} = settings;
  return untilInterrupted(async signal => {
    const subject = await chosenSubject(settings, context, signal);
    await withStudio(context.root, signal, async (studio, shell) => {
      const scenario = documentOf(subject, shell);
      const picture = await take(studio, {scenario, look, scale, onPage: printLeftOut});
      await writeWhole(out, picture, signal);
    });
    await context.write(`${showName(out, LONGEST_PATH)}\n`);
    return 0;
  });
}

/**
 * Returns the subject of the pictures: reads the trace files, or opens the page of the scenario. Also builds the
 * renderer.
 * @throws UsageError, PageError, FetchError, FileError
 */
export async function chosenSubject(
  settings: SubjectChoice,
  {fixtures, buildRenderer}: CommandContext,
  signal: AbortSignal,
): Promise<Subject> {
  if (settings.traces.length > 0) {
    const run = chosenRun(settings.traces);
    await buildRenderer();
    return {run};
  }
  const scenario = await scenarioWithPage(settings, {fixtures, module: GATEWAY, signal});
  // a page that cannot be loaded is refused before the browser starts
  await openPageFor(scenario, fixtures);
  await buildRenderer();
  return {scenario};
}

/**
 * Returns the document from which the picture or movie is made. For a scenario, this is the scenario's document. A run
 * is kept in the memory of `shell`, the local server from which the browser loads its pages, and the document names the
 * run.
 * @throws MovieError if the run cannot be stored
 */
function documentOf(subject: Subject, shell: WebShell): Json {
  if ('scenario' in subject) return scenarioDocument(subject.scenario);
  const held = shell.holdRun(encodeRun(subject.run));
  if (!held.ok) throw new MovieError(held.message);
  return heldRunDocument(held.run);
}

export interface MovieSettings {
  readonly out: string;
  readonly movie: MovieOptions;
  readonly format: Format;
}

/**
 * Records a movie of a load. If the signal is aborted, no file is left.
 * @param root the path of the program's folder, which contains the built renderer
 * @returns what the command prints
 * @throws MovieError, FileError
 */
export async function recordLoad(
  {movie, out, format}: MovieSettings,
  subject: Subject,
  root: string,
  signal: AbortSignal,
): Promise<string> {
  const recorded = await withStudio(root, signal, (studio, shell) =>
    withProgress('frames', onProgress =>
      record({
        studio,
        scenario: documentOf(subject, shell),
        movie,
        signal,
        onProgress,
        out: format => openOut(out, movie.format, format),
        stages: usualStages(),
      }),
    ),
  );
  printLeftOut(recorded.page);
  return format === 'json' ? json(recorded) : recordedText(recorded, movie.fps);
}

/** Records a movie of a story, like {@link recordLoad}. */
export async function recordStoryMovie(
  {movie, out, format}: MovieSettings,
  story: Story,
  root: string,
  signal: AbortSignal,
): Promise<string> {
  const recorded = await withStudio(root, signal, studio =>
    withProgress('frames', onProgress =>
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
  for (const page of recorded.pages) printLeftOut(page);
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

/**
 * Creates the movie's file. An existing file `out` is replaced. If the movie gets another format than `out` names, the
 * file gets the ending of the movie's format, and an existing file of this name is not replaced.
 * @throws MovieError, FileError
 */
function openOut(out: string, wanted: MovieFormat, format: MovieFormat): Promise<OutputFile> {
  if (wanted === format) return OutputFile.create(out);
  const path = `${out.slice(0, -wanted.length)}${format}`;
  if (!existsSync(path)) return OutputFile.create(path, 'kept');
  throw new MovieError(`this browser cannot encode ${wanted}, and ${path} exists already: name another --out`);
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

/** The maximum number of characters of a path: Linux's PATH_MAX. */
const LONGEST_PATH = 4096;
