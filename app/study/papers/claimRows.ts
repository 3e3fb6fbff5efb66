import type {Measured} from './measured.ts';
import {measuredText, rangeText} from './numberText.ts';
import type {Claim, Row} from './paper.ts';
import {judgeEqual, judgeMean, judgeOneRun, judgeOrder, open, type Range} from './verdict.ts';

/** A number beside the paper's. */
export function meanRow(where: string, ours: Measured, theirs: Range, unit = ''): Row {
  return {
    where,
    theirs: rangeText(theirs, unit),
    ours: measuredText(ours, unit),
    ...judgeMean(ours, theirs, unit),
  };
}

/** What the paper has above 0; `theirs` says it in words. What is less than `least` is as good as equal. */
export function orderRow(where: string, theirs: string, ours: Measured, unit = '', least = 0): Row {
  return {where, theirs, ours: measuredText(ours, unit), ...judgeOrder(ours, unit, least)};
}

/** A difference that the paper has as good as 0, less than `least`. */
export function equalRow(where: string, ours: Measured, least: number, unit = ''): Row {
  return {where, theirs: 'equal', ours: measuredText(ours, unit), ...judgeEqual(ours, least, unit)};
}

/** One run of the paper's; ours are the mean, and the shares of runs that come to at least and at most as much. */
export function oneRunRow(
  where: string,
  theirs: string,
  mean: Measured,
  {atLeast, atMost, unit = ''}: {readonly atLeast: Measured; readonly atMost: Measured; readonly unit?: string},
): Row {
  return {where, theirs, ours: measuredText(mean, unit), ...judgeOneRun(atLeast, atMost)};
}

/** What cannot be compared yet. */
export function openRow(where: string, theirs: string, why: string): Row {
  return {where, theirs, ours: '–', ...open(why)};
}

/** A claim that no run of ours can tell. */
export function openClaim(text: string, source: string, theirs: string, why: string): Claim {
  return {text, source, rows: () => [openRow('', theirs, why)], why: () => []};
}
