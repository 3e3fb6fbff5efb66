import type {Problem} from '../../app/base/schema.ts';
import {showValue} from '../../app/base/text.ts';
import type {Scale} from './scale.ts';

/** Reads a number as people type it, with a point or a comma before its decimals; undefined if it is not a number. */
export function readTyped(text: string): number | undefined {
  const typed = text.trim();
  if (!/^[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?$/i.test(typed)) return undefined;
  const number = Number(typed.replace(',', '.'));
  // JSON has no Infinity; this number is beyond every limit too
  return Math.min(Math.max(number, -BEYOND), BEYOND);
}

interface Field {
  /** The key as `--set` writes it. */
  readonly settingKey: string;
  readonly label: string;
  readonly unit: string;
  readonly scale: Scale;
}

/**
 * Why a typed number was refused, with the field's name and unit. If another setting is the reason, it is that
 * setting's message.
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

/** The setting of a path in the document, for one direction or both, for the whole run or from a time on. */
function settingOf(path: string): string {
  return path.replace(/^changes\[\d+\]\./, '').replaceAll(/\.(down|up|rate)\b/g, '');
}

const BEYOND = 1e300;
