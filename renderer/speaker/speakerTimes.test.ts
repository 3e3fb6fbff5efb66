import {describe, expect, test} from 'vitest';
import type {AudienceState, ShownStory} from './messages.ts';
import {followedText, leaderOf, leftS, minutesText, plannedS, shareOf} from './speakerTimes.ts';

const step = (fromS: number, toS: number, plannedS: number | null) => ({
  text: '',
  notes: '',
  spanS: [fromS, toS] as const,
  plannedS,
  still: null,
});
const story = (startedMs: number, more: Partial<ShownStory> = {}): ShownStory => ({
  title: 'x',
  startedMs,
  step: 1,
  steps: [step(0, 4, 10), step(4, 8, 20), step(8, 12, 30)],
  ...more,
});
const state = (openedMs: number, shown: ShownStory | null): AudienceState => ({
  revision: 1,
  openedMs,
  story: shown,
  tS: 0,
  isPlaying: false,
  isPresenting: false,
  isBlank: false,
  hasDialog: false,
});

describe('the window that leads', () => {
  test('is the one whose story was started last, whenever it was opened', () => {
    const windows = [
      ['a', state(1, story(50))],
      ['b', state(9, story(40))],
      ['c', state(99, null)],
    ] as const;
    expect(leaderOf(windows)?.[0]).toBe('a');
    expect(leaderOf(windows.toReversed())?.[0]).toBe('a');
  });
  test('is the one that was opened last if none shows a story', () => {
    expect(
      leaderOf([
        ['a', state(2, null)],
        ['b', state(1, null)],
      ])?.[0],
    ).toBe('a');
    expect(leaderOf([])).toBeNull();
  });
  test('is named if there are others', () => {
    expect(followedText(1, state(1, null))).toBe('');
    expect(followedText(2, state(1, null))).toContain('follows the one that was opened last');
    expect(followedText(2, state(1, story(1)))).toContain('follows the one that started its story last');
  });
});

describe('the time that is left', () => {
  test('is the rest of the step and the planned durations of the steps after it', () => {
    expect(leftS(story(0), 4, 1000, null)).toBe(50);
    expect(leftS(story(0), 5, 1000, null)).toBe(45);
    expect(leftS(story(0), 99, 1000, null)).toBe(30);
    expect(plannedS(story(0))).toBe(60);
  });
  test('is the rest of the duration that the speaker has set, also if the speaker is late', () => {
    expect(leftS(story(0), 4, 70, 120)).toBe(50);
    expect(leftS(story(0), 4, 130, 120)).toBe(-10);
  });
  test('is not known until the durations of all steps that are left are known', () => {
    const steps = [step(0, 4, null), step(4, 8, 20), step(8, 12, 30)];
    expect(leftS(story(0, {steps}), 4, 0, null)).toBe(50);
    expect(plannedS(story(0, {steps}))).toBeNull();
    expect(leftS(story(0, {steps: [...steps.slice(0, 2), step(8, 9, null)]}), 4, 0, null)).toBeNull();
  });
});

test('the share of a step that has played is within 0 and 1', () => {
  expect([0, 4, 5, 8, 9].map(tS => shareOf({spanS: [4, 8]}, tS))).toEqual([0, 0, 0.25, 1, 1]);
  expect(shareOf({spanS: null}, 5)).toBe(0);
});

test('durations are minutes and seconds', () => {
  expect([0, 5, 65, 3599.6, -7, -0.2].map(minutesText)).toEqual(['0:00', '0:05', '1:05', '60:00', '−0:07', '0:00']);
});
