import {describe, expect, test} from 'vitest';
import type {Failure} from '../../page/failure.ts';
import {smallTrace} from '../trace/testing/smallTrace.ts';
import {Trace} from '../trace/trace.ts';
import {type QualityCurve, qualityAt} from './curve.ts';
import {type ObjectQuality, type PageQuality, seenAs} from './pageQuality.ts';
import {checkThresholds, countStates, DEFAULT_THRESHOLDS, pictureStateAt} from './states.ts';
import {smallQuality} from './testing/smallQuality.ts';
import {measureVisual, progressSteps, qualitySteps} from './visual.ts';

const MS = 1e6;
const thresholds = {recognisable: 0.6, good: 0.8};

describe('a curve', () => {
  const curve: QualityCurve = [
    [50, 0.3],
    [90, 0.6],
    [400, 1],
  ];

  test('has the quality of the largest measured prefix', () => {
    expect([0, 49, 50, 89, 90, 399, 400, 500].map(bytes => qualityAt(curve, bytes))).toEqual([
      0, 0, 0.3, 0.3, 0.6, 0.6, 1, 1,
    ]);
  });

  test('is 0 without entries; an entry at 0 bytes counts from the start', () => {
    expect([qualityAt([], 100), qualityAt([[0, 1]], 0)]).toEqual([0, 1]);
  });
});

