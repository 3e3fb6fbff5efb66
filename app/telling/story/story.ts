import {type Json, readJson} from '../../base/json.ts';
import {
  boolean,
  describedBy,
  fail,
  file,
  INVALID,
  integer,
  isObject,
  type JsonSchema,
  list,
  number,
  object,
  oneOf,
  optional,
  orNull,
  type Parser,
  type Problem,
  required,
  schemaOf,
} from '../../base/schema.ts';
import type {NumberedLoss} from '../../run/cause/losses.ts';
import {scenarioOrPreset} from '../../run/scenario/presets.ts';
import {readBytes} from '../../run/scenario/readScenario.ts';
import {type Scenario, scenarioSchema} from '../../run/scenario/scenario.ts';
import {AXES, type Axis, parseSpeed, TIMELINE_NAMES, type TimelineName} from '../movie/options.ts';
import type {Speed} from '../movie/speed.ts';
import {LONGEST_KEY, MOST_SETTINGS, nextScenario} from './stepScenario.ts';
import {textProblem} from './storyNumbers.ts';

/** A lecture: a sequence of steps. Each step shows a run, highlights parts of it, and has one line of text. */
export interface Story {
  readonly title: string;
  readonly steps: readonly Step[];
}

/** One step of a story: what is shown until the presenter goes on. */
export interface Step {
  readonly scenario: Scenario;
  /** The run time at which the step begins to play, s. */
  readonly fromS: number;
  /** The run time at which the step stops playing, s; null for the run's end. */
  readonly toS: number | null;
  readonly speed: Speed;
  readonly view: StepView;
  /** The objects that are highlighted; none if the list is empty. */
  readonly objects: readonly ObjectName[];
  /** The lost packet whose effects are explained; null for none. */
  readonly loss: NumberedLoss | null;
  /**
   * One line of text that the audience reads; empty if none is written yet. A name in braces such as `{rtt}` stands for
   * a number of the scenario (storyNumbers.ts).
   */
  readonly text: string;
  /** What the speaker reads in the speaker view; it may have several lines. Empty if there are none. */
  readonly notes: string;
}

/** How the timeline shows a step. */
export interface StepView {
  readonly timeline: TimelineName;
  /** The quantity that the percent view shows. */
  readonly axis: Axis;
  readonly layout: LayoutName;
  /** The part of the run that the timeline shows, s; null for all of it. */
  readonly zoomS: readonly [fromS: number, toS: number] | null;
  /** Whether the timeline hides everything after the current run time, so that it does not reveal the result early. */
  readonly reveal: boolean;
  /** Whether the pages also show data that has arrived but waits for a lost packet. */
  readonly waiting: boolean;
}

export type LayoutName = (typeof LAYOUTS)[number];

/** An object of the page: its address as written in the page, or its number; 0 is the HTML. */
export type ObjectName = string | number;

export type ReadStory =
  | {readonly ok: true; readonly story: Story}
  | {readonly ok: false; readonly problems: readonly [Problem, ...Problem[]]};

export const FIRST_STEP_VIEW: StepView = {
  timeline: 'percent',
  axis: 'bytes',
  layout: 'stacked',
  zoomS: null,
  reveal: true,
  waiting: false,
};

/** Limits for the number of steps and for the length of texts. */
export const STORY_LIMITS = {
  steps: 200,
  titleCharacters: 100,
  textCharacters: 300,
  notesCharacters: 3000,
  objects: 50,
  addressCharacters: 2000,
} as const;

/** Reads a story file. It returns the story or the problems of the file, and never throws. */
export function readStory(file: string | Uint8Array): ReadStory {
  const read = typeof file === 'string' ? readJson(file) : readBytes(file);
  if (read.ok) return parseStory(read.value);
  const message = `it contains no story: ${read.message}`;
  return {ok: false, problems: [{path: '', value: null, limit: 'a story', message}]};
}

/** Whether a document has a key that only stories have. Such a document is meant as a story, even if it is invalid. */
export function isStoryDocument(document: unknown): boolean {
  return isObject(document) && (Object.hasOwn(document, 'story') || Object.hasOwn(document, 'steps'));
}

/**
 * Checks a story document (parsed JSON). It reports the problems and never throws. After a step with an invalid
 * scenario, the following steps are not checked any further, because their scenarios may build on it.
 */
