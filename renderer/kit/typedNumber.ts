import type {Problem} from '../../app/base/schema.ts';
import {showValue} from '../../app/base/text.ts';
import type {Scale} from './scale.ts';

/** A number as people type it, with a point or a comma before its decimals; undefined if it is none. */
export function readTyped(text: string): number | undefined {
  const typed = text.trim();
  if (!/^[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?$/i.test(typed)) return undefined;
  const number = Number(typed.replace(',', '.'));
  // JSON has no Infinity; this is beyond every limit too
  return Math.min(Math.max(number, -BEYOND), BEYOND);
}

interface Field {
  /** As `--set` writes it. */
  readonly settingKey: string;
  readonly label: string;
  readonly unit: string;
  readonly scale: Scale;
}

/** Why what was typed was not taken: in the field's name and unit, unless it is another setting that refuses. */
export function refusalText({settingKey, label, unit, scale}: Field, typed: string, problem: Problem): string {
  if (settingOf(problem.path) !== settingOf(settingKey)) return problem.message;
  const inUnit = unit === '' ? '' : ` ${unit}`;
  const value = readTyped(typed) === undefined ? showValue(typed) : `${typed.trim()}${inUnit}`;
  const {range} = problem;
  if (range === undefined) return `${label} is ${value}: must be ${problem.limit}`;
  const [least, most] = [range.least, range.most].map(scale.format);
  return `${label} is ${value}: must be a number from ${least} to ${most}${inUnit}`;
}

/** Wherever in the document it stands: of one direction or both, of the whole run or from a time on. */
function settingOf(path: string): string {
  return path.replace(/^changes\[\d+\]\./, '').replaceAll(/\.(down|up|rate)\b/g, '');
}

const BEYOND = 1e300;
