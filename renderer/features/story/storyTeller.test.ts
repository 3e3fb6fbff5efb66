import {expect, test} from 'vitest';
import type {Host} from '../../../app/host/contract.ts';
import {parseStory, type Story} from '../../../app/telling/story/story.ts';
import {changedStep, movedStep, withoutStep, withStep} from '../../../app/telling/story/storyEdits.ts';
import {Player} from '../../session/player.ts';
import {StoryTeller} from './storyTeller.ts';

test('the current step stays the current one when other steps are edited', () => {
  const teller = telling('a', 'b', 'c', 'd');
  const told = () => {
    const {story, step} = teller.store.getState();
    return story?.steps[step]?.text;
  };
  const write = (change: (story: Story) => Story) => {
    const {story} = teller.store.getState();
    if (story !== null) teller.write(change(story));
    return told();
  };
  teller.go(1);
  expect(write(story => changedStep(story, 3, {text: 'D'}))).toBe('b');
  expect(write(story => movedStep(story, 3, 0))).toBe('b');
  teller.undo();
  expect(told()).toBe('b');
  teller.redo();
  expect(told()).toBe('b');
  expect(write(story => withoutStep(story, 0))).toBe('b');
  expect(write(story => movedStep(story, 1, 2))).toBe('b');
  // the same if the current step itself is edited or removed
  expect(write(story => changedStep(story, 2, {text: 'B'}))).toBe('B');
  expect(write(story => withoutStep(story, 2))).toBe('c');
});

test('a step that is made of the screen becomes the current step', () => {
  const teller = telling('a', 'b');
  const {story} = teller.store.getState();
  const [first] = story?.steps ?? [];
  if (story === null || first === undefined) throw new Error('a story of two steps');
  teller.write(withStep(story, 0, {...first, text: 'new'}), {step: 1});
  expect(teller.store.getState()).toMatchObject({step: 1, story: {steps: [{}, {text: 'new'}, {}]}});
});

/** A story with steps of these texts, at its first step, in a window that shows nothing. */
function telling(...texts: readonly string[]): StoryTeller {
  const host: Partial<Host> = {keepDraft: async () => ({ok: true, revision: 1})};
  const nothing = () => undefined;
  const teller = new StoryTeller(host as Host, {
    player: new Player(),
    openStep: nothing,
    endSteps: nothing,
    openMenu: nothing,
    closeMenu: nothing,
    chooseLoss: nothing,
    tell: nothing,
  });
  const steps = texts.map((text, k) => ({...(k === 0 ? {scenario: 'n07-movie'} : {}), text}));
  const parsed = parseStory({story: 1, title: 'x', steps});
  if (!parsed.ok) throw new Error(parsed.problems[0].message);
  teller.open(parsed.story);
  return teller;
}
