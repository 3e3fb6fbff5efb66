import type {Measured} from './measured.ts';
import type {Range} from './verdict.ts';

/** Writes a mean with its interval: `6.12 ± 0.400 s`. If some runs have no value, `(48 of 50 runs)` follows. */
export function measuredText({value, half, n, runs}: Measured, unit = ''): string {
  if (value === null) return `none (0 of ${runs} runs)`;
  const suffix = unit === '' ? '' : ` ${unit}`;
  const range = half === null || numberText(half) === '0' ? '' : ` ± ${numberText(half)}`;
  return `${numberText(value)}${range}${suffix}${n === runs ? '' : ` (${n} of ${runs} runs)`}`;
}

/** Writes a range: `6 to 8 s`, or `6 s` if both ends are equal. */
export function rangeText([low, high]: Range, unit = ''): string {
  const suffix = unit === '' ? '' : ` ${unit}`;
  return low === high ? `${low}${suffix}` : `${low} to ${high}${suffix}`;
}

/**
 * Writes a number with three decimals below 1, two below 10, one below 100, and otherwise none. A number that rounds to
 * 0 is written as `0`.
 */
export function numberText(value: number): string {
  const size = Math.abs(value);
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
  const text = value.toFixed(digits);
  return /[1-9]/.test(text) ? text.replace('-', '−') : '0';
}

/**
 * Writes a lead in s: `1.20 ± 0.300 s sooner` if it is positive, and `… later` if it is negative. If the interval of
 * the lead includes 0, the text is `neither sooner nor later (…)`. The caller can give two other words, for example
 * `shorter` and `longer` for durations.
 */
export function leadText(lead: Measured, [less, more]: readonly [string, string] = ['sooner', 'later']): string {
  const {value} = lead;
  if (value === null) return 'not complete in any run';
  if (!excludesZero(lead)) return `neither ${less} nor ${more} (${measuredText(lead, 's')})`;
  return `${measuredText({...lead, value: Math.abs(value)}, 's')} ${value > 0 ? less : more}`;
}

/** Whether the interval excludes 0. A value without an interval does so if it is not 0 itself. */
export function excludesZero({value, half}: Measured): boolean {
  return value !== null && Math.abs(value) > (half ?? 0);
}

/** A rate as a percentage: `3 %` for 0.03. */
export function lossText(rate: number): string {
  return `${Number((100 * rate).toPrecision(4))} %`;
}

/** A size in KB of 1,000 bytes: `10 KB`. */
export function sizeText(bytes: number): string {
  return `${bytes / 1000} KB`;
}
