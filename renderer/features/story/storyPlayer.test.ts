import {afterEach, beforeEach, describe, expect, test, vi} from 'vitest';
import type {Host} from '../../../app/host/contract.ts';
import {durationOf} from '../../../app/telling/story/stepTimes.ts';
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

test('a new step that is made from the screen becomes the current step', () => {
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

  /**
   * A story in a window whose runs end at 10 s. By default it has three steps: from 1 s to 4 s, from 4 s to the end,
   * and from 4 s to 5 s.
   */
  function told(steps: readonly object[] = [{from: 1, to: 4}, {from: 4}, {from: 4, to: 5}]) {
    const player = new Player();
    const waiting: StepOpening[] = [];
    const storyPlayer = playerIn({player, openStep: opening => waiting.push(opening)}, steps);
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

  test('with the first press finishes a step that plays, and with the second press leaves the step', () => {
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

  test('returns to the start of a step that plays, and the next press plays the step again', () => {
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

  test('with the first press leaves a step that begins after the end of its run, because it does not play', () => {
    const {player, storyPlayer, show, state} = told([{from: 4000}, {from: 1}]);
    show();
    expect(state()).toEqual([0, 10, false]);
    storyPlayer.next();
    show();
    expect(state()).toEqual([1, 1, true]);
    player.pause();
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

describe('a story that plays by itself', () => {
  // the tests own the clock, and with it the frames
  beforeEach(() => {
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'performance'],
    });
    vi.stubGlobal('requestAnimationFrame', (frame: FrameRequestCallback) =>
      setTimeout(() => frame(performance.now()), 16),
    );
    vi.stubGlobal('cancelAnimationFrame', clearTimeout);
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });

  /**
   * Three steps. Each has a text of 30 characters, which takes 2 s to read. The steps play for 2 s, for 0.5 s, and to
   * the end of the run.
   */
  const STEPS = [
    {from: 1, to: 3, text: 'x'.repeat(30)},
    {from: 3, to: 4, speed: 2, text: 'x'.repeat(30)},
    {from: 8, text: 'x'.repeat(30)},
  ];

  /** A window whose runs end at 10 s and are on screen at once. */
  function watched(isCalm = false, steps: readonly object[] = STEPS) {
    const player = new Player();
    const times: number[] = [];
    const openStep = (opening: StepOpening): void => {
      const trace = {data: {endNs: 10e9}, droppedPackets: () => []};
      player.setEnd(10e9);
      void player.seek(opening.fromNs);
      opening.onShown({scenario: opening.scenario, page: {objects: []}, traces: [trace]} as unknown as ShownRun);
    };
    const storyPlayer = playerIn({player, openStep, isCalm: () => isCalm}, steps, {playsByItself: true});
    player.onTime(tNs => void times.push(tNs));
    const state = () => {
      const {step, playsByItself} = storyPlayer.store.getState();
      return [step, player.tNs / 1e9, player.state.isPlaying, playsByItself];
    };
    return {player, storyPlayer, state, times};
  }

  test('plays each step, then holds it so that its text can be read, and goes on to the end', () => {
    const {state, storyPlayer} = watched();
    expect(state()).toEqual([0, 1, true, true]);
    vi.advanceTimersByTime(2040);
    expect(state()).toEqual([0, 3, false, true]);
    vi.advanceTimersByTime(1420);
    expect(state()).toEqual([0, 3, false, true]);
    vi.advanceTimersByTime(80);
    expect(state()).toMatchObject([1, {}, true, true]);
    vi.advanceTimersByTime(540);
    expect(state()).toEqual([1, 4, false, true]);
    vi.advanceTimersByTime(1540);
    expect(state()).toMatchObject([2, {}, true, true]);
    vi.advanceTimersByTime(2040);
    expect(state()).toEqual([2, 10, false, true]);
    vi.advanceTimersByTime(1520);
    expect(state()).toEqual([2, 10, false, false]);
    // and again from the start
    storyPlayer.playByItself();
    expect(state()).toEqual([0, 1, true, true]);
  });

  test('takes as long as the movie and the speaker view plan, plus at most one frame for each step', () => {
    const {storyPlayer} = watched();
    const {story} = storyPlayer.store.getState();
    const startMs = performance.now();
    while (storyPlayer.store.getState().playsByItself) vi.advanceTimersByTime(1);
    const seconds = (performance.now() - startMs) / 1000;
    const planned = durationOf(story as Story, [10e9, 10e9, 10e9]);
    expect(planned).toBe(9);
    expect(seconds).toBeGreaterThanOrEqual(planned);
    expect(seconds).toBeLessThan(planned + 3 * 0.017);
  });

  type Watched = ReturnType<typeof watched>;
  test.each<[string, (watched: Watched) => void, unknown[]]>([
    ['Page Down, which finishes a step', ({storyPlayer}) => storyPlayer.next(), [0, 3, false, false]],
    ['Page Up', ({storyPlayer}) => storyPlayer.back(), [0, 1, false, false]],
    ['Space', ({storyPlayer}) => storyPlayer.takeOver(), [0, 2, false, false]],
    ['a pause', ({player}) => player.pause(), [0, 2, false, false]],
    ['the scrubber', ({player}) => [player.pause(), player.seek(1.5e9)], [0, 1.5, false, false]],
    ['the panel', ({storyPlayer}) => storyPlayer.togglePanel(), [0, 2, false, false]],
  ])('while a step plays, the user takes over with %s', (_, act, after) => {
    const own = watched();
    vi.advanceTimersByTime(1000);
    act(own);
    const [step, t, ...others] = own.state();
    expect([step, Math.round(Number(t) * 10) / 10, ...others]).toEqual(after);
    vi.advanceTimersByTime(60_000);
    expect(own.state()).toEqual([step, t, ...others]);
  });

  test.each<[string, (watched: Watched) => void, unknown[]]>([
    ['Page Down, which leaves the step', ({storyPlayer}) => storyPlayer.next(), [1, 4, false, false]],
    ['Page Up', ({storyPlayer}) => storyPlayer.back(), [0, 3, false, false]],
    ['Space', ({storyPlayer}) => storyPlayer.takeOver(), [0, 3, false, false]],
    ['the scrubber', ({player}) => [player.pause(), player.seek(1.5e9)], [0, 1.5, false, false]],
    ['the play button', ({player}) => player.play(), [0, 10, false, false]],
    ['Escape', ({storyPlayer}) => storyPlayer.end(), [0, 3, false, false]],
  ])('while a step is held, the user takes over with %s', (_, act, after) => {
    const own = watched();
    vi.advanceTimersByTime(3000);
    expect(own.state()).toEqual([0, 3, false, true]);
    act(own);
    expect(own.storyPlayer.store.getState().playsByItself).toBe(false);
    vi.advanceTimersByTime(60_000);
    expect(own.state()).toEqual(after);
  });

  test('goes on by itself from where the user has left it', () => {
    const {storyPlayer, player, state} = watched();
    vi.advanceTimersByTime(1000);
    storyPlayer.takeOver();
    storyPlayer.playByItself();
    expect(player.state.isPlaying).toBe(true);
    vi.advanceTimersByTime(3000);
    expect(state()).toMatchObject([1, {}, true, true]);
    storyPlayer.next();
    expect(state()).toEqual([1, 4, false, false]);
    storyPlayer.playByItself();
    expect(state()).toEqual([2, 8, true, true]);
  });

  test('holds a step that begins at or after the end of its run, and then goes on', () => {
    for (const from of [10, 4000]) {
      const {state, times} = watched(false, [{from, text: 'x'.repeat(30)}, {from: 8}]);
      expect(state()).toEqual([0, 10, false, true]);
      vi.advanceTimersByTime(1990);
      expect(state()).toEqual([0, 10, false, true]);
      vi.advanceTimersByTime(20);
      expect(state()).toMatchObject([1, {}, true, true]);
      expect(Math.min(...times)).toBe(8e9);
    }
  });

  test('with reduced motion shows the last picture of each step for as long as the step takes', () => {
    const {state, times} = watched(true);
    expect(state()).toEqual([0, 3, false, true]);
    vi.advanceTimersByTime(3490);
    expect(state()).toEqual([0, 3, false, true]);
    vi.advanceTimersByTime(20);
    expect(state()).toEqual([1, 4, false, true]);
    vi.advanceTimersByTime(2010);
    expect(state()).toEqual([2, 10, false, true]);
    vi.advanceTimersByTime(3510);
    expect(state()).toEqual([2, 10, false, false]);
    // the start and the end of each step, and nothing between them
    expect([...new Set(times)]).toEqual([3e9, 4e9, 8e9, 10e9]);
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
function playerIn(
  own: Partial<StoryWindow>,
  documents: readonly object[],
  how: Parameters<StoryPlayer['open']>[1] = {},
): StoryPlayer {
  const host: Partial<Host> = {keepDraft: async () => ({ok: true, revision: 1})};
  const storyPlayer = new StoryPlayer(host as Host, {...WINDOW, player: new Player(), ...own});
  const steps = documents.map((document, k) => ({...(k === 0 ? {scenario: 'n07-movie'} : {}), ...document}));
  const parsed = parseStory({story: 1, title: 'x', steps});
  if (!parsed.ok) throw new Error(parsed.problems[0].message);
  storyPlayer.open(parsed.story, how);
  return storyPlayer;
}

function nothing(): void {}

/** A window that does nothing. */
const WINDOW: Omit<StoryWindow, 'player'> = {
  openStep: nothing,
  endSteps: nothing,
  openMenu: nothing,
  closeMenu: nothing,
  isCalm: () => false,
  chooseLoss: nothing,
  showMessage: nothing,
};