export function parseStory(document: unknown): ReadStory {
  const problems: Problem[] = [];
  const parsed = storySettings(document, '', problems);
  const steps = parsed === INVALID ? INVALID : stepsOf(parsed.steps, problems);
  if (parsed !== INVALID && steps !== INVALID) return {ok: true, story: {title: parsed.title, steps}};
  const [first = {path: '', value: null, limit: 'valid', message: 'not valid'}, ...others] = problems;
  return {ok: false, problems: [first, ...others]};
}

/**
 * Turns typed or pasted text into one line. White space of any length becomes one space. Invisible characters are
 * removed.
 */
export function lineOf(typed: string): string {
  return typed.replaceAll(/\s+/g, ' ').replaceAll(UNSHOWN, '');
}

/** Prepares typed or pasted notes. Line breaks stay; other invisible characters are removed. */
export function notesOf(typed: string): string {
  return typed.replaceAll(/\r\n?/g, '\n').replaceAll(UNSHOWN, each => (each === '\n' ? each : ''));
}

/** Parses notes: a text of any number of lines. */
const notes: Parser<string> = describedBy(
  () => ({type: 'string', maxLength: STORY_LIMITS.notesCharacters, pattern: `^([^${UNSHOWN_RANGES}]|\\n)*$`}),
  (value, path, problems) =>
    typeof value === 'string' && value.length <= STORY_LIMITS.notesCharacters && notesOf(value) === value
      ? value
      : fail(
          problems,
          path,
          value,
          `a text of up to ${STORY_LIMITS.notesCharacters} characters, with \\n between its lines`,
        ),
);

/** Parses one line of text with `least` to `most` characters. */
const line = (least: number, most: number): Parser<string> =>
  describedBy(
    () => ({
      type: 'string',
      maxLength: most,
      pattern:
        least === 0 ? `^[^${UNSHOWN_RANGES}]*$` : `^[^${UNSHOWN_RANGES}]*[^\\s${UNSHOWN_RANGES}][^${UNSHOWN_RANGES}]*$`,
    }),
    (value, path, problems) => {
      const isGood = typeof value === 'string' && value.length <= most && value.search(UNSHOWN) < 0;
      return isGood && value.trim().length >= least
        ? value
        : fail(problems, path, value, `one line of text, ${least} to ${most} characters`);
    },
  );

const version: Parser<number> = describedBy(
  () => ({const: VERSION}),
  (value, path, problems) =>
    value === VERSION ? value : fail(problems, path, value, `${VERSION}, the version of this format`),
);

/** Parses a time of up to a day, s. The times of movies have the same limit. */
const seconds = number(0, 86_400);

const zoomTimes = list(seconds, 2, 2);

const zoomSchema = (): JsonSchema => schemaOf(zoomTimes);

const zoom: Parser<readonly [number, number]> = describedBy(zoomSchema, (value, path, problems) => {
  const parsed = zoomTimes(value, path, problems);
  if (parsed === INVALID) return INVALID;
  const [from = 0, to = 0] = parsed;
  return to > from ? [from, to] : fail(problems, `${path}[1]`, to, `after the start, ${from}`);
});

const objectName: Parser<ObjectName> = describedBy(objectSchema, (value, path, problems) => {
  if (typeof value === 'number') return integer(0, 1000)(value, path, problems);
  const isAddress = typeof value === 'string' && value !== '' && value.length <= STORY_LIMITS.addressCharacters;
  return isAddress ? value : fail(problems, path, value, "an object's address or number");
});

function objectSchema(): JsonSchema {
  const address = {type: 'string', minLength: 1, maxLength: STORY_LIMITS.addressCharacters};
  return {anyOf: [{type: 'integer', minimum: 0, maximum: 1000}, address]};
}

const LAYOUTS = ['stacked', 'overlaid'] as const;

const view = object('a view', {
  timeline: optional(oneOf(TIMELINE_NAMES), FIRST_STEP_VIEW.timeline),
  axis: optional(oneOf(AXES), FIRST_STEP_VIEW.axis),
  layout: optional(oneOf(LAYOUTS), FIRST_STEP_VIEW.layout),
  zoom: optional(orNull(zoom), null),
  reveal: optional(boolean(), FIRST_STEP_VIEW.reveal),
  waiting: optional(boolean(), FIRST_STEP_VIEW.waiting),
});

/** In files panes are numbered from 1, as on screen. */
const loss = object('a loss', {
  pane: required(integer(1, 1000)),
  number: required(integer(1, 1e9)),
});

