import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {expectedLoss, headOfLineMs, lossWindow, type Transfer, transferTime} from './transfer.ts';

const six: Transfer = {packets: 6, rttMs: 300, serialisationMs: 100, lossRate: 0.1, initialThreshold: 64};
/** The expected number of the first lost packet among six at 10 % loss (eq. 1). */
const x = (1 - 0.9 ** 6) / 0.1 + 0.9 ** 6;

describe('a transfer without loss', () => {
  test('consists of the sending of its packets and the waits of slow start', () => {
    const {totalMs, passesThreshold, ...parts} = transferTime({...six, lossRate: 0});
    expect(parts).toEqual({slowStartMs: 500, sendingMs: 600, avoidanceMs: 0, headOfLineMs: 0, recoveryMs: 0});
    expect([totalMs, passesThreshold]).toEqual([1100, false]);
  });

  test('takes a round trip for each packet beyond the threshold, as printed (eq. 13–15)', () => {
    // A_th = 3, K = ⌈log2 3⌉ = 2
    const time = transferTime({...six, lossRate: 0, initialThreshold: 2});
    expect([time.slowStartMs, time.sendingMs, time.avoidanceMs]).toEqual([300, 600, 3 * 300]);
    expect(time.passesThreshold).toBe(true);
  });

  test('takes no time if there is nothing to send', () => {
    expect(transferTime({...six, packets: 0}).totalMs).toBe(0);
  });
});

describe('a loss in slow start (eq. 12)', () => {
  const time = transferTime(six);

  test('has slow start until the loss, head-of-line blocking after it, and loss recovery', () => {
    expect(time.slowStartMs).toBe(500); // S_x with K = ⌈log2 6.2⌉ = 3
    expect(time.headOfLineMs).toBeCloseTo((6 - x) * 100, 9); // y − b = 3 − (x + 1 − 4)
    expect(time.recoveryMs).toBe(450);
    expect(time.avoidanceMs).toBe(0);
  });

  test('is followed by N − x + 1 packets, after the first x + 1', () => {
    expect(time.sendingMs).toBeCloseTo((x + 1 + (6 - x + 1)) * 100, 9);
  });

  test('has a total that is the sum of the parts', () => {
    expect(time.totalMs).toBeCloseTo(500 + 800 + (6 - x) * 100 + 450, 9);
  });
});

test('a loss beyond the threshold has congestion avoidance, but no head-of-line blocking (eq. 13–15)', () => {
  const time = transferTime({...six, initialThreshold: 2});
  expect(time.slowStartMs).toBe(300); // S_th
  expect(time.avoidanceMs).toBeCloseTo((x - 3) * 300, 9); // the next threshold ⌈(2 + L) / 2⌉ = 3 is not reached
  expect(time.headOfLineMs).toBe(0);
  expect(time.recoveryMs).toBe(450);
});

test('each loss has its own x, computed from the packets that are left', () => {
  const time = transferTime({...six, packets: 20});
  // first x = 8.9058 of 20 packets, y = 8 and b = 1.9058; then x = 7.4832 of 12.0942, y = 5.0942 and b = 0.4832
  expect(time.headOfLineMs).toBeCloseTo((6.094189891315125 + 4.610955261899754) * 100, 9);
  expect(time.recoveryMs).toBe(900);
  expect(time.sendingMs).toBeCloseTo((20 + 2 * 2) * 100, 9);
});

test('the threshold halves with each loss, rounded up', () => {
  const time = transferTime({...six, packets: 20, initialThreshold: 6});
  const [first, second] = [8.905810108684875, 7.483234629415372];
  expect(time.avoidanceMs).toBeCloseTo(
    // th = 6 lasts for 13 packets. y = 8 raises th to 8, and its half, 4, lasts for 7 packets. y = 5.1 raises th again,
    // and its half, 3, lasts for 6 packets, which is more than are left.
    (Math.max(0, first - 13) + (second - 7)) * 300,
    6,
  );
  expect(time.passesThreshold).toBe(false);
});

