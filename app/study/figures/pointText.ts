import type {BoxPoint, DotPoint, Figure, FigurePlace, LinePoint, StackPoint} from './figure.ts';
import {threeDigits} from './quantities.ts';

/** A point in words: series and panel, place on the x axis, value with interval, and number of runs. */
export function pointText(
  figure: Figure,
  point: LinePoint | BoxPoint | StackPoint | (DotPoint & {readonly y: number; readonly label: string}),
): string {
  return [
    [figure.series[point.series]?.name, figure.panels[point.panel]].filter(Boolean).join(', '),
    `${figure.x.label} ${withUnit(numberOf(point.x), figure.x.unit)}`,
    valueText(figure, point),
    runsText(point),
  ]
    .filter(line => line !== '')
    .join('\n');
}

function valueText({y, isRestricted}: Figure, point: Parameters<typeof pointText>[1]): string {
  const of = (value: number): string => withUnit(threeDigits(value), y.unit);
  if ('label' in point) return `${point.label}: ${of(point.y)}`;
  if ('median' in point) return `median ${of(point.median)}, quartiles ${threeDigits(point.q1)} to ${of(point.q3)}`;
  if ('half' in point) {
    const {from, to, half} = point;
    return withUnit(`${threeDigits(to - from)}${halfText(half, to - from)}`, y.unit);
  }
  const {interval, n, runs} = point;
  const half = interval === null ? null : (interval[1] - interval[0]) / 2;
  const isBound = isRestricted && n !== null && runs !== null && n < runs;
  return withUnit(`${isBound ? '≥ ' : ''}${threeDigits(point.y)}${halfText(half, point.y)}`, y.unit);
}

/** Writes ` ± ` and half of a value's interval. Empty without an interval, or if it is only a rounding error. */
export function halfText(half: number | null, value: number): string {
  return half === null || half <= 1e-9 * Math.abs(value) ? '' : ` ± ${threeDigits(half)}`;
}

/** The number of complete runs: `n 50`, or `n 48 of 50`. */
function runsText({n, runs}: FigurePlace): string {
  if (n === null) return '';
  return runs === null || runs === n ? `n ${n}` : `n ${n} of ${runs}`;
}

function withUnit(text: string, unit: string | null): string {
  return unit === null ? text : `${text} ${unit}`;
}

function numberOf(x: number | string): string {
  return typeof x === 'string' ? x : threeDigits(x);
}
