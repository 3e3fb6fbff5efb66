import {expect, test} from 'vitest';
import {Rate} from './rate.ts';

test('an address is allowed a burst of events, then a number per second, independently of other addresses', () => {
  const rate = new Rate({perSecond: 2, burst: 3}, {perSecond: 100, burst: 100});
  const often = (address: string, nowNs: number): number =>
    Array.from({length: 10}, () => rate.allows(address, nowNs)).filter(Boolean).length;
  expect(often('10.0.0.1', 0)).toBe(3);
  expect(often('10.0.0.2', 0)).toBe(3);
  expect(often('10.0.0.1', 0.4e9)).toBe(0);
  expect(often('10.0.0.1', 0.5e9)).toBe(1);
  // A long pause allows no more than a burst.
  expect(often('10.0.0.1', 1000e9)).toBe(3);
});

test('all addresses together have a limit, too', () => {
  const rate = new Rate({perSecond: 2, burst: 3}, {perSecond: 10, burst: 5});
  const allowed = (nowNs: number): number =>
    Array.from({length: 50}, (_, i) => rate.allows(`10.0.0.${i}`, nowNs)).filter(Boolean).length;
  expect(allowed(0)).toBe(5);
  expect(allowed(1e9)).toBe(5);
});
