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
import type {Frames} from './frameSource.ts';
import {openGrabbed} from './framesByScreenshot.ts';
import {openFilm} from './framesEncodedInPage.ts';
import {SceneStages, type SurveyedScene} from './sceneStages.ts';
import {checkLoss, StagePage} from './stagePage.ts';

export interface Recording {
  readonly studio: Studio;
  readonly movie: MovieOptions;
  /** Creates the file for a movie. If the browser cannot encode `movie.format`, the argument is another format. */
  readonly out: (format: MovieFormat) => Promise<OutputFile>;
  /** How many stages (pages that paint frames) work at the same time. The frames do not depend on this number. */
  readonly stages: number;
  /** Called with the number of finished frames, and once with 0 before the first frame. */
  readonly onProgress: (done: number, frames: number) => void;
  /** If this is aborted, no file is left. An abort does not end the work on frames. Close the studio to end it. */
  readonly signal: AbortSignal;
}

/** A finished movie. */
interface Made {
  readonly path: string;
  readonly format: MovieFormat;
  /** Hash of all frames before encoding. In one browser, the same scenarios and options always give the same hash. */
  readonly framesSha256: string;
}

/** A finished movie of a run. */
export interface Recorded extends Made {
  readonly page: PageStamp;
  readonly span: Span;
}

/** A finished movie of a story. */
export interface RecordedStory extends Made {
  /** The pages that the story's steps show, each once. */
  readonly pages: readonly PageStamp[];
  readonly segments: readonly Segment[];
  readonly frames: number;
}

/**
 * Records a movie. Frame k is what Chromium paints at t = from + k · speed / fps. Each frame is taken exactly once.
 * @throws MovieError, FileError. After an error no file is left.
 */
export async function record(recording: Recording & {readonly scenario: Json}): Promise<Recorded> {
  const {scenario, movie} = recording;
  const surveyor = await StagePage.open(recording.studio);
  const run = surveyed(await surveyor.survey([scenario]))[0];
  if (run === undefined) throw new RangeError('the survey has no answer');
  const {page, endNs, losses} = run;
  const span = spanOf(movie, endNs);
  checkSpan(span, endNs);
  checkLoss(movie.look, losses);
  const segment = {scene: 0, fromNs: span.fromNs, speed: span.speed, frames: span.frames};
  const scenes = [{scenario, movie, storyStep: null}];
  const {path, format, framesSha256} = await make(recording, {
    surveyor,
    scenes,
    segments: [segment],
    runs: [run],
  });
  return {path, format, page, span, framesSha256};
}

/**
 * Records a story. Each step is recorded as {@link record} records a run. Its last picture then stays long enough for
 * viewers to read the text of the step. The steps decide the speed, the span, and five settings of the look
 * (`timeline`, `axis`, `reveal`, `waiting` and `loss`). The values of these settings in `movie` are ignored.
 */
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

/** @throws MovieError if a run cannot be computed */
function surveyed(answers: readonly SurveyAnswer[], where: (k: number) => string = () => ''): readonly SurveyedRun[] {
  return answers.map((answer, k) => {
    if (!answer.ok) throw new MovieError(`${where(k)}${answer.message}`);
    return answer;
  });
}

interface Plan {
  /** The page that has computed the runs ({@link StagePage.survey}). It shows none of them yet. */
  readonly surveyor: StagePage;
  /** One scene for each run. */
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

/**
 * Prepares to make the frames. For MP4 and WebM, the stages paint and encode the frames themselves if the browser and
 * all runs allow it. Otherwise each frame is a screenshot.
 */
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

/** Measures the visual quality of the pages of all scenes. This is done once, before any stage shows them. */
async function surveyedScenes({surveyor, scenes, runs}: Plan): Promise<readonly SurveyedScene[]> {
  const surveyed: SurveyedScene[] = [];
  for (const [k, scene] of scenes.entries())
    surveyed.push({scene, page: await surveyor.measure(runs[k]?.page.hash ?? '')});
  return surveyed;
}

/**
 * Returns the default number of stages (pages that paint frames). This is half the number of cores, because the encoder
 * needs the other half. It is at least 1 and at most {@link MOST_STAGES}.
 */
export function usualStages(): number {
  return Math.max(1, Math.min(MOST_STAGES, Math.floor(availableParallelism() / 2)));
}

/** Largest default number of stages. More pages would only wait for the encoder. */
const MOST_STAGES = 4;

/** @throws MovieError if the movie would have no frames */
function checkSpan({fromNs, toNs, frames}: Span, endNs: number): void {
  if (frames > 0) return;
  // All times in the message are rounded down. So a movie has frames if it begins before the end that the message
  // names.
  const [from, to, end] = [fromNs, toNs, endNs].map(ns => `${Math.floor(ns / 1e6) / 1000} s`);
  throw new MovieError(`a movie from ${from} to ${to} shows nothing; the run ends at ${end}`);
}
