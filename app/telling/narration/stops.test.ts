import {expect, test} from 'vitest';
import {smallQuality} from '../../run/quality/testing/smallQuality.ts';
import {smallTrace} from '../../run/trace/testing/smallTrace.ts';
import {Trace} from '../../run/trace/trace.ts';
import {stopsOf} from './stops.ts';

const MS = 1e6;
/** A trace whose load ends at `ms`. Its longest wait ends at 70 ms. */
const endingAt = (ms: number) => new Trace({...smallTrace(), endNs: ms * MS});
const stops = (...traces: readonly Trace[]) => stopsOf(traces, null).map(ns => ns / MS);

test('stops are the start, the end of the longest wait, and the end of each load', () => {
  expect(stops(endingAt(100))).toEqual([0, 70, 100]);
  expect(stops(endingAt(100), endingAt(200))).toEqual([0, 70, 100, 200]);
});

test('the time when all pictures are recognisable is a stop if pictures were measured', () => {
  const thresholds = {recognisable: 0.3, good: 0.9};
  const [first] = [...new Trace(smallTrace()).deliveriesOf(1).atNs];
  const seen = stopsOf([endingAt(100)], {quality: smallQuality(), thresholds}).map(ns => ns / MS);
  expect(seen).toEqual([0, (first ?? 0) / MS, 70, 100]);
});

test('if stops are closer than 1 % of the run, only the last is kept', () => {
  expect(stops(endingAt(100), endingAt(100.5))).toEqual([0, 70, 100.5]);
  expect(stops(endingAt(100), endingAt(102))).toEqual([0, 70, 100, 102]);
});
