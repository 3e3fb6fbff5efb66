import fc from 'fast-check';
import {expect, test} from 'vitest';
import {swarm} from './swarm.ts';

const xs = fc.array(fc.double({min: 0, max: 300, noNaN: true}), {minLength: 1, maxLength: 120});

test('dots are in the middle if there is room, and otherwise just beside each other', () => {
  expect(swarm([10, 30, 50], 4, 40)).toEqual({radius: 4, ys: [0, 0, 0]});
  // two dots have the same x: the second touches the first
  expect(swarm([10, 10, 10], 4, 40).ys).toEqual([0, -8, 8]);
});

test('no dot overlaps another, in any order, if there is room', () => {
  fc.assert(
    fc.property(xs, values => {
      const {radius, ys} = swarm(values, 3, 1e6);
      expect(radius).toBe(3);
      for (const [i, x] of values.entries()) {
        for (let j = 0; j < i; j++) {
          const away = Math.hypot(x - (values[j] ?? 0), (ys[i] ?? 0) - (ys[j] ?? 0));
          expect(away).toBeGreaterThan(6 - 1e-3);
        }
      }
    }),
  );
});

test('dots stay within a low row: they become smaller, at most to about half of their size', () => {
  fc.assert(
    fc.property(xs, fc.double({min: 4, max: 30, noNaN: true}), (values, halfHeight) => {
      const {radius, ys} = swarm(values, 4, halfHeight);
      expect(radius).toBeLessThanOrEqual(4);
      expect(radius).toBeGreaterThan(1.7);
      for (const y of ys) expect(Math.abs(y) + radius).toBeLessThanOrEqual(halfHeight + 1e-6);
      expect(swarm(values, 4, halfHeight)).toEqual({radius, ys});
    }),
  );
});
