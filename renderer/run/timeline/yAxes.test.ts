import {describe, expect, test} from 'vitest';
import {DEFAULT_THRESHOLDS} from '../../../app/run/quality/states.ts';
import {smallQuality} from '../../../app/run/quality/testing/smallQuality.ts';
import {smallTrace} from '../../../app/run/trace/testing/smallTrace.ts';
import {Trace} from '../../../app/run/trace/trace.ts';
import {scansPercent, yAxisOf} from './yAxes.ts';

const trace = new Trace(smallTrace());
const eye = {quality: smallQuality(), thresholds: DEFAULT_THRESHOLDS};
const MS = 1e6;

describe('the scans axis', () => {
  test('counts complete scans, and the share of bytes of the current scan', () => {
    const at = (bytes: number) => scansPercent([90, 400], bytes);
    expect([0, 45, 90, 245, 400].map(at)).toEqual([0, 25, 50, 75, 100]);
    expect(scansPercent([400], 100)).toBe(25);
    expect(scansPercent([], 100)).toBe(0);
  });

  test('has a line for the page, which is the mean of the page’s objects', () => {
    const {pageSteps} = yAxisOf({axis: 'scans', eye});
    const second = 100 * ((1 + 10 / 310) / 2);
    const steps = pageSteps(trace).map(({x, y}) => [x / MS, y]);
    expect(steps).toEqual([
      [20, 0],
      [20, 50],
      [30, 50],
      [30, expect.closeTo(50 + second / 2)],
      [70, expect.closeTo(50 + second / 2)],
      [70, 100],
      [70, 100],
    ]);
  });
});

describe('the visual axis', () => {
  const axis = yAxisOf({axis: 'visual', eye});

  test('shows how much of an object its first bytes make visible; invisible objects have no line', () => {
    expect([0, 50, 100, 299, 400].map(bytes => axis.percentOf(trace, 1, bytes))).toEqual([0, 30, 60, 60, 100]);
    expect(axis.percentOf(trace, 2, 50)).toBeNull();
  });

  test('has a line for the page, weighted by area: three quarters are text', () => {
    expect(axis.hasPageLine).toBe(true);
    expect(axis.pageSteps(trace).map(({x, y}) => [x / MS, y])).toEqual([
      [20, 0],
      [20, 75],
      [30, 75],
      [30, expect.closeTo(75 + 15)],
      [70, expect.closeTo(75 + 15)],
      [70, 100],
      [70, 100],
    ]);
  });
});

test.each([
  ['while pictures are measured', null, /measured…/],
  ['if nothing can be seen', {...eye, quality: {...eye.quality, objects: [null, null]}}, /nothing can be seen/],
])('%s, the axis is bytes, and a note says so', (_, eye, words) => {
  for (const axis of ['scans', 'visual'] as const) {
    const shown = yAxisOf({axis, eye});
    expect(shown).toMatchObject({name: 'bytes', words: expect.stringMatching(words)});
    expect(shown.percentOf(trace, 1, 100)).toBe(25);
  }
  expect(yAxisOf({axis: 'bytes', eye}).words).toBe('');
});
