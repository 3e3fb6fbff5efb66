import fc from 'fast-check';
import {expect, test} from 'vitest';
import {shownRanges} from './shownRanges.ts';
import {smallTrace} from './testing/smallTrace.ts';
import {Trace} from './trace.ts';

test('an object that arrives in order is one range from the start', () => {
  const trace = new Trace(smallTrace());
  expect(trace.rangesAt(1, 29e6)).toEqual([]);
  expect(trace.rangesAt(1, 30e6)).toEqual([{first: 0, end: 100}]);
  expect(trace.rangesAt(1, 70e6)).toEqual([{first: 0, end: 400}]);
});

test('the ranges cover exactly the delivered bytes, in whatever order these arrive', () => {
  const pieces = fc.uniqueArray(fc.integer({min: 0, max: 30}), {minLength: 1});
  fc.assert(
    fc.property(pieces, fc.nat(40), (order, tNs) => {
      const rows = order.length;
      const shown = shownRanges(
        {
          atNs: Float64Array.from({length: rows}, (_, row) => row),
          first: Float64Array.from(order, piece => 3 * piece),
          bytes: Float64Array.from({length: rows}, (_, row) => 3 * (row + 1)),
        },
        tNs,
      );
      const expected = new Set(order.slice(0, tNs + 1).flatMap(piece => [0, 1, 2].map(i => 3 * piece + i)));
      const bytes = shown.flatMap(({first, end}) => Array.from({length: end - first}, (_, i) => first + i));
      expect(bytes).toEqual([...expected].sort((a, b) => a - b));
      for (const [i, {first}] of shown.slice(1).entries()) expect(first).toBeGreaterThan(shown[i]?.end ?? 0);
    }),
  );
});
