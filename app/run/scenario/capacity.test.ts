import {expect, test} from 'vitest';
import {packedTrace} from '../link/packedTrace.ts';
import {capacityOver} from './capacity.ts';
import {parseScenario, type Scenario} from './scenario.ts';

const SECOND = 1e9;

function scenario(document: object): Scenario {
  const parsed = parseScenario(document);
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return parsed.scenario;
}

const STEPS = packedTrace({
  kind: 'steps',
  rows: [
    [0, 1e6],
    [500, 4e6],
  ],
  periodMs: 2000,
});

function own(more: object = {}): object {
  return {name: 'mine.csv', packed: STEPS, ...more};
}

test('the capacity over time is undefined if the rate does not change in this time', () => {
  expect(capacityOver(scenario({}), 'down', SECOND)).toBeUndefined();
  expect(capacityOver(scenario({changes: [{atMs: 100, path: {loss: 0.1}}]}), 'down', SECOND)).toBeUndefined();
  expect(capacityOver(scenario({changes: [{atMs: 2000, path: {rateBps: 5}}]}), 'down', SECOND)).toBeUndefined();
});

test('a change of the rate is a step in its direction', () => {
  const changed = scenario({path: {rateBps: 1e6}, changes: [{atMs: 300, path: {rateBps: {down: 2e6}}}]});
  expect(capacityOver(changed, 'down', SECOND)).toEqual({atNs: [0, 0.3 * SECOND], bps: [1e6, 2e6]});
  expect(capacityOver(changed, 'up', SECOND)).toBeUndefined();
});

test('a trace of rates is repeated from its start', () => {
  const traced = scenario({path: {down: {trace: own({startMs: 250})}}});
  expect(capacityOver(traced, 'down', 3 * SECOND)).toEqual({
    atNs: [0, 0.25, 1.75, 2.25].map(s => s * SECOND),
    bps: [1e6, 4e6, 1e6, 4e6],
  });
});

test('after the end of a trace that is not repeated, the path has its own rate', () => {
  const traced = scenario({path: {rateBps: 7e6, down: {trace: own({repeats: false})}}});
  expect(capacityOver(traced, 'down', 3 * SECOND)).toEqual({
    atNs: [0, 0.5, 2].map(s => s * SECOND),
    bps: [1e6, 4e6, 7e6],
  });
});

test('a change ends a trace, or begins one', () => {
  const ending = scenario({
    path: {down: {trace: own()}},
    changes: [{atMs: 700, path: {down: {trace: null}, rateBps: 3e6}}],
  });
  expect(capacityOver(ending, 'down', SECOND)).toEqual({
    atNs: [0, 0.5, 0.7].map(s => s * SECOND),
    bps: [1e6, 4e6, 3e6],
  });
  const beginning = scenario({path: {rateBps: 3e6}, changes: [{atMs: 700, path: {down: {trace: own()}}}]});
  // a trace that begins later does not start at its beginning, but at the time of the run
  expect(capacityOver(beginning, 'down', SECOND)).toEqual({atNs: [0, 0.7 * SECOND], bps: [3e6, 4e6]});
});

test('delivery opportunities are counted in tenths of a second', () => {
  const timesMs = Uint32Array.of(10, 20, 150, 300);
  const packed = packedTrace({kind: 'opportunities', timesMs});
  const traced = scenario({path: {down: {trace: {name: 'mine', packed}}}});
  const one = 1504 * 8 * 10;
  expect(capacityOver(traced, 'down', 0.45 * SECOND)).toEqual({
    atNs: [0, 0.1, 0.3, 0.4].map(s => s * SECOND),
    bps: [2 * one, one, 2 * one, one],
  });
});

test('a live path has no known capacity', () => {
  expect(capacityOver(scenario({path: {live: 'a.example:80'}}), 'down', SECOND)).toBeUndefined();
});
