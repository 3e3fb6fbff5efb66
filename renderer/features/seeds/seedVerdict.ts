import type {SeedRow} from '../../../app/host/contract.ts';
import {signTestP} from '../../../app/run/metrics/quartiles.ts';
import {timeText} from './chartText.ts';
import type {Measure} from './measures.ts';
import {middleOf} from './middle.ts';

/**
 * A sentence that shows whether the result of one run is luck: how often each side was first, and the medians. With two
 * sides, one is named as the faster side only if the sign test finds chance unlikely (p < 0.05); otherwise both are
 * named in the order of the panes. A side on which the event never happened counts as slower than a side on which it
 * happened. The text is empty for fewer than two runs.
 */
export function verdict(rows: readonly SeedRow[], names: readonly string[], measure: Measure): string {
  if (rows.length < 2) return '';
  const medians = names.map((_, pane) => medianText(rows, pane, measure));
  const [first = '', second = ''] = names;
  if (names.length === 1) return `Over ${rows.length} runs the median of ${first} is ${medians[0]}.`;
  const {wins, ties, never} = count(rows, names.length, measure);
  const [firstWins = 0, secondWins = 0] = wins;
  const rest = restText(ties, never);
  if (names.length > 2) return `${winnersText(rows.length, names, wins, medians)}${rest}`;
  if (signTestP(firstWins, secondWins) >= UNLIKELY) {
    const other = `${second} in ${secondWins}`;
    return `Neither is clearly ahead: ${first} ${measure.won} in ${firstWins} of ${rows.length} runs, ${other}; median ${medians[0]} against ${medians[1]}.${rest}`;
  }
  const winner = firstWins > secondWins ? 0 : 1;
  const against = `median ${medians[winner]} against ${medians[1 - winner]}`;
  return `In ${wins[winner]} of ${rows.length} runs ${names[winner]} ${measure.won}; ${against}.${rest}`;
}

/**
 * The sides that were first in any run, those with the most wins first: `Of 100 runs, HTTP/3 was first in 97 (median
 * 0.7 s), HTTP/2 in 3 (median 0.9 s), the others in none.`
 */
function winnersText(
  runs: number,
  names: readonly string[],
  wins: readonly number[],
  medians: readonly string[],
): string {
  const won = [...names.keys()].filter(pane => (wins[pane] ?? 0) > 0).sort((a, b) => (wins[b] ?? 0) - (wins[a] ?? 0));
  if (won.length === 0) return `Of ${runs} runs, no side was first in any.`;
  const each = won.map(
    (pane, i) => `${names[pane]}${i === 0 ? ' was first' : ''} in ${wins[pane]} (median ${medians[pane]})`,
  );
  const others = names.length - won.length;
  const rest = others === 0 ? [] : [`the other${others === 1 ? '' : 's'} in none`];
  return `Of ${runs} runs, ${[...each, ...rest].join(', ')}.`;
}

/**
 * Compares the run on screen with all runs, as in `Seed 5: TCP sooner than in 92 of 100, SCTP never.` The text is empty
 * for fewer than two runs. It is also empty for more than two panes, because the charts show the same.
 */
export function placeOf(rows: readonly SeedRow[], names: readonly string[], measure: Measure, shown: SeedRow): string {
  if (rows.length < 2 || names.length > 2) return '';
  const places = names.map((name, pane) => {
    const value = timeOf(shown, pane, measure);
    if (value === Number.POSITIVE_INFINITY) return `${name} never`;
    const later = rows.filter(row => timeOf(row, pane, measure) > value).length;
    return `${name} sooner than in ${later} of ${rows.length}`;
  });
  return `Seed ${shown.seed}: ${places.join(', ')}.`;
}

interface Count {
  /** For each pane, the number of runs in which only this pane was first. */
  readonly wins: readonly number[];
  /** The number of runs in which two or more panes were first together. */
  readonly ties: number;
  /** The number of runs in which the event happened on no side. */
  readonly never: number;
}

function count(rows: readonly SeedRow[], panes: number, measure: Measure): Count {
  const wins = Array<number>(panes).fill(0);
  let [ties, never] = [0, 0];
  for (const row of rows) {
    const values = wins.map((_, pane) => timeOf(row, pane, measure));
    const least = Math.min(...values);
    const first = values.indexOf(least);
    if (least === Number.POSITIVE_INFINITY) never += 1;
    else if (values.lastIndexOf(least) !== first) ties += 1;
    else wins[first] = (wins[first] ?? 0) + 1;
  }
  return {wins, ties, never};
}

function restText(ties: number, never: number): string {
  return [
    ties === 0 ? '' : ` In ${ties} of these runs the first place was shared.`,
    never === 0 ? '' : ` In ${never} of these runs no side has a value.`,
  ].join('');
}

/** The time of the event, ms. Infinite if it never happened, which is later than any time. */
function timeOf(row: SeedRow, pane: number, {pick}: Measure): number {
  const shown = row.panes[pane];
  return (shown === undefined ? null : pick(shown)) ?? Number.POSITIVE_INFINITY;
}

function medianText(rows: readonly SeedRow[], pane: number, {pick}: Measure): string {
  const times = rows.map(({panes}) => (panes[pane] === undefined ? null : pick(panes[pane])));
  return timeText(middleOf(times)?.median ?? Number.POSITIVE_INFINITY);
}

/** The usual level of significance of the sign test. */
const UNLIKELY = 0.05;
