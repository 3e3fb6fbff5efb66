import {expect, test} from 'vitest';
import {smallTrace} from '../trace/testing/smallTrace.ts';
import {Trace} from '../trace/trace.ts';
import {type ObjectQuality, picturesOf} from './pageQuality.ts';
import {countStates, DEFAULT_THRESHOLDS} from './states.ts';
import {smallQuality} from './testing/smallQuality.ts';
import {measureVisual} from './visual.ts';

const trace = new Trace(smallTrace());

/** The small page, with a picture that covers this area of the first screen. */
function qualityOf(area: number) {
  const {screen, objects} = smallQuality();
  return {screen, objects: [objects[0] ?? null, {...(objects[1] as ObjectQuality), area}]};
}

test.each([
  ['a picture of 64 × 64 px', 64 * 64, 1],
  ['a smaller logo', 64 * 64 - 1, 0],
  ['a picture below the first screen', 0, 1],
])('%s counts the same in every function that counts pictures', (_, area, count) => {
  const quality = qualityOf(area);
  expect(picturesOf(trace, quality).map(([object]) => object)).toEqual([1].slice(0, count));
  expect(countStates(trace, quality, DEFAULT_THRESHOLDS, 70e6)).toEqual({
    pictures: count,
    recognisable: count,
    good: count,
    complete: count,
  });
  expect(measureVisual(trace, quality, DEFAULT_THRESHOLDS).goodMs).toBe(count === 0 ? null : 70);
});
