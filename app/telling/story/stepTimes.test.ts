import {expect, test} from 'vitest';
import {durationOf, highlightedObjects, holdNs, spanOfStep, stepProblem} from './stepTimes.ts';
import {parseStory, type Step, type Story} from './story.ts';

function storyOf(...steps: readonly object[]): Story {
  const parsed = parseStory({
    story: 1,
    title: 'x',
    steps: steps.map(step => ({scenario: 'n07-movie', text: 'x'.repeat(30), ...step})),
  });
  if (!parsed.ok) throw new Error(parsed.problems[0].message);
  return parsed.story;
}

function only(document: object): Step {
  const [step] = storyOf(document).steps;
  if (step === undefined) throw new Error('no step');
  return step;
}

const run = {endNs: 1e9, urls: ['/', '/lake.jpg', '/img/boat.jpg'], losses: [5, 1, 0]};

test('a step plays from its start to its end, or to the run’s end if that is earlier', () => {
  expect(spanOfStep(only({from: 1.5, to: 4}), 10e9)).toEqual({fromNs: 1.5e9, toNs: 4e9});
  expect(spanOfStep(only({from: 1.5}), 10e9)).toEqual({fromNs: 1.5e9, toNs: 10e9});
  expect(spanOfStep(only({to: 40}), 10e9)).toEqual({fromNs: 0, toNs: 10e9});
});

test('the last picture of a step stays until the text is read, and for at least 1.5 s', () => {
  // 30 characters at 15 a second
  expect(holdNs('x'.repeat(30), 0)).toBe(2e9);
  expect(holdNs('x'.repeat(90), 1e9)).toBe(5e9);
  expect(holdNs('x'.repeat(30), 60e9)).toBe(1.5e9);
});

test('the duration of a story is the sum of the playing times and the pauses of its steps', () => {
  const story = storyOf({to: 6, speed: 2}, {from: 9, speed: 0.5});
  // 6 s at speed 2 and a pause of 1.5 s, then 1 s at speed 0.5 and a pause of 1.5 s
  expect(durationOf(story, [10e9, 10e9])).toBe(3 + 1.5 + 2 + 1.5);
});

test('a step that starts after the run’s end is a problem that gives both times', () => {
  const story = storyOf({}, {from: 12});
  expect(stepProblem(story, 1, {...run, endNs: 12.3456e9})).toBe(null);
  expect(stepProblem(story, 1, {...run, endNs: 11.9876e9})?.message).toBe(
    "steps[1].from is 12: must be before the run's end, 11.987",
  );
});

test('a highlighted object that the page does not have is a problem that names it', () => {
  const story = storyOf(
    {highlight: {objects: ['lake.jpg', '/img/boat.jpg', 0]}},
    {highlight: {objects: [1, 'sun.jpg']}},
  );
  expect(stepProblem(story, 0, run)).toBe(null);
  expect(story.steps.map(step => highlightedObjects(step, run.urls))).toEqual([[1, 2, 0], [1]]);
  expect(stepProblem(story, 1, run)?.message).toBe(
    'steps[1].highlight.objects[1] is "sun.jpg": must be an object of the page, 0 to 2 or its address',
  );
  expect(stepProblem(storyOf({highlight: {objects: [3]}}), 0, run)).toMatchObject({value: 3});
});

test('a loss that the run does not have is a problem that says how many packets the pane loses', () => {
  const panes = [{pipeline: 'tcp'}, {pipeline: 'sctp'}, {pipeline: 'tcp'}];
  const lossOf = (pane: number, number: number) =>
    stepProblem(storyOf({scenario: {panes}, highlight: {loss: {pane, number}}}), 0, run)?.message;
  expect([lossOf(1, 1), lossOf(1, 5), lossOf(2, 1)]).toEqual([undefined, undefined, undefined]);
  expect([lossOf(1, 9), lossOf(2, 2), lossOf(3, 1)]).toEqual([
    'steps[0].highlight.loss.number is 9: must be a loss of pane 1, which loses 5 packets',
    'steps[0].highlight.loss.number is 2: must be a loss of pane 2, which loses 1 packet',
    'steps[0].highlight.loss.number is 1: must be a loss of pane 3, which loses no packet',
  ]);
});
