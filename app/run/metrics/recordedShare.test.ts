import {expect, test} from 'vitest';
import {recordedShare, recordedText} from './recordedShare.ts';

const request = (object: number) =>
  ({
    object,
    cause: {by: 'html', object: 0},
    type: 'image',
    priority: 'Low',
    blocking: false,
    cpuMs: 0,
    waitMs: 0,
    runMs: 0,
  }) as const;
const RECORDING = {
  browser: 'Chrome/156',
  viewport: {width: 1024, height: 768},
  requests: [0, 1, 3].map(request),
  insertions: [],
  boxes: [],
  all: {requests: 5, bytes: 1000},
};
/** A load that made these requests. Each object has 200 bytes. */
const load = (...made: readonly number[]) =>
  [0, 1, 2, 3].map(object => ({bytes: 200, isRequested: made.includes(object)}));

test('requests that the recording does not have do not count', () => {
  expect(recordedShare(RECORDING, [load(0, 1, 2, 3), load(0)]).panes).toEqual([
    {requests: 3, bytes: 600},
    {requests: 1, bytes: 200},
  ]);
});

test('the sentence has the share once, or for each pane if the panes differ', () => {
  const told = (...panes: readonly ReturnType<typeof load>[]) =>
    recordedText(recordedShare(RECORDING, panes), ['a', 'b', 'c']);
  const start = 'loaded share of the recording by Chrome/156: ';
  expect(told(load(0, 1, 3), load(0, 1, 3))).toBe(`${start}3 of 5 requests, 60 % of the bytes`);
  expect(told(load(0, 1, 3), load(0), load(0, 1, 3))).toBe(
    `${start}3 of 5 requests, 60 % of the bytes (a and c); 1 of 5 requests, 20 % of the bytes (b)`,
  );
});
