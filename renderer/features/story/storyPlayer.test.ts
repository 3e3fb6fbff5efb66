import {expect, test} from 'vitest';
import type {Host} from '../../../app/host/contract.ts';
import {parseStory, type Story} from '../../../app/telling/story/story.ts';
import {changedStep, movedStep, withoutStep, withStep} from '../../../app/telling/story/storyEdits.ts';
import {Player} from '../../session/player.ts';
import {StoryPlayer} from './storyPlayer.ts';

test('the current step stays the current one when other steps are edited', () => {
  const storyPlayer = playerOf('a', 'b', 'c', 'd');
  const textOnScreen = () => {
    const {story, step} = storyPlayer.store.getState();
    return story?.steps[step]?.text;
  };
  const write = (change: (story: Story) => Story) => {
    const {story} = storyPlayer.store.getState();
    if (story !== null) storyPlayer.write(change(story));
    return textOnScreen();
  };
  storyPlayer.go(1);
  expect(write(story => changedStep(story, 3, {text: 'D'}))).toBe('b');
  expect(write(story => movedStep(story, 3, 0))).toBe('b');
  storyPlayer.undo();
  expect(textOnScreen()).toBe('b');
  storyPlayer.redo();
  expect(textOnScreen()).toBe('b');
  expect(write(story => withoutStep(story, 0))).toBe('b');
  expect(write(story => movedStep(story, 1, 2))).toBe('b');
  // the same if the current step itself is edited or removed
  expect(write(story => changedStep(story, 2, {text: 'B'}))).toBe('B');
  expect(write(story => withoutStep(story, 2))).toBe('c');
});

test('a step that is made of the screen becomes the current step', () => {
  const storyPlayer = playerOf('a', 'b');
  const {story} = storyPlayer.store.getState();
  const [first] = story?.steps ?? [];
  if (story === null || first === undefined) throw new Error('a story of two steps');
  storyPlayer.write(withStep(story, 0, {...first, text: 'new'}), {step: 1});
  expect(storyPlayer.store.getState()).toMatchObject({step: 1, story: {steps: [{}, {text: 'new'}, {}]}});
});

/** A story with steps of these texts, at its first step, in a window that shows nothing. */
function playerOf(...texts: readonly string[]): StoryPlayer {
  const host: Partial<Host> = {keepDraft: async () => ({ok: true, revision: 1})};
  const nothing = () => undefined;
  const storyPlayer = new StoryPlayer(host as Host, {
    player: new Player(),
    openStep: nothing,
    endSteps: nothing,
    openMenu: nothing,
    closeMenu: nothing,
    chooseLoss: nothing,
    showMessage: nothing,
  });
  const steps = texts.map((text, k) => ({...(k === 0 ? {scenario: 'n07-movie'} : {}), text}));
  const parsed = parseStory({story: 1, title: 'x', steps});
  if (!parsed.ok) throw new Error(parsed.problems[0].message);
  storyPlayer.open(parsed.story);
  return storyPlayer;
}