const highlight = object('a highlight', {
  objects: optional(list(objectName, 0, STORY_LIMITS.objects), []),
  loss: optional(orNull(loss), null),
});

/** Returns the value unchanged. {@link nextScenario} checks it later. */
const stepScenario: Parser<Json> = describedBy(
  () => ({anyOf: [...(scenarioOrPreset()['anyOf'] as JsonSchema[]), {type: 'null'}]}),
  value => value as Json,
);

/** Returns the value unchanged. {@link nextScenario} checks it later. */
const stepSettings: Parser<Json> = describedBy(
  () => ({type: 'object', maxProperties: MOST_SETTINGS, propertyNames: {maxLength: LONGEST_KEY}}),
  value => value as Json,
);

const step = object('a step', {
  scenario: optional(stepScenario, null),
  set: optional(stepSettings, {}),
  from: optional(seconds, 0),
  to: optional(orNull(seconds), null),
  speed: optional(parseSpeed, 1),
  view: optional(view, {...FIRST_STEP_VIEW, zoom: FIRST_STEP_VIEW.zoomS}),
  highlight: optional(highlight, {objects: [], loss: null}),
  text: optional(line(0, STORY_LIMITS.textCharacters), ''),
  notes: optional(notes, ''),
});

const storySettings = file('a story', {
  story: required(version),
  title: required(line(1, STORY_LIMITS.titleCharacters)),
  steps: required(list(step, 1, STORY_LIMITS.steps)),
});

/** Returns the JSON Schema of story files. Rules between several keys are not part of it. */
export function storySchema(): JsonSchema {
  return {...schemaOf(storySettings), $defs: {scenario: scenarioSchema()}};
}

type StepDocument = Exclude<ReturnType<typeof step>, typeof INVALID>;

/** Builds the steps. A step that names no scenario starts from that of the previous step. */
function stepsOf(documents: readonly StepDocument[], problems: Problem[]): readonly Step[] | typeof INVALID {
  const steps: Step[] = [];
  let scenario: Scenario | null = null;
  for (const [k, document] of documents.entries()) {
    const path = `steps[${k}]`;
    const next = nextScenario(scenario, document, path, problems);
    // the following steps may build on this scenario, so they are not checked
    if (next === INVALID) return INVALID;
    scenario = next;
    const {from: fromS, to: toS, speed, view, highlight, text, notes} = document;
    if (toS !== null && toS <= fromS) fail(problems, `${path}.to`, toS, `after the start, ${fromS}`);
    const unshown = textProblem(text, scenario);
    if (unshown !== null) fail(problems, `${path}.text`, text, unshown.limit, {hint: unshown.hint});
    const {zoom: zoomS, ...shown} = view;
    const {objects, loss} = highlight;
    const panes = scenario.panes.length;
    if (loss !== null && loss.pane > panes)
      fail(problems, `${path}.highlight.loss.pane`, loss.pane, `a pane of the scenario, 1 to ${panes}`);
    steps.push({
      scenario,
      fromS,
      toS,
      speed,
      view: {...shown, zoomS},
      objects,
      loss: loss === null ? null : {...loss, pane: loss.pane - 1},
      text,
      notes,
    });
  }
  return problems.length > 0 ? INVALID : steps;
}

const VERSION = 1;
/**
 * Characters that a line of text must not have: control characters, line breaks, half surrogates, and characters that
 * change the direction of the text.
 */
const UNSHOWN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
/** The characters of `UNSHOWN`, except half surrogates, as JSON Schema's regular expressions can name them. */
const UNSHOWN_RANGES =
  '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069';

/**
 * The stories of `fixtures/stories/`, which are part of the program, in the order in which they are offered, and the
 * duration of each, s: every step plays to its end, and then stays until its text can be read. `stories.test.ts` checks
 * the durations. docs/extending.md says how to add a story.
 */
export const STORY_SECONDS = {
  'six-transports': 40,
  'one-lost-packet': 61,
  'three-versions-of-http': 70,
  'how-many-streams': 49,
  'progressive-or-baseline': 50,
  satellite: 97,
  'what-your-browser-does': 45,
  'six-congestion-controls': 72,
  upload: 83,
} as const;

export type StoryName = keyof typeof STORY_SECONDS;

export const STORY_NAMES = Object.keys(STORY_SECONDS) as readonly StoryName[];
