import {expect, test} from 'vitest';
import {smallTrace} from '../../run/trace/testing/smallTrace.ts';
import {Trace} from '../../run/trace/trace.ts';
import {betweenArrivalsMs} from './measures.ts';
import {CONCURRENCY, pageSteps} from './n07Concurrency.ts';
import {MOVIES} from './n07Movies.ts';
import type {Paper} from './paper.ts';
import {r02} from './r02.ts';

function measured(kept: Paper['grids'][number]['kept'] | undefined, trace: Trace, name: string): number | null {
  const measure = kept !== undefined && 'measures' in kept ? kept.measures.find(each => each.name === name) : undefined;
  if (measure === undefined) throw new Error(`no measure ${name}`);
  return measure.of(trace);
}

/**
 * The small trace, a hundred times as slow: 25 % of its only picture has arrived after 3 s, and the whole picture after
 * 7 s.
 */
function slowTrace(): Trace {
  const data = smallTrace();
  const slow = (ns: number): number => 100 * ns;
  return new Trace({
    ...data,
    objects: data.objects.map(object => ({
      ...object,
      requestNs: slow(object.requestNs ?? 0),
      completeNs: slow(object.completeNs ?? 0),
    })),
    deliveries: {...data.deliveries, atNs: data.deliveries.atNs.map(slow)},
  });
}

test('a file has two times, one from its own request and one from the first request', () => {
  // the files are requested at 10 and 20 ms, and complete at 20 and 70 ms
  const {kept} = r02.grids.find(({name}) => name === 'files') ?? {};
  const of = (name: string) => measured(kept, new Trace(smallTrace()), name);
  expect(['latency1Ms', 'arrival1Ms', 'latency2Ms', 'arrival2Ms'].map(of)).toEqual([10, 10, 50, 60]);
  // the page has no third file
  expect(of('latency3Ms')).toBeNull();
});

test('a picture of the movies is good from 25 % of its bytes on, and complete with all of them', () => {
  const of = (name: string) => measured(MOVIES.kept, slowTrace(), name);
  // the HTML does not count as a picture
  expect(['shownAt7s', 'goodAt6s', 'completeAt4s', 'completeAt6s', 'completeAt7s'].map(of)).toEqual([1, 1, 0, 0, 1]);
  const early = slowTrace().data;
  const little = {...early.deliveries, bytes: Float64Array.of(100, 99, 400)};
  const trace = new Trace({...early, deliveries: little});
  expect(['goodAt6s', 'shownAt7s'].map(name => measured(MOVIES.kept, trace, name))).toEqual([0, 1]);
});

test('a file’s step is its time minus that of the file before it in the same run', () => {
  const {kept} = r02.grids.find(({name}) => name === 'files') ?? {};
  const of = (name: string) => measured(kept, new Trace(smallTrace()), name);
  expect(['latencyStepTo2Ms', 'arrivalStepTo2Ms'].map(of)).toEqual([40, 50]);
  expect(of('latencyStepTo3Ms')).toBeNull();
});

test('objects count as partly received from their first byte until they are complete', () => {
  const most = (...times: readonly (readonly [fromMs: number | null, toMs: number | null])[]) => {
    const data = smallTrace();
    const [index, picture] = data.objects;
    if (index === undefined || picture === undefined) throw new Error('two objects');
    const ns = (ms: number | null) => (ms === null ? null : ms * 1e6);
    const objects = times.map(([from, to]) => ({...picture, firstByteNs: ns(from), completeNs: ns(to)}));
    return measured(CONCURRENCY.kept, new Trace({...data, objects: [index, ...objects]}), 'atOnce');
  };
  expect(most([20, 40], [30, 50], [40, 60])).toBe(2);
  expect(most([20, 60], [30, 50], [40, 60])).toBe(3);
  // an object whose bytes all arrive at once is never partly received
  expect([most([20, 20], [20, 20]), most([20, 30], [30, 30]), most()]).toEqual([0, 1, 0]);
});

test('a step of PPage is the time from one P to the next', () => {
  const {kept} = pageSteps([]);
  const of = (name: string) => measured(kept, slowTrace(), name);
  // 25 % arrive after 3 s, and the rest after 7 s
  expect(['p25To50PageMs', 'p50To75PageMs', 'p75To100PageMs'].map(of)).toEqual([4000, 0, 0]);
});

test('measures say whether a run reaches at least, and at most, the number of pictures in N07’s stills', () => {
  const of = (name: string) => measured(MOVIES.kept, slowTrace(), name);
  expect(['completeAt6sAtLeast1to1', 'completeAt6sAtMost1to1'].map(of)).toEqual([0, 1]);
  expect(['completeAt4sAtLeast1to10', 'completeAt4sAtMost1to10'].map(of)).toEqual([0, 1]);
  expect(['goodAt7sAtLeast4to7', 'goodAt7sAtMost4to7'].map(of)).toEqual([0, 1]);
});

test('a movie’s end is compared with N07’s within 15 %', () => {
  const of = (name: string) => measured(MOVIES.kept, slowTrace(), name);
  // 7 s is below 9 · 0.85 and below 9 · 1.15
  expect(['wholePageS', 'endsFrom9s', 'endsBy9s'].map(of)).toEqual([7, 0, 1]);
  const never = new Trace({...slowTrace().data, outcome: 'aborted'});
  expect(['wholePageS', 'endsBy9s'].map(name => measured(MOVIES.kept, never, name))).toEqual([null, null]);
});

test('the time between arrivals is the longest gap from the first arrival to the end of the page', () => {
  const data = smallTrace();
  // packets arrive at 20, 30, 40 and 70 ms; the loss at 25 ms and the arrival at the server at 5 ms do not count
  expect(betweenArrivalsMs(new Trace(data))).toBe(30);
  expect(betweenArrivalsMs(new Trace({...data, endNs: 69e6}))).toBe(10);
  expect(betweenArrivalsMs(new Trace({...data, outcome: 'time-limit'}))).toBeNull();
});
