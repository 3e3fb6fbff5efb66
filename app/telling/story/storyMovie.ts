import type {Problem} from '../../base/schema.ts';
import {scenarioDocument} from '../../run/scenario/document.ts';
import {RESULTS_NS, resultsFromNs, type Segment, TITLE_NS} from '../movie/frameTimes.ts';
import type {Scene} from '../movie/movieStage.ts';
import type {MovieOptions} from '../movie/options.ts';
import {speedOf} from '../movie/speed.ts';
import {highlightedObjects, holdNs, type StepRun, spanOfStep, stepProblem} from './stepTimes.ts';
import type {Story} from './story.ts';
import {plainText} from './storyNumbers.ts';

/** A story as a movie: a scene for each step. */
export interface StoryMovie {
  readonly scenes: readonly Scene[];
  readonly segments: readonly Segment[];
}

/** A planned movie, or the problem of the first step that cannot be shown; `step` is its number from 0. */
export type PlannedStory =
  | {readonly ok: true; readonly movie: StoryMovie}
  | {readonly ok: false; readonly step: number; readonly problem: Problem};

/**
 * Plans the movie of a story. Each step plays from its start to its end. Its last picture then stays, so that the text
 * can be read. The title card comes first and the results card last, if `movie` has them. Speed, span, timeline view
 * and explained loss are those of the step, and all other options are those of `movie`. `runs` are the runs of the
 * steps. If a step cannot be shown with its run, the answer is a problem.
 */
export function storyMovie(story: Story, movie: MovieOptions, runs: readonly StepRun[]): PlannedStory {
  const scenes: Scene[] = [];
  const segments: Segment[] = [];
  const framesOf = (ns: number) => Math.max(1, Math.round((ns * movie.fps) / 1e9));
  for (const [k, step] of story.steps.entries()) {
    const run = runs[k] ?? NO_RUN;
    const {endNs, urls} = run;
    const problem = stepProblem(story, k, run);
    if (problem !== null) return {ok: false, step: k, problem};
    const [isFirst, isLast] = [k === 0, k === story.steps.length - 1];
    const {timeline, axis, layout, zoomS, reveal, waiting} = step.view;
    const speed = speedOf(step.speed, endNs);
    const text = plainText(step);
    const ownMovie = {
      ...movie,
      look: {...movie.look, timeline, axis, reveal, waiting, loss: step.loss},
      speed,
      fromS: null,
      toS: null,
      title: movie.title && isFirst,
      results: movie.results && isLast,
    };
    const storyStep = {
      title: story.title,
      step: k,
      steps: story.steps.length,
      text,
      layout,
      objects: highlightedObjects(step, urls),
      zoomNs: zoomS === null ? null : ([zoomS[0] * 1e9, zoomS[1] * 1e9] as const),
    };
    scenes.push({scenario: scenarioDocument(step.scenario), movie: ownMovie, storyStep});
    const {fromNs, toNs} = spanOfStep(step, endNs);
    const playingNs = (toNs - fromNs) / speed;
    if (ownMovie.title) segments.push({scene: k, fromNs: -1, speed: 0, frames: framesOf(TITLE_NS)});
    segments.push(
      {scene: k, fromNs, speed, frames: framesOf(playingNs)},
      {scene: k, fromNs: toNs, speed: 0, frames: framesOf(holdNs(text, playingNs))},
    );
    if (ownMovie.results) {
      const fromNs = Math.ceil(resultsFromNs(ownMovie, endNs));
      segments.push({scene: k, fromNs, speed: 0, frames: framesOf(RESULTS_NS)});
    }
  }
  return {ok: true, movie: {scenes, segments}};
}

const NO_RUN: StepRun = {endNs: 0, urls: [], losses: []};
