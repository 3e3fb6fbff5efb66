import type {Problem} from '../../app/base/schema.ts';
import {showValue} from '../../app/base/text.ts';
import type {Scale} from './scale.ts';

/** Reads a typed number, with a decimal point or comma. Returns undefined if the text is not a number. */
export function readTyped(text: string): number | undefined {
  const typed = text.trim();
  if (!/^[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?$/i.test(typed)) return undefined;
  const number = Number(typed.replace(',', '.'));
  // JSON has no Infinity, so `BEYOND` replaces every larger number. `BEYOND` itself exceeds the limits of all settings
  return Math.min(Math.max(number, -BEYOND), BEYOND);
}

interface Field {
  /** The key, written as in `--set`. */
  readonly settingKey: string;
  readonly label: string;
  readonly unit: string;
  readonly scale: Scale;
}

/**
 * Says why a typed number was refused, with the field's name and unit. If another setting is the reason, this returns
 * the message about that setting.
 */
export function refusalText({settingKey, label, unit, scale}: Field, typed: string, problem: Problem): string {
  if (settingOf(problem.path) !== settingOf(settingKey)) return problem.message;
  const inUnit = unit === '' ? '' : ` ${unit}`;
  const value = readTyped(typed) === undefined ? showValue(typed) : `${typed.trim()}${inUnit}`;
  const {range} = problem;
  if (range === undefined) return `${label} is ${value}: must be ${problem.limit}`;
  const [least, most] = [range.least, range.most].map(scale.format);
  return `${label} is ${value}: must be a number from ${least} to ${most}${inUnit}`;
}

/** The key of a setting without `changes[…]`, the direction and `rate`, so that all keys of a setting are equal. */
function settingOf(path: string): string {
  return path.replace(/^changes\[\d+\]\./, '').replaceAll(/\.(down|up|rate)\b/g, '');
}

const BEYOND = 1e300;
