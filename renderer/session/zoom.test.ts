import {describe, expect, test} from 'vitest';
import {panned, type TimeWindow, wholeRun, zoomed} from './zoom.ts';

const S = 1e9;
const END = 20 * S;
const WINDOW: TimeWindow = [4 * S, 8 * S];

describe('zooming', () => {
  test('keeps the time around which it zooms', () => {
    expect(zoomed(WINDOW, 0.5, 5 * S, END)).toEqual([4.5 * S, 6.5 * S]);
    expect(zoomed(WINDOW, 2, 7 * S, END)).toEqual([1 * S, 9 * S]);
  });

  test('shows at most the whole run, and at least a millisecond', () => {
    expect(zoomed(WINDOW, 100, 5 * S, END)).toBeNull();
    const [fromNs = 0, toNs = 0] = zoomed(WINDOW, 1e-9, 5 * S, END) ?? [];
    expect(toNs - fromNs).toBeCloseTo(1e6);
  });

  test('stays within the run', () => {
    expect(zoomed(WINDOW, 4, 8 * S, END)).toEqual([0, 16 * S]);
    const [, lastNs] = wholeRun(END);
    expect(zoomed([16 * S, 20 * S], 2, 16 * S, END)).toEqual([lastNs - 8 * S, lastNs]);
  });
});

test('the whole of a short run fills the timeline, and a run in which nothing happens has an axis, too', () => {
  expect(wholeRun(0.2 * S)).toEqual([0, expect.closeTo(0.204 * S)]);
  expect(wholeRun(0)).toEqual([0, expect.closeTo(1.02 * S)]);
});

describe('panning', () => {
  test('moves by a share of what is shown', () => {
    expect(panned(WINDOW, 0.25, END)).toEqual([5 * S, 9 * S]);
    expect(panned(WINDOW, -0.25, END)).toEqual([3 * S, 7 * S]);
  });

  test('stops at the run’s ends; the whole run cannot be moved', () => {
    const [, lastNs] = wholeRun(END);
    expect(panned(WINDOW, -10, END)).toEqual([0, 4 * S]);
    expect(panned(WINDOW, 10, END)).toEqual([lastNs - 4 * S, lastNs]);
    expect(panned(wholeRun(END), 0.25, END)).toBeNull();
  });
});
