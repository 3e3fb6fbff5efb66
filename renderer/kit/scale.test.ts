import {expect, test} from 'vitest';
import {ALWAYS_VISIBLE} from './pathScales.ts';
import {fittingUnit} from './scale.ts';

const [rate, rtt] = ALWAYS_VISIBLE;

test.each([
  [1, '0.001 kbit/s'],
  [56_000, '56 kbit/s'],
  [999_999, '999.999 kbit/s'],
  [1_000_000, '1 Mbit/s'],
  [1_600_000, '1.6 Mbit/s'],
  [10_000_000, '10 Mbit/s'],
  [1e9, '1 Gbit/s'],
  [1e12, '1000 Gbit/s'],
])('a rate of %d bit/s is shown as %s', (value, text) => {
  const {unit, scale} = fittingUnit(rate, value);
  expect(`${scale.format(value)} ${unit}`).toBe(text);
});

test('a typed number is read in the unit that is shown, and the slider has the same place in every unit', () => {
  const {scale} = fittingUnit(rate, 1.6e6);
  expect(scale.toDocument(1.6)).toBe(1_600_000);
  for (const value of [1e4, 1e6, 3e6, 1e9]) expect(scale.toSlider(value)).toBe(rate.scale.toSlider(value));
  expect(scale.fromSlider(scale.toSlider(2e6))).toBeCloseTo(2e6, -4);
});

test('a number with a single unit keeps it', () => {
  expect(fittingUnit(rtt, 1e9).unit).toBe('ms');
});