// The text's 30,000 px² are complete at 20 ms. The picture of 10,000 px² has 100 B (0.6) at 30 ms and all at 70 ms.
describe('of the small load', () => {
  const trace = new Trace(smallTrace());
  const quality = smallQuality();

  test('progress is the mean quality, weighted by area', () => {
    expect(progressSteps(trace, quality)).toEqual([
      {atNs: 20 * MS, progress: 0.75},
      {atNs: 30 * MS, progress: 0.9},
      {atNs: 70 * MS, progress: 1},
    ]);
  });

  test('the Speed Index is the area above the curve: 20 · 1 + 10 · 0.25 + 40 · 0.1 ms', () => {
    expect(measureVisual(trace, quality, thresholds).speedIndexMs).toBeCloseTo(26.5, 9);
  });

  test('the page is 85 % complete when the picture is at 0.6, and 100 % with the picture’s last byte', () => {
    expect(measureVisual(trace, quality, thresholds).visuallyCompleteMs).toEqual({85: 30, 100: 70});
  });

  test('the time at which all pictures are recognisable or good is that of the last picture', () => {
    expect(measureVisual(trace, quality, thresholds)).toMatchObject({recognisableMs: 30, goodMs: 70});
    expect(measureVisual(trace, quality, {recognisable: 0.3, good: 0.6})).toMatchObject({goodMs: 30});
    expect(measureVisual(trace, quality, {recognisable: 0.61, good: 0.8})).toMatchObject({
      recognisableMs: 70,
    });
  });

  test('an object has its own steps', () => {
    expect(qualitySteps(trace, quality, 1)).toEqual([
      {atNs: 30 * MS, quality: 0.6},
      {atNs: 70 * MS, quality: 1},
    ]);
  });

  test('a delivery that shows nothing new is no step', () => {
    const flat = withObject(quality, 1, {curve: [[400, 1]]});
    expect(qualitySteps(trace, flat, 1)).toEqual([{atNs: 70 * MS, quality: 1}]);
  });

  test("the state of a picture follows from the quality of its bytes; only a complete picture is 'complete'", () => {
    const statesMs = [0, 29, 30, 69, 70];
    const states = (limits = thresholds) => statesMs.map(ms => pictureStateAt(trace, quality, limits, 1, ms * MS));
    expect(states()).toEqual(['none', 'none', 'recognisable', 'recognisable', 'complete']);
    expect(states({recognisable: 0.3, good: 0.6})).toEqual(['none', 'none', 'good', 'good', 'complete']);
    expect(pictureStateAt(trace, quality, thresholds, 0, 70 * MS)).toBe('none');
  });

  test('a complete picture also counts as good and recognisable', () => {
    const at = (ms: number, limits = thresholds) => countStates(trace, quality, limits, ms * MS);
    expect(at(29)).toEqual({pictures: 1, recognisable: 0, good: 0, complete: 0});
    expect(at(30)).toEqual({pictures: 1, recognisable: 1, good: 0, complete: 0});
    expect(at(30, {recognisable: 0.3, good: 0.6})).toEqual({pictures: 1, recognisable: 1, good: 1, complete: 0});
    expect(at(70)).toEqual({pictures: 1, recognisable: 1, good: 1, complete: 1});
  });

  test('the page is 85 % complete at a progress of 0.85 or more', () => {
    const almost = withObject(quality, 1, {
      curve: [
        [100, 0.41],
        [400, 1],
      ],
    });
    // 0.75 + 0.25 · 0.41 = 0.8525
    expect(measureVisual(trace, almost, thresholds).visuallyCompleteMs[85]).toBe(30);
    const less = withObject(quality, 1, {
      curve: [
        [100, 0.39],
        [400, 1],
      ],
    });
    expect(measureVisual(trace, less, thresholds).visuallyCompleteMs[85]).toBe(70);
  });

  test('all pictures are recognisable only if each of them is', () => {
    const [first, second] = [smallObject(quality, 0), smallObject(quality, 1)];
    const pictures = [{...first, kind: 'picture'} as const, {...second, curve: [[1000, 1]] as const}];
    expect(measureVisual(trace, {...quality, objects: pictures}, thresholds)).toMatchObject({
      recognisableMs: null,
      goodMs: null,
      speedIndexMs: null,
    });
  });

  test('a picture below the first screen counts as a picture, but not for progress', () => {
    const below = withObject(quality, 1, {area: 0});
    expect(measureVisual(trace, below, thresholds)).toEqual({
      recognisableMs: 30,
      goodMs: 70,
      speedIndexMs: 20,
      visuallyCompleteMs: {85: 20, 100: 20},
    });
  });

  test('nothing is visible while a blocking style sheet is incomplete', () => {
    const blocked = {...quality, blocking: [1]};
    expect(progressSteps(trace, blocked)).toEqual([{atNs: 70 * MS, progress: 1}]);
    expect(qualitySteps(trace, blocked, 1)).toEqual([{atNs: 70 * MS, quality: 1}]);
    expect(pictureStateAt(trace, blocked, thresholds, 1, 69 * MS)).toBe('none');
    expect(countStates(trace, blocked, thresholds, 69 * MS)).toMatchObject({pictures: 1, recognisable: 0});
    expect(countStates(trace, blocked, thresholds, 70 * MS)).toMatchObject({recognisable: 1});
    expect(measureVisual(trace, blocked, thresholds).speedIndexMs).toBe(70);
    const never = {...quality, blocking: [7]};
    expect(measureVisual(trace, never, thresholds)).toMatchObject({recognisableMs: null, speedIndexMs: null});
  });

  test('objects that cannot be seen are excluded', () => {
    const textAlone = {...quality, objects: [quality.objects[0] ?? null, null]};
    expect(measureVisual(trace, textAlone, thresholds)).toEqual({
      recognisableMs: null,
      goodMs: null,
      speedIndexMs: 20,
      visuallyCompleteMs: {85: 20, 100: 20},
    });
    expect(countStates(trace, textAlone, thresholds, 70 * MS).pictures).toBe(0);
  });

  test('a first screen with nothing to see has no progress and no Speed Index', () => {
    const nothing = {...quality, objects: [null, null]};
    expect(progressSteps(trace, nothing)).toEqual([]);
    expect(measureVisual(trace, nothing, thresholds)).toEqual({
      recognisableMs: null,
      goodMs: null,
      speedIndexMs: null,
      visuallyCompleteMs: {85: null, 100: null},
    });
  });

  test('progress is 1 exactly when all objects are complete, and not before', () => {
    // With rounding, the sum of the rises of these objects is 1 − 2⁻⁵².
    const objects = [0.1, 0.3, 0.7].map(area => ({...smallObject(quality, 1), area, curve: TENTHS}));
    const three = {...quality, objects};
    const data = smallTrace();
    const trace = new Trace({
      ...data,
      deliveries: {
        object: Uint32Array.of(0, 0, 1, 2, 1, 2),
        atNs: Float64Array.of(1, 2, 3, 4, 5, 6).map(ms => ms * MS),
        bytes: Float64Array.of(100, 1000, 999, 999, 1000, 1000),
        first: Float64Array.of(0, 100, 0, 0, 999, 999),
      },
    });
    const steps = progressSteps(trace, three).map(({progress}) => progress);
    expect(steps).toHaveLength(6);
    expect(steps.at(-1)).toBe(1);
    expect(steps.slice(0, -1).every(progress => progress < 1)).toBe(true);
  });
});

