import type {Measured} from './measured.ts';
import {measuredText, rangeText} from './numberText.ts';
import type {Claim, Row} from './paper.ts';
import {judgeEqual, judgeMean, judgeOneRun, judgeOrder, open, type Range} from './verdict.ts';

/** Compares one of our numbers with the paper's. */
export function meanRow(where: string, ours: Measured, theirs: Range, unit = ''): Row {
  return {
    where,
    theirs: rangeText(theirs, unit),
    ours: measuredText(ours, unit),
    ...judgeMean(ours, theirs, unit),
  };
}

/**
 * Compares a difference that is above 0 according to the paper. `theirs` is the paper's statement in words. A
 * difference below `least` counts as none.
 */
export function orderRow(where: string, theirs: string, ours: Measured, unit = '', least = 0): Row {
  return {where, theirs, ours: measuredText(ours, unit), ...judgeOrder(ours, unit, least)};
}

/** Compares a difference that is practically 0 according to the paper, which means at most `least`. */
export function equalRow(where: string, ours: Measured, least: number, unit = ''): Row {
  return {where, theirs: 'equal', ours: measuredText(ours, unit), ...judgeEqual(ours, least, unit)};
}

/**
 * Compares a single run of the paper with our mean, and with the shares of our runs whose value is at least (`atLeast`)
 * and at most (`atMost`) that of the paper.
 */
export function oneRunRow(
  where: string,
  theirs: string,
  mean: Measured,
  {atLeast, atMost, unit = ''}: {readonly atLeast: Measured; readonly atMost: Measured; readonly unit?: string},
): Row {
  return {where, theirs, ours: measuredText(mean, unit), ...judgeOneRun(atLeast, atMost)};
}

/** The row for a statement that our runs cannot be compared with. */
export function openRow(where: string, theirs: string, why: string): Row {
  return {where, theirs, ours: '–', ...open(why)};
}

/** A claim that none of our runs can test. */
export function openClaim(text: string, source: string, theirs: string, why: string): Claim {
  return {text, source, rows: () => [openRow('', theirs, why)], why: () => []};
}
