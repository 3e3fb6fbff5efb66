import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {correctedSilence, printedSilence} from './silence.ts';

const path = {lossRate: 0.2, delayMs: 40, timeoutMs: 1000};

test('printed times are min(TO / (1 − p), (3 + p) / (1 − p)² · D), and D / (1 − p) for CATP', () => {
  expect(printedSilence(path)).toEqual({
    timeoutMs: 1250,
    threeArrivalsMs: expect.closeTo(200, 9),
    tcpMs: expect.closeTo(200, 9),
    catpMs: 50,
  });
  expect(printedSilence({...path, timeoutMs: 100}).tcpMs).toBe(125);
});

describe('corrected times', () => {
  test('are 3 · D / (1 − p) for three arrivals, and p · TO / (1 − p) for timeouts', () => {
    expect(correctedSilence(path)).toEqual({
      timeoutMs: 250,
      threeArrivalsMs: expect.closeTo(150, 9),
      tcpMs: expect.closeTo(150, 9),
      catpMs: 50,
    });
    expect(correctedSilence({...path, timeoutMs: 100}).tcpMs).toBe(25);
  });

  test('equal the sums that C03 prints, if they are added up term by term', () => {
    const p = 0.3;
    let [timeoutMs, threeArrivalsMs] = [0, 0];
    for (let k = 0; k < 400; k++) {
      timeoutMs += k * 1000 * p ** k * (1 - p);
      // the third arrival is packet k + 3 if k of the first k + 2 packets are lost
      threeArrivalsMs += (k + 3) * 40 * (((k + 2) * (k + 1)) / 2) * p ** k * (1 - p) ** 3;
    }
    const corrected = correctedSilence({...path, lossRate: p});
    expect(corrected.timeoutMs).toBeCloseTo(timeoutMs, 6);
    expect(corrected.threeArrivalsMs).toBeCloseTo(threeArrivalsMs, 6);
  });
});

test('printed times of TCP are never below the corrected ones, and those of CATP are equal', () => {
  const rates = fc.double({min: 0, max: 0.99, noNaN: true});
  const times = fc.double({min: 0, max: 5000, noNaN: true});
  fc.assert(
    fc.property(rates, times, times, (lossRate, delayMs, timeoutMs) => {
      const [printed, corrected] = [printedSilence, correctedSilence].map(of => of({lossRate, delayMs, timeoutMs}));
      expect(corrected?.tcpMs).toBeLessThanOrEqual((printed?.tcpMs ?? 0) * (1 + 1e-12));
      expect(corrected?.catpMs).toBe(printed?.catpMs);
    }),
  );
});

test('a loss rate of 1 is refused', () => {
  for (const silence of [printedSilence, correctedSilence])
    expect(() => silence({...path, lossRate: 1})).toThrow('invalid lossRate: 1 (must be from 0 to below 1)');
});
