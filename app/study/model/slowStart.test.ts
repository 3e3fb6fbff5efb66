import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {packetsUntil, slowStartMs, stalledWindows, windowsOf} from './slowStart.ts';

const pace = {rttMs: 300, serialisationMs: 100};
const paces = fc.record({
  rttMs: fc.double({min: 0, max: 5000, noNaN: true}),
  serialisationMs: fc.double({min: 0.01, max: 500, noNaN: true}),
});

describe('windows (eq. 4, 5, 8)', () => {
  test.each([
    [0, 0],
    [1, 1],
    [2, 2],
    [3, 2],
    [4, 3],
    [127, 7],
    [128, 8],
  ])('%i packets take %i windows', (packets, windows) => {
    expect(windowsOf(packets)).toBe(windows);
  });
});

describe('stalls (eq. 3)', () => {
  test('are rounded down, because a window that is longer than a round trip has no stall', () => {
    expect(stalledWindows(pace)).toBe(3);
    expect(stalledWindows({...pace, rttMs: 299})).toBe(2);
    expect(stalledWindows({...pace, rttMs: 0})).toBe(1);
  });
});

describe('slow start (eq. 2)', () => {
  test('waits for the first acknowledgement of each window that is shorter than a round trip', () => {
    // the waits are 300 + 100 − 100, 300 + 100 − 200 and 300 + 100 − 400
    expect(slowStartMs(5, pace)).toBe(300 + 200 + 0);
    expect(slowStartMs(2, pace)).toBe(300);
    expect(slowStartMs(1, pace)).toBe(0);
  });

  test('takes no time if there is nothing to send', () => {
    expect(slowStartMs(0, pace)).toBe(0);
  });

  test('is the sum of its waits, window by window', () => {
    fc.assert(
      fc.property(paces, fc.integer({min: 0, max: 20}), ({rttMs, serialisationMs}, windows) => {
        let waits = 0;
        for (let k = 1; k < windows; k++)
          waits += Math.max(0, rttMs + serialisationMs - 2 ** (k - 1) * serialisationMs);
        expect(slowStartMs(windows, {rttMs, serialisationMs})).toBeCloseTo(waits, 6);
      }),
    );
  });
});

describe('packets until the threshold (eq. 7)', () => {
  test.each([
    [1, 1],
    [2, 1 + 2],
    [4, 1 + 2 + 4],
    [5, 1 + 2 + 4 + 5],
    [6, 1 + 2 + 4 + 6],
    [64, 127],
  ])('for a threshold of %i are %i', (threshold, packets) => {
    expect(packetsUntil(threshold)).toBe(packets);
  });
});
