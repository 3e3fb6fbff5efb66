import type {Json} from '../../base/json.ts';
import {differences, type Setting, startsOf} from '../../run/scenario/differences.ts';
import type {Scenario} from '../../run/scenario/scenario.ts';
import {FIRST_STEP_VIEW, type Step, type StepView, type Story} from './story.ts';

type Fields = {readonly [key: string]: Json};

/** Returns the document of a story. It omits default values. `parseStory` turns it into an equal story. */
export function storyDocument({title, steps}: Story): Fields {
  return {
    story: 1,
    title,
    steps: steps.map((step, k) => stepDocument(step, steps[k - 1]?.scenario ?? null)),
  };
}

/** The text of a story file; `program` is the program that writes it. */
export function storyText(story: Story, program: string): string {
  return `${JSON.stringify({program, ...storyDocument(story)}, null, 2)}\n`;
}

function stepDocument(step: Step, before: Scenario | null): Fields {
  const {fromS, toS, speed, view, text, notes} = step;
  return {
    ...scenarioFields(step.scenario, before),
    ...(fromS === 0 ? {} : {from: fromS}),
    ...(toS === null ? {} : {to: toS}),
    ...(speed === 1 ? {} : {speed}),
    ...viewFields(view),
    ...highlightFields(step),
    ...(text === '' ? {} : {text}),
    ...(notes === '' ? {} : {notes}),
  };
}

/** The scenario as changes to that of the previous step, to a preset or to the defaults, whichever is shortest. */
function scenarioFields(scenario: Scenario, before: Scenario | null): Fields {
  const starts = startsOf(scenario).map(({preset, settings}) => ({
    scenario: preset ?? {},
    ...setFields(settings),
  }));
  const all: Fields[] = before === null ? starts : [setFields(differences(before, scenario)), ...starts];
  return all.reduce((shortest, fields) => (lengthOf(fields) < lengthOf(shortest) ? fields : shortest));
}

function setFields(settings: readonly Setting[]): Fields {
  if (settings.length === 0) return {};
  return {set: Object.fromEntries(settings.map(([key, json]) => [key, JSON.parse(json) as Json]))};
}

function lengthOf(fields: Fields): number {
  return JSON.stringify(fields).length;
}

function highlightFields({objects, loss}: Step): Fields {
  const highlight = {
    ...(objects.length === 0 ? {} : {objects}),
    ...(loss === null ? {} : {loss: {pane: loss.pane + 1, number: loss.number}}),
  };
  return Object.keys(highlight).length === 0 ? {} : {highlight};
}

function viewFields({timeline, axis, layout, zoomS, reveal, waiting}: StepView): Fields {
  const usual = FIRST_STEP_VIEW;
  const view = {
    ...(timeline === usual.timeline ? {} : {timeline}),
    ...(axis === usual.axis ? {} : {axis}),
    ...(layout === usual.layout ? {} : {layout}),
    ...(zoomS === null ? {} : {zoom: zoomS}),
    ...(reveal === usual.reveal ? {} : {reveal}),
    ...(waiting === usual.waiting ? {} : {waiting}),
  };
  return Object.keys(view).length === 0 ? {} : {view};
}
