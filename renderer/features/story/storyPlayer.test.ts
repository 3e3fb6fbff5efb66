import {afterEach, beforeEach, describe, expect, test, vi} from 'vitest';
import type {Host} from '../../../app/host/contract.ts';
import {parseStory, type Story} from '../../../app/telling/story/story.ts';
import {changedStep, movedStep, withoutStep, withStep} from '../../../app/telling/story/storyEdits.ts';
import type {ShownRun} from '../../session/loads.ts';
import {Player} from '../../session/player.ts';
import {type StepOpening, StoryPlayer, type StoryWindow} from './storyPlayer.ts';

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

describe('a page turner', () => {
  const frames: FrameRequestCallback[] = [];
  beforeEach(() => {
    frames.length = 0;
    vi.stubGlobal('requestAnimationFrame', (frame: FrameRequestCallback) => frames.push(frame));
    vi.stubGlobal('cancelAnimationFrame', () => frames.pop());
  });
  afterEach(() => vi.unstubAllGlobals());

  /** A story of three steps, 1 s to 4 s, 4 s to the end, and again, in a window whose runs end at 10 s. */
  function told() {
    const player = new Player();
    const waiting: StepOpening[] = [];
    const storyPlayer = playerIn({player, openStep: opening => waiting.push(opening)}, [
      {from: 1, to: 4},
      {from: 4},
      {from: 4, to: 5},
    ]);
    const show = () => {
      const opening = waiting.splice(0).at(-1);
      if (opening === undefined) throw new Error('no step was opened');
      const trace = {data: {endNs: 10e9}, droppedPackets: () => []};
      player.setEnd(10e9);
      void player.seek(opening.fromNs);
      opening.onShown({scenario: opening.scenario, page: {objects: []}, traces: [trace]} as unknown as ShownRun);
    };
    const state = () => [storyPlayer.store.getState().step, player.tNs / 1e9, player.state.isPlaying];
    return {player, storyPlayer, show, state};
  }

  test('finishes a step that plays with the first press, and leaves it with the second', () => {
    const {storyPlayer, show, state} = told();
    show();
    expect(state()).toEqual([0, 1, true]);
    storyPlayer.next();
    expect(state()).toEqual([0, 4, false]);
    storyPlayer.next();
    show();
    expect(state()).toEqual([1, 4, true]);
    storyPlayer.next();
    expect(state()).toEqual([1, 10, false]);
    storyPlayer.next();
    show();
    // the last step is finished, too, and then stays
    storyPlayer.next();
    storyPlayer.next();
    expect(state()).toEqual([2, 5, false]);
  });

  test('finishes a step that was paused on its way', () => {
    const {player, storyPlayer, show, state} = told();
    show();
    player.pause();
    void player.seek(2e9);
    storyPlayer.next();
    expect(state()).toEqual([0, 4, false]);
  });

  test('takes a step that plays back to its start, where the next press plays it again', () => {
    const {storyPlayer, show, state} = told();
    show();
    storyPlayer.next();
    storyPlayer.next();
    show();
    storyPlayer.back();
    expect(state()).toEqual([1, 4, false]);
    storyPlayer.next();
    expect(state()).toEqual([1, 4, true]);
    storyPlayer.back();
    storyPlayer.back();
    show();
    expect(state()).toEqual([0, 1, true]);
  });

  test('leaves a step whose run is not on screen yet', () => {
    const {storyPlayer, show, state} = told();
    show();
    storyPlayer.next();
    storyPlayer.next();
    storyPlayer.next();
    show();
    expect(state()).toEqual([2, 4, true]);
  });

  test('a step without an end plays to the end of a run that became longer', () => {
    const {player, storyPlayer, show, state} = told();
    storyPlayer.go(1);
    show();
    player.setEnd(12e9);
    storyPlayer.next();
    expect(state()).toEqual([1, 12, false]);
  });
});

/** A story with steps of these texts, at its first step, in a window that shows nothing. */
function playerOf(...texts: readonly string[]): StoryPlayer {
  return playerIn(
    {},
    texts.map(text => ({text})),
  );
}

/** A story with these steps, at its first step, in a window that otherwise does nothing. */
function playerIn(own: Partial<StoryWindow>, documents: readonly object[]): StoryPlayer {
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
    ...own,
  });
  const steps = documents.map((document, k) => ({...(k === 0 ? {scenario: 'n07-movie'} : {}), ...document}));
  const parsed = parseStory({story: 1, title: 'x', steps});
  if (!parsed.ok) throw new Error(parsed.problems[0].message);
  storyPlayer.open(parsed.story);
  return storyPlayer;
}
