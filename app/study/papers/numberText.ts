import type {Measured} from './measured.ts';
import type {Range} from './verdict.ts';

/** `6.12 ± 0.40 s`; runs that do not have it are told. */
export function measuredText({value, half, n, runs}: Measured, unit = ''): string {
  if (value === null) return `none (0 of ${runs} runs)`;
  const behind = unit === '' ? '' : ` ${unit}`;
  const range = half === null || numberText(half) === '0' ? '' : ` ± ${numberText(half)}`;
  return `${numberText(value)}${range}${behind}${n === runs ? '' : ` (${n} of ${runs} runs)`}`;
}

/** `6 to 8 s`; `6 s`. */
export function rangeText([low, high]: Range, unit = ''): string {
  const behind = unit === '' ? '' : ` ${unit}`;
  return low === high ? `${low}${behind}` : `${low} to ${high}${behind}`;
}

/** Three digits, and thousandths at most. */
export function numberText(value: number): string {
  const size = Math.abs(value);
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
  const text = value.toFixed(digits);
  return /[1-9]/.test(text) ? text.replace('-', '−') : '0';
}

/** `1.20 ± 0.30 s sooner`, or later, or what cannot be told; `lead` is what it is sooner by, in s. */
export function leadText(lead: Measured): string {
  const {value} = lead;
  if (value === null) return 'not complete in any run';
  if (!isClear(lead)) return `neither sooner nor later (${measuredText(lead, 's')})`;
  return `${measuredText({...lead, value: Math.abs(value)}, 's')} ${value > 0 ? 'sooner' : 'later'}`;
}

/** The interval does not hold 0. */
export function isClear({value, half}: Measured): boolean {
  return value !== null && (half === null || Math.abs(value) > half);
}

/** `3 %`. */
export function lossText(rate: number): string {
  return `${Number((100 * rate).toPrecision(4))} %`;
}

/** `10 KB`: of 1,000 bytes. */
export function sizeText(bytes: number): string {
  return `${bytes / 1000} KB`;
}
