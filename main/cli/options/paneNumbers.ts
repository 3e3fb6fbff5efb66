import {UsageError} from './usageError.ts';

/** Returns the panes that `--panes` names, counted from 0. The user counts from 1. @throws UsageError */
export function paneNumbers(text: string): readonly number[] {
  const numbers = text.split(',').map(each => each.trim());
  const wrong = numbers.find(each => !/^[1-9]$/.test(each));
  if (wrong !== undefined)
    throw new UsageError(
      `--panes has ${wrong || 'an empty entry'}: each entry must be the number of a pane, as in 1,2`,
    );
  return numbers.map(each => Number(each) - 1);
}
