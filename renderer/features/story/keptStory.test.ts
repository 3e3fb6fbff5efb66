import {expect, test} from 'vitest';
import type {Host} from '../../../app/host/contract.ts';
import {parseStory} from '../../../app/telling/story/story.ts';
import {Player} from '../../session/player.ts';
import {readKeptStory, storeStoryForReload} from './keptStory.ts';
import {StoryPlayer} from './storyPlayer.ts';

test('a reload keeps the notes, the step, and when the story was started, so that the speaker’s time goes on', () => {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
    removeItem: (key: string) => void kept.delete(key),
  };
  const nothing = () => undefined;
  const storyPlayer = new StoryPlayer({} as Host, {
    player: new Player(),
    openStep: nothing,
    endSteps: nothing,
    openMenu: nothing,
    closeMenu: nothing,
    isCalm: () => false,
    chooseLoss: nothing,
    showMessage: nothing,
  });
  storeStoryForReload(storyPlayer, storage);
  const parsed = parseStory({story: 1, title: 'x', steps: [{scenario: 'n07-movie', notes: 'a\nb'}, {text: 'c'}]});
  if (!parsed.ok) throw new Error(parsed.problems[0].message);
  storyPlayer.open(parsed.story);
  storyPlayer.go(1);
  const {startedMs} = storyPlayer.store.getState();
  expect(startedMs).toBeGreaterThan(0);
  expect(readKeptStory(storage)).toMatchObject({startedMs, step: 1, story: {steps: [{notes: 'a\nb'}, {}]}});
  storyPlayer.end();
  expect(readKeptStory(storage)).toBeNull();
});
