import {expect, test} from 'vitest';
import {frameNs, resultsFromNs, spanOf} from './frames.ts';
import {DEFAULT_MOVIE, type MovieOptions} from './options.ts';

const movie = (part: Partial<MovieOptions>): MovieOptions => ({...DEFAULT_MOVIE, ...part});

test('a movie lasts (to − from) / speed, to a frame', () => {
  for (const [fps, speed, toS, frames] of [
    [30, 1, 7, 210],
    [24, 0.5, 3, 144],
    [60, 4, 1, 15],
    [30, 1, 1.01, 30],
    [25, 1, 0.001, 1],
  ] as const) {
    const options = movie({fps, speed, fromS: 0, toS});
    expect(spanOf(options, 20e9)).toEqual({fromNs: 0, toNs: toS * 1e9, frames});
  }
});

test('frame k shows t = from + k · speed / fps', () => {
  const options = movie({fps: 30, speed: 0.5, fromS: 2, toS: 4});
  const span = spanOf(options, 20e9);
  expect(span.frames).toBe(120);
  expect(frameNs(options, span, 0)).toBe(2e9);
  expect(frameNs(options, span, 60)).toBe(3e9);
  // the last one ends where the movie does
  expect(frameNs(options, span, 119) + (0.5 * 1e9) / 30).toBeCloseTo(4e9, -1);
});

test('the whole run has the cards around it, as long at any speed', () => {
  for (const speed of [0.25, 1, 4]) {
    const options = movie({speed});
    const {fromNs, toNs} = spanOf(options, 20e9);
    expect(-fromNs / speed).toBe(3e9);
    expect((resultsFromNs(options, 20e9) - 20e9) / speed).toBe(1.5e9);
    expect((toNs - resultsFromNs(options, 20e9)) / speed).toBe(5e9);
  }
});

test('a card that is not wanted takes no time', () => {
  const {fromNs, toNs} = spanOf(movie({title: false, results: false}), 20e9);
  expect([fromNs, toNs]).toEqual([0, 21.5e9]);
});

test('a movie that ends before it begins has no frames', () => {
  expect(spanOf(movie({fromS: 60}), 20e9)).toEqual({fromNs: 60e9, toNs: 26.5e9, frames: 0});
  expect(spanOf(movie({toS: -5}), 20e9)).toMatchObject({fromNs: -3e9, frames: 0});
});
