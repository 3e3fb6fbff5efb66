import {createHash} from 'node:crypto';
import {availableParallelism} from 'node:os';
import type {Json} from '../../../app/base/json.ts';
import type {PageStamp} from '../../../app/page/page.ts';
import {scenarioDocument} from '../../../app/run/scenario/document.ts';
import {frameTimes, type Segment, type Span, spanOf} from '../../../app/telling/movie/frameTimes.ts';
import type {Scene, SurveyAnswer} from '../../../app/telling/movie/movieStage.ts';
import type {MovieFormat, MovieOptions} from '../../../app/telling/movie/options.ts';
import type {Story} from '../../../app/telling/story/story.ts';
import {storyMovie} from '../../../app/telling/story/storyMovie.ts';
import type {OutputFile} from '../../files/outputFile.ts';
import {MovieError, type Studio} from '../studio/studio.ts';
import {checkLoss} from './checkLoss.ts';
import {openFilm} from './film.ts';
import type {Frames} from './frames.ts';
import {openGrabbed} from './grabbed.ts';
import {SceneStages, type SurveyedScene} from './sceneStages.ts';
import {StagePage} from './stagePage.ts';

export interface Recording {
  readonly studio: Studio;
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
interface Made {
  readonly path: string;
  readonly format: MovieFormat;
  /** Of all frames, before they were encoded: the same scenarios and options give the same in one browser. */
  readonly framesSha256: string;
}

/** A movie of a run. */
export interface Recorded extends Made {
  readonly page: PageStamp;
  readonly span: Span;
}

/** A movie of a story. */
export interface RecordedStory extends Made {
  /** Each that its steps show, once. */
  readonly pages: readonly PageStamp[];
  readonly segments: readonly Segment[];
  readonly frames: number;
}

/**
 * Records a movie: frame k is what Chromium paints of t = from + k · speed / fps, each exactly once.
 * @throws MovieError, FileError; there is no file then.
 */
export async function record(recording: Recording & {readonly scenario: Json}): Promise<Recorded> {
  const {scenario, movie} = recording;
  const surveyor = await StagePage.open(recording.studio);
  const run = surveyed(await surveyor.survey([scenario]))[0];
  if (run === undefined) throw new RangeError('a survey without an answer');
  const {page, endNs, losses} = run;
  const span = spanOf(movie, endNs);
  checkSpan(span, endNs);
  checkLoss(movie.look, losses);
  const segment = {scene: 0, fromNs: span.fromNs, speed: span.speed, frames: span.frames};
  const scenes = [{scenario, movie, telling: null}];
  const {path, format, framesSha256} = await make(recording, {
    surveyor,
    scenes,
    segments: [segment],
    runs: [run],
  });
  return {path, format, page, span, framesSha256};
}

/** Records a story, step after step, as {@link record} does a run; of `movie` speed, span, timeline, axis and loss are the steps'. */
export async function recordStory(recording: Recording & {readonly story: Story}): Promise<RecordedStory> {
  const {story, movie} = recording;
  const surveyor = await StagePage.open(recording.studio);
  const answers = await surveyor.survey(story.steps.map(({scenario}) => scenarioDocument(scenario)));
  const runs = surveyed(answers, k => `step ${k + 1}: `);
  const planned = storyMovie(story, movie, runs);
  if (!planned.ok) throw new MovieError(`step ${planned.step + 1}: ${planned.problem.message}`);
  const {scenes, segments} = planned.movie;
  const made = await make(recording, {surveyor, scenes, segments, runs});
  const pages = [...new Map(runs.map(({page}) => [page.hash, page])).values()];
  return {...made, pages, segments, frames: segments.reduce((sum, {frames}) => sum + frames, 0)};
}

type SurveyedRun = Extract<SurveyAnswer, {ok: true}>;

/** @throws MovieError if one cannot be computed. */
function surveyed(answers: readonly SurveyAnswer[], where: (k: number) => string = () => ''): readonly SurveyedRun[] {
  return answers.map((answer, k) => {
    if (!answer.ok) throw new MovieError(`${where(k)}${answer.message}`);
    return answer;
  });
}

interface Plan {
  /** Has surveyed the runs, and shows nothing yet. */
  readonly surveyor: StagePage;
  /** One for each run. */
  readonly scenes: readonly Scene[];
  readonly runs: readonly SurveyedRun[];
  readonly segments: readonly Segment[];
}

async function make(recording: Recording, plan: Plan): Promise<Made> {
  const {movie, signal} = recording;
  const times = frameTimes(plan.segments, movie.fps);
  const frames = await openFrames(recording, plan, times);
  const file = await recording.out(frames.format);
  try {
    let done = 0;
    recording.onProgress(done, times.length);
    const digests = await frames.writeTo(file, () => recording.onProgress(++done, times.length));
    signal.throwIfAborted();
    const framesSha256 = createHash('sha256').update(digests.join('\n')).digest('hex');
    return {path: await file.keep(), format: frames.format, framesSha256};
  } finally {
    await file.discard();
  }
}

/** Painted by the pages themselves where they can. */
async function openFrames(
  {studio, movie, stages: count}: Recording,
  plan: Plan,
  times: ReturnType<typeof frameTimes>,
): Promise<Frames> {
  const {format, look} = movie;
  const all = {studio, count, scenes: await surveyedScenes(plan)};
  let blank: StagePage | null = plan.surveyor;
  if ((format === 'mp4' || format === 'webm') && plan.runs.every(({isFilmable}) => isFilmable)) {
    const stages = new SceneStages({...all, filmed: look.size, blank});
    if ((await stages.open(0)) !== null) return openFilm(stages, format, movie, times);
    await stages.close();
    blank = null;
  }
  return openGrabbed(studio, new SceneStages({...all, filmed: null, blank}), movie, times);
}

/** Pages are measured before there are stages of them: each shows the same. */
async function surveyedScenes({surveyor, scenes, runs}: Plan): Promise<readonly SurveyedScene[]> {
  const surveyed: SurveyedScene[] = [];
  for (const [k, scene] of scenes.entries())
    surveyed.push({scene, page: await surveyor.measure(runs[k]?.page.hash ?? '')});
  return surveyed;
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
