import {expect, test} from 'vitest';
import type {PageSnapshot} from '../../app/page/page.ts';
import type {PageQuality} from '../../app/run/quality/pageQuality.ts';
import {type MeasureQuality, Qualities, type QualityState} from './qualities.ts';

// Pages are shown one after the other, and are measured when the test says so.

test('a page is measured once, and its quality is known when it is shown again', async () => {
  const window = openWindow();
  await window.show('a');
  expect(window.state).toEqual({quality: null, qualityProgress: {done: 0, all: 2}});
  window.measuring[0]?.tell(1);
  expect(window.state.qualityProgress).toEqual({done: 1, all: 2});
  // another run of the same page
  await window.show('a');
  expect(window.state.qualityProgress).toEqual({done: 1, all: 2});
  await window.measuring[0]?.end(QUALITY);
  expect(window.state).toEqual({quality: QUALITY, qualityProgress: null});
  await window.show('b');
  expect(window.state.quality).toBeNull();
  await window.show('a');
  expect(window.state).toEqual({quality: QUALITY, qualityProgress: null});
  expect(window.measuring.map(({name}) => name)).toEqual(['a', 'b']);
});

test('a page that is no longer shown is no longer measured, and a late result is ignored', async () => {
  const window = openWindow();
  await window.show('a');
  await window.show('b');
  const [first, second] = window.measuring;
  expect([first?.signal.aborted, second?.signal.aborted]).toEqual([true, false]);
  first?.tell(2);
  await first?.end(QUALITY);
  expect(window.state).toEqual({quality: null, qualityProgress: {done: 0, all: 2}});
  await window.show('a');
  expect(window.measuring.map(({name}) => name)).toEqual(['a', 'b', 'a']);
});

test('a page that cannot be measured is tried once, and then has no progress', async () => {
  const window = openWindow();
  await window.show('a');
  await window.measuring[0]?.end(null);
  expect(window.state).toEqual({quality: null, qualityProgress: null});
  await window.show('a');
  expect(window.measuring).toHaveLength(1);
});

test('without `measure` nothing is measured', () => {
  const qualities = new Qualities(null, () => undefined);
  expect(qualities.of(pageOf('a'), UNKNOWN)).toEqual(UNKNOWN);
});

interface Measuring {
  readonly name: string;
  readonly signal: AbortSignal;
  readonly tell: (done: number) => void;
  /** Finishes measuring; without a quality, measuring fails. */
  readonly end: (quality: PageQuality | null) => Promise<void>;
}

function openWindow() {
  const measuring: Measuring[] = [];
  const measure: MeasureQuality = ({name}, {onProgress, signal}) =>
    new Promise((resolve, reject) => {
      measuring.push({
        name,
        signal: signal ?? AbortSignal.abort(),
        tell: done => onProgress?.(done, 2),
        end: quality => {
          if (quality === null) reject(new Error('no canvas'));
          else resolve(quality);
          return settle();
        },
      });
    });
  let state = UNKNOWN;
  const qualities = new Qualities(measure, change => {
    state = {...state, ...change};
  });
  return {
    measuring,
    get state() {
      return state;
    },
    show: (name: string) => {
      state = qualities.of(pageOf(name), state);
      return settle();
    },
  };
}

const UNKNOWN: QualityState = {quality: null, qualityProgress: null};
const QUALITY: PageQuality = {screen: {width: 1, height: 1}, objects: [null, null]};

function pageOf(name: string): PageSnapshot {
  const object = {url: '/', contentType: 'text/html', body: null};
  return {name, objects: [object, object], headerBytes: 0, requestBytes: 0, hash: name, leftOut: []};
}

/** Resolves when all pending promises are settled. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise(resolve => setTimeout(resolve));
}
