import {type Problem, problemText} from '../../base/schema.ts';
import {packetsText} from '../../run/cause/losses.ts';
import {speedOf} from '../movie/speed.ts';
import type {Step, Story} from './story.ts';
import {plainText} from './storyNumbers.ts';

/** The facts about a step's run that are needed to show the step. */
export interface StepRun {
  readonly endNs: number;
  /** The addresses of the page's objects, in order. */
  readonly urls: readonly string[];
  /** How many packets each pane loses. */
  readonly losses: readonly number[];
}

/** The part of its run that a step plays, ns. */
export interface StepSpan {
  readonly fromNs: number;
  readonly toNs: number;
}

/** The span of a step in a run that ends at `endNs`. {@link stepProblem} checks that it is not empty. */
export function spanOfStep({fromS, toS}: Step, endNs: number): StepSpan {
  const toNs = toS === null ? endNs : Math.min(Math.round(toS * 1e9), endNs);
  return {fromNs: Math.round(fromS * 1e9), toNs};
}

/** Why step k cannot be shown with its run; null if it can. */
export function stepProblem(story: Story, k: number, {endNs, urls, losses}: StepRun): Problem | null {
  const step = story.steps[k];
  if (step === undefined) throw new RangeError(`invalid step: ${k} (of ${story.steps.length})`);
  const path = `steps[${k}]`;
  const {fromNs, toNs} = spanOfStep(step, endNs);
  // rounded down, so that a step that begins before the printed end is not empty
  const limit = `before the run's end, ${Math.floor(endNs / 1e6) / 1000}`;
  if (toNs <= fromNs) return problem(`${path}.from`, step.fromS, limit);
  const unknown = step.objects.findIndex(name => objectOf(name, urls) === undefined);
  if (unknown < 0) return lossProblem(step, `${path}.highlight.loss`, losses);
  const value = step.objects[unknown];
  return problem(
    `${path}.highlight.objects[${unknown}]`,
    value,
    `an object of the page, 0 to ${urls.length - 1} or its address`,
  );
}

function lossProblem({loss}: Step, path: string, losses: readonly number[]): Problem | null {
  const lost = losses[loss?.pane ?? 0] ?? 0;
  if (loss === null || loss.number <= lost) return null;
  const limit = `a loss of pane ${loss.pane + 1}, which loses ${packetsText(lost)}`;
  return problem(`${path}.number`, loss.number, limit);
}

/** The numbers of the highlighted objects in a page with these addresses. Objects that the page lacks are left out. */
export function highlightedObjects(step: Step, urls: readonly string[]): readonly number[] {
  return step.objects.flatMap(name => objectOf(name, urls) ?? []);
}

/**
 * How long the last picture of a step stays so that its text can be read, ns of the viewer's time: the reading time
 * minus the playing time, and at least {@link LAST_LOOK_NS}.
 */
export function holdNs(text: string, playingNs: number): number {
  return Math.max(LAST_LOOK_NS, (text.length / READ_PER_S) * 1e9 - playingNs);
}

/** The duration of a whole story without title and results cards, s. `ends` are the ends of the steps' runs, ns. */
export function durationOf(story: Story, ends: readonly number[]): number {
  return story.steps.reduce((sum, step, k) => sum + stepDurationS(step, ends[k] ?? 0), 0);
}

/** The duration of a step whose run ends at `endNs`, s: the time that it plays, and the time that its text needs. */
export function stepDurationS(step: Step, endNs: number): number {
  return (playingNs(step, endNs) + stepHoldNs(step, endNs)) / 1e9;
}

/** How long the last picture of a step stays ({@link holdNs}). The run of the step ends at `endNs`. */
export function stepHoldNs(step: Step, endNs: number): number {
  return holdNs(plainText(step), playingNs(step, endNs));
}

/** How long a step plays, ns of the viewer's time. The run of the step ends at `endNs`. */
function playingNs(step: Step, endNs: number): number {
  const {fromNs, toNs} = spanOfStep(step, endNs);
  return Math.max(toNs - fromNs, 0) / speedOf(step.speed, endNs);
}

function objectOf(name: string | number, urls: readonly string[]): number | undefined {
  const index = typeof name === 'number' ? name : urls.findIndex(url => url === name || url === `/${name}`);
  return urls[index] === undefined ? undefined : index;
}

function problem(path: string, value: unknown, limit: string): Problem {
  return {path, value, limit, message: problemText(path, value, limit)};
}

/**
 * How many characters per second an audience reads beside a picture. Subtitles for adults have up to 17 (Díaz Cintas
 * and Remael, Audiovisual Translation: Subtitling, 2007, §4.5), and 12 by the older six-second rule. The value is below
 * 17 because a run has more to look at than most films.
 */
const READ_PER_S = 15;
/** The shortest time for which the last picture of a step stays, ns of the viewer's time. */
const LAST_LOOK_NS = 1.5e9;
