import {corrected} from '../../../app/study/experiment/summary.ts';
import type {Figure} from '../../../app/study/figures/figure.ts';
import {halfText, pointText} from '../../../app/study/figures/pointText.ts';
import {metricQuantity, threeDigits} from '../../../app/study/figures/quantities.ts';
import {type FigurePoint, paneOf} from '../../kit/figure/pointPlaces.ts';
import type {Opening} from './openings.ts';
import type {Findings} from './summaries.ts';

/**
 * A sentence that says which of two sides has less of the metric, and at how many points. A point counts only if the
 * paired test, after Holm's correction, finds chance unlikely. The text is empty if there are no runs, or if there are
 * not exactly two sides.
 */
export function verdict({comparisons, summary}: Findings, names: readonly string[]): string {
  const [first = '', second = ''] = names;
  if (names.length !== 2 || comparisons.length === 0) return '';
  const sure = corrected(comparisons).filter(({pHolm}) => pHolm !== null && pHolm < UNLIKELY);
  const own = sure.filter(({meanDifference}) => (meanDifference ?? 0) < 0).length;
  const others = sure.length - own;
  const [metric] = summary.metrics;
  const less = metric?.isEvent ? 'sooner' : metric?.name.endsWith('Ms') ? 'shorter' : 'less';
  const isOne = comparisons.length === 1;
  const pairs = comparisons.reduce((most, {n}) => Math.max(most, n), 0);
  // the smallest p that Holm's correction can give for so many two-sided tests, if all pairs agree
  if (sure.length === 0 && 2 ** (1 - pairs) * comparisons.length >= UNLIKELY) {
    const places = isOne ? '' : ` at ${comparisons.length} points`;
    return `${pairs} seeds are too few to tell the sides apart${places}.`;
  }
  const all = `${comparisons.length} points`;
  if (sure.length === 0) {
    const points = isOne ? '' : ` at any of ${all}`;
    return `Neither side is clearly ${less}${points}: ${CHANCE}.`;
  }
  const [ahead, behind] = own >= others ? [first, second] : [second, first];
  if (isOne) return `${ahead} is clearly ${less}.`;
  const [most, least] = [Math.max(own, others), Math.min(own, others)];
  const other = least === 0 ? '' : `, ${behind} at ${least}`;
  const rest = sure.length === comparisons.length ? '' : `; elsewhere ${CHANCE}`;
  return `${ahead} is clearly ${less} at ${most} of ${all}${other}${rest}.`;
}

/** The lines about a point: its position, its value, the number of its runs, and what a click opens. */
export function tipLines(
  figure: Figure,
  point: FigurePoint,
  {summary}: Findings,
  next: Opening | undefined,
): readonly string[] {
  const [name = '', place = '', value = ''] = pointText(figure, point).split('\n');
  const [metric] = summary.metrics;
  const pane = summary.cells.find(({cell}) => cell === point.cell)?.panes[paneOf(point)];
  const median = pane?.metrics[metric?.name ?? '']?.median ?? null;
  return [
    'pane' in point ? [figure.panels[point.panel], place].filter(Boolean).join(', ') : `${name}, ${place}`,
    ...('pane' in point ? barLines(figure, point) : []),
    ...('pane' in point || 'median' in point ? [] : [`mean ${value} (95 % interval)`]),
    ...('median' in point ? [value] : []),
    ...('pane' in point || 'median' in point || median === null ? [] : [`median ${shown(median, metric?.name ?? '')}`]),
    runsText(point),
    ...(next === undefined ? [] : [`Click: ${openingText(next, metric?.name ?? '')}`]),
  ];
}

/** The mean of a bar and those of its largest parts, the largest first. */
function barLines({marks, series, y}: Figure, {cell, panel}: FigurePoint): readonly string[] {
  const all = marks.kind === 'stacks' ? marks.points : [];
  const parts = all
    .filter(part => part.cell === cell && part.panel === panel && part.to > part.from)
    .sort((a, b) => b.to - b.from - (a.to - a.from));
  const texts = parts.slice(0, MOST_PARTS).map(({series: cause, from, to, half}) => {
    return `${series[cause]?.name} ${threeDigits(to - from)}${halfText(half, to - from)} ${y.unit}`;
  });
  const rest = parts.slice(MOST_PARTS).reduce((sum, {from, to}) => sum + to - from, 0);
  const total = Math.max(0, ...parts.map(({to}) => to));
  return [
    `mean ${threeDigits(total)} ${y.unit}`,
    ...texts,
    ...(rest === 0 ? [] : [`${parts.length - MOST_PARTS} more causes ${threeDigits(rest)} ${y.unit}`]),
  ];
}

/** A text with more lines would cover the figure. */
const MOST_PARTS = 6;

/** For example `a run in the middle, seed 7: 8.2 s`. With an even number of runs, no run is exactly the median. */
function openingText({seed, value, isMedian}: Opening, metric: string): string {
  const which = isMedian ? 'a run in the middle' : 'the next run';
  return `${which}, seed ${seed}: ${value === null ? 'not complete' : shown(value, metric)}`;
}

function runsText({n, runs}: FigurePoint): string {
  return runs === null || n === runs ? `${n} runs, all complete` : `${n} of ${runs} runs complete`;
}

function shown(value: number, metric: string): string {
  const {unit, factor} = metricQuantity(metric);
  const number = threeDigits(value * factor);
  return unit === null ? number : `${number} ${unit}`;
}

/** The usual level of significance. */
const UNLIKELY = 0.05;
const CHANCE = 'it may be chance';