const transfers = fc.record({
  packets: fc.integer({min: 1, max: 500}),
  rttMs: fc.double({min: 0, max: 2000, noNaN: true}),
  serialisationMs: fc.double({min: 0.001, max: 200, noNaN: true}),
  lossRate: fc.double({min: 0, max: 0.5, noNaN: true}),
  initialThreshold: fc.integer({min: 1, max: 1000}),
});

describe('any transfer', () => {
  test('has no negative part, and takes at least the sending time of its packets', () => {
    fc.assert(
      fc.property(transfers, transfer => {
        const time = transferTime(transfer);
        for (const part of Object.values(time)) expect(Number(part)).toBeGreaterThanOrEqual(0);
        const leastMs = transfer.packets * transfer.serialisationMs;
        expect(time.totalMs).toBeGreaterThanOrEqual(leastMs * (1 - 1e-9));
      }),
    );
  });

  test('takes no less time with a longer RTT', () => {
    fc.assert(
      fc.property(transfers, fc.double({min: 1, max: 3, noNaN: true}), (transfer, times) => {
        const longer = transferTime({...transfer, rttMs: transfer.rttMs * times}).totalMs;
        expect(longer).toBeGreaterThanOrEqual(transferTime(transfer).totalMs * (1 - 1e-9));
      }),
    );
  });

  test('takes no less time at a lower rate', () => {
    fc.assert(
      fc.property(transfers, fc.double({min: 1, max: 3, noNaN: true}), (transfer, times) => {
        const slower = transferTime({...transfer, serialisationMs: transfer.serialisationMs * times}).totalMs;
        expect(slower).toBeGreaterThanOrEqual(transferTime(transfer).totalMs * (1 - 1e-9));
      }),
    );
  });

  test('has almost no head-of-line blocking if loss or serialisation time is almost 0', () => {
    fc.assert(
      fc.property(transfers, transfer => {
        const hob = (change: Partial<Transfer>) => transferTime({...transfer, ...change}).headOfLineMs;
        expect(hob({lossRate: 1e-9})).toBeLessThan(1e-3 * transfer.serialisationMs);
        expect(hob({serialisationMs: 1e-9})).toBeLessThan(1e-3);
      }),
    );
  });
});

describe('the packet of the next loss (eq. 1)', () => {
  test('is 1 · ½ + 2 · ¼ + 3 · ¼ for two packets at 50 % loss', () => {
    expect(expectedLoss(2, 0.5)).toBeCloseTo(1.75, 12);
  });

  test('is the mean over all packets, where a transfer without loss counts as the number after the last', () => {
    const rates = fc.double({min: 1e-6, max: 0.99, noNaN: true});
    fc.assert(
      fc.property(fc.integer({min: 0, max: 200}), rates, (packets, p) => {
        let mean = (packets + 1) * (1 - p) ** packets;
        for (let k = 1; k <= packets; k++) mean += k * p * (1 - p) ** (k - 1);
        expect(expectedLoss(packets, p)).toBeCloseTo(mean, 6);
      }),
    );
  });

  test('is the number after the last packet without loss, and almost this number at a very small rate', () => {
    expect(expectedLoss(100, 0)).toBe(101);
    expect(expectedLoss(100, 1e-14)).toBeCloseTo(101, 9);
  });
});

describe('the window of the loss (eq. 8–11)', () => {
  test('is full if more packets follow: packets 4 to 7, of which 4 and 5 are sent', () => {
    expect(lossWindow(5, 10)).toEqual({packets: 4, sent: 2});
  });

  test('is not full if the last packet is in it: packets 4 to 6', () => {
    expect(lossWindow(5, 6)).toEqual({packets: 3, sent: 2});
    expect(lossWindow(5, 7)).toEqual({packets: 4, sent: 2});
  });

  test('has head-of-line blocking for its packets after the loss', () => {
    expect(headOfLineMs({packets: 4, sent: 2}, 100)).toBe(200);
  });

  test('has no head-of-line blocking for a loss after the last packet', () => {
    expect(headOfLineMs(lossWindow(6.9, 6), 100)).toBe(0);
  });
});
