import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {expectedLoss, headOfLineMs, lossWindow} from './loss.ts';

describe('the packet of the next loss (eq. 1)', () => {
  test('of two with one half lost: 1 · ½ + 2 · ¼ + 3 · ¼', () => {
    expect(expectedLoss(2, 0.5)).toBeCloseTo(1.75, 12);
  });

  test('is the mean over where it may be, one behind the last where none is lost', () => {
    const rates = fc.double({min: 1e-6, max: 0.99, noNaN: true});
    fc.assert(
      fc.property(fc.integer({min: 0, max: 200}), rates, (packets, p) => {
        let mean = (packets + 1) * (1 - p) ** packets;
        for (let k = 1; k <= packets; k++) mean += k * p * (1 - p) ** (k - 1);
        expect(expectedLoss(packets, p)).toBeCloseTo(mean, 6);
      }),
    );
  });

  test('without loss is behind the last, and near it at any small rate', () => {
    expect(expectedLoss(100, 0)).toBe(101);
    expect(expectedLoss(100, 1e-14)).toBeCloseTo(101, 9);
  });
});

describe('the window of the loss (eq. 8–11)', () => {
  test('is full where packets go on behind it: 4 to 7, of which 4 and 5 are sent', () => {
    expect(lossWindow(5, 10)).toEqual({packets: 4, sent: 2});
  });

  test('has what is left where the packets end in it: 4 to 6', () => {
    expect(lossWindow(5, 6)).toEqual({packets: 3, sent: 2});
    expect(lossWindow(5, 7)).toEqual({packets: 4, sent: 2});
  });

  test('what waits is what is behind the loss in it', () => {
    expect(headOfLineMs({packets: 4, sent: 2}, 100)).toBe(200);
  });

  test('nothing waits behind a loss after the last packet', () => {
    expect(headOfLineMs(lossWindow(6.9, 6), 100)).toBe(0);
  });
});
