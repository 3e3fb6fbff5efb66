import {expect, test} from 'vitest';
import {frameTimes, resultsFromNs, spanOf} from './frameTimes.ts';
import {DEFAULT_MOVIE, type MovieOptions} from './options.ts';

const movie = (part: Partial<MovieOptions>): MovieOptions => ({...DEFAULT_MOVIE, ...part});

test('a movie lasts (to − from) / speed, rounded to whole frames', () => {
  for (const [fps, speed, toS, frames] of [
    [30, 1, 7, 210],
    [24, 0.5, 3, 144],
    [60, 4, 1, 15],
    [30, 1, 1.01, 30],
    [25, 1, 0.001, 1],
  ] as const) {
    const options = movie({fps, speed, fromS: 0, toS});
    expect(spanOf(options, 20e9)).toEqual({fromNs: 0, toNs: toS * 1e9, frames, speed});
  }
});

test('frame k shows the run at the time start + k · speed / fps', () => {
  const options = movie({fps: 30, speed: 0.5, fromS: 2, toS: 4});
  const {fromNs, frames} = spanOf(options, 20e9);
  expect(frames).toBe(120);
  const times = frameTimes([{scene: 0, fromNs, speed: 0.5, frames}], 30);
  expect(times).toHaveLength(120);
  expect([times[0], times[60]]).toEqual([
    {scene: 0, frame: 0, tNs: 2e9},
    {scene: 0, frame: 60, tNs: 3e9},
  ]);
  // the last frame ends at the end of the movie
  expect((times[119]?.tNs ?? 0) + (0.5 * 1e9) / 30).toBeCloseTo(4e9, -1);
});

test('frames are numbered across segments, and all frames of a segment with speed 0 show the same time', () => {
  const times = frameTimes(
    [
      {scene: 0, fromNs: 1e9, speed: 2, frames: 2},
      {scene: 0, fromNs: 5e9, speed: 0, frames: 2},
      {scene: 1, fromNs: 0, speed: 1, frames: 1},
    ],
    10,
  );
  expect(times.map(({frame, scene, tNs}) => [frame, scene, tNs])).toEqual([
    [0, 0, 1e9],
    [1, 0, 1.2e9],
    [2, 0, 5e9],
    [3, 0, 5e9],
    [4, 1, 0],
  ]);
});

test('a movie of the whole run has a title card and a results card, whose durations do not depend on the speed', () => {
  for (const speed of [0.25, 1, 4]) {
    const options = movie({speed});
    const {fromNs, toNs} = spanOf(options, 20e9);
    expect(-fromNs / speed).toBe(3e9);
    expect((resultsFromNs(options, 20e9) - 20e9) / speed).toBe(1.5e9);
    expect((toNs - resultsFromNs(options, 20e9)) / speed).toBe(5e9);
  }
});

test('the automatic speed slows a short run down, but does not make the cards longer', () => {
  const options = movie({speed: 'auto'});
  const {fromNs, toNs, frames, speed} = spanOf(options, 0.4e9);
  expect(speed).toBe(1 / 25);
  expect(-fromNs / speed).toBeCloseTo(3e9);
  expect((toNs - 0.4e9) / speed).toBeCloseTo(6.5e9);
  expect(frames / 30).toBeCloseTo(3 + 10 + 6.5);
  const times = frameTimes([{scene: 0, fromNs, speed, frames}], 30);
  expect((times[30]?.tNs ?? 0) - fromNs).toBeCloseTo(1e9 / 25, -1);
});

test('a card that is switched off takes no time', () => {
  const {fromNs, toNs} = spanOf(movie({title: false, results: false}), 20e9);
  expect([fromNs, toNs]).toEqual([0, 21.5e9]);
});

test('a movie that ends before it begins has no frames', () => {
  expect(spanOf(movie({fromS: 60}), 20e9)).toEqual({fromNs: 60e9, toNs: 26.5e9, frames: 0, speed: 1});
  expect(spanOf(movie({toS: -5}), 20e9)).toMatchObject({fromNs: -3e9, frames: 0});
});
