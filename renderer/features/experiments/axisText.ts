import type {Json} from '../../../app/base/json.ts';
import {showName} from '../../../app/base/text.ts';
import {keyQuantity} from '../../../app/study/figures/quantities.ts';

export type ReadAxis = {readonly ok: true; readonly values: Json} | {readonly ok: false; readonly message: string};

/**
 * Reads the values that the user typed for an axis: `0..10 step 1`, or `1, 2, 5`. Numbers have the unit that figures
 * show for the key. If this is also the unit of the setting, or if the setting has no unit, values can also be words.
 */
export function readAxis(key: string, text: string): ReadAxis {
  const {factor} = keyQuantity(key);
  const typed = text.trim();
  const [, from, to, step] = RANGE.exec(typed) ?? [];
  if (from !== undefined && to !== undefined) {
    if (step === undefined) return {ok: false, message: `write the step, too: ${from}..${to} step 1`};
    const [first, last, by] = [from, to, step].map(word => Number((Number(word) / factor).toPrecision(12)));
    return {ok: true, values: {from: first ?? 0, to: last ?? 0, step: by ?? 0}};
  }
  const words = typed.split(/[,;\s]+/).filter(word => word !== '');
  const values = words.map(word => readValue(word, factor));
  const wrong = words.find((_, i) => values[i] === undefined);
  if (wrong !== undefined) return {ok: false, message: `${showName(wrong, 40)} is not a number`};
  if (values.length === 0) return {ok: false, message: 'write values such as 1, 2, 5 or 0..10 step 1'};
  return {ok: true, values: values.filter(value => value !== undefined)};
}

function readValue(word: string, factor: number): Json | undefined {
  if (NUMBER.test(word)) return Number((Number(word) / factor).toPrecision(12));
  if (factor !== 1) return undefined;
  return word === 'null' || word === 'true' || word === 'false' ? (JSON.parse(word) as Json) : word;
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const RANGE = /^([+-]?\d+(?:\.\d+)?)\s*(?:\.\.|…|–|to)\s*([+-]?\d+(?:\.\d+)?)(?:\s*(?:step|by)\s*(\d+(?:\.\d+)?))?$/i;