describe('of a load whose pictures were converted', () => {
  const trace = new Trace({...smallTrace(), conversion: 'webp'});
  const [text = null, picture] = smallQuality().objects;
  const whole = picture && {...picture, curve: [[400, 1]] as const};
  const converted = [{conversion: 'webp', objects: [text, whole ?? null]}] as const;
  const quality: PageQuality = {...smallQuality(), converted};

  test('has the quality of the converted pictures', () => {
    expect(qualitySteps(trace, quality, 1)).toEqual([{atNs: 70 * MS, quality: 1}]);
    expect(pictureStateAt(trace, quality, thresholds, 1, 69 * MS)).toBe('none');
    expect(countStates(trace, quality, thresholds, 69 * MS)).toMatchObject({pictures: 1, recognisable: 0});
    expect(measureVisual(trace, quality, thresholds).recognisableMs).toBe(70);
    const served = new Trace(smallTrace());
    expect(measureVisual(served, quality, thresholds).recognisableMs).toBe(30);
  });

  test('an unmeasured conversion has no quality', () => {
    expect(seenAs(quality, 'avif')).toEqual([]);
    expect(measureVisual(trace, smallQuality(), thresholds).recognisableMs).toBeNull();
  });
});

describe('of a load in which the picture stays incomplete', () => {
  const failing = (failure: Failure): Trace => {
    const {objects, deliveries, ...data} = smallTrace();
    const ended = objects.map((object, i) =>
      i === 1 ? {...object, completeNs: null, failedNs: 50 * MS, failure} : object,
    );
    const few = {
      object: deliveries.object.slice(0, 2),
      atNs: deliveries.atNs.slice(0, 2),
      bytes: deliveries.bytes.slice(0, 2),
      first: deliveries.first.slice(0, 2),
    };
    return new Trace({...data, outcome: 'partial', reason: null, objects: ended, deliveries: few});
  };
  const aborted = failing({kind: 'aborted', reason: 'timeout', bytes: 100, ofBytes: 400});

  test('the Speed Index is null, but the states that were reached have their times', () => {
    expect(measureVisual(aborted, smallQuality(), thresholds)).toEqual({
      recognisableMs: 30,
      goodMs: null,
      speedIndexMs: null,
      visuallyCompleteMs: {85: 30, 100: null},
    });
  });

  test('an incomplete picture keeps the state that it reached', () => {
    expect(pictureStateAt(aborted, smallQuality(), thresholds, 1, 60 * MS)).toBe('recognisable');
  });

  test('a picture that is missing in every pane is excluded', () => {
    const missing = failing({kind: 'status', status: 404});
    expect(measureVisual(missing, smallQuality(), thresholds)).toMatchObject({
      recognisableMs: null,
      speedIndexMs: 20,
      visuallyCompleteMs: {100: 20},
    });
    expect(countStates(missing, smallQuality(), thresholds, 70 * MS).pictures).toBe(0);
  });
});

describe('thresholds', () => {
  test('are 0 < recognisable ≤ good ≤ 1', () => {
    for (const right of [DEFAULT_THRESHOLDS, {recognisable: 1, good: 1}, {recognisable: 0.01, good: 0.01}]) {
      expect(checkThresholds(right)).toBe(right);
    }
  });

  test.each([
    [0, 0.8, 'recognisable is 0: must be above 0 and at most 1'],
    [1.1, 1.2, 'recognisable is 1.1: must be above 0 and at most 1'],
    [Number.NaN, 0.8, 'recognisable is NaN: must be above 0 and at most 1'],
    [0.6, 0.5, 'good is 0.5: must be 0.6 (recognisable) to 1'],
    [0.6, 1.01, 'good is 1.01: must be 0.6 (recognisable) to 1'],
    [0.6, Number.NaN, 'good is NaN: must be 0.6 (recognisable) to 1'],
  ])('%d and %d are rejected with the value and the limit', (recognisable, good, message) => {
    expect(() => checkThresholds({recognisable, good})).toThrow(new RangeError(message));
  });
});

/** A curve with values that are not exact in binary. */
const TENTHS: QualityCurve = [
  [100, 0.1],
  [999, 0.7],
  [1000, 1],
];

function smallObject(quality: PageQuality, object: number): ObjectQuality {
  const seen = quality.objects[object];
  if (seen == null) throw new Error(`nothing is seen of ${object}`);
  return seen;
}

function withObject(quality: PageQuality, object: number, change: Partial<ObjectQuality>): PageQuality {
  const objects = quality.objects.map((seen, i) => (i === object && seen ? {...seen, ...change} : seen));
  return {...quality, objects};
}
