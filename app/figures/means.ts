import type {MetricSummary} from '../experiment/summary.ts';
import {PERCENTS} from '../metrics/metrics.ts';
import {captionOf} from './caption.ts';
import type {DotPoint, Figure, FigurePlace, LinePoint} from './figure.ts';
import {figureName, figureTitle} from './naming.ts';
import type {FigureSubject, SubjectCell} from './subject.ts';
import {metricQuantity, type Quantity} from './words.ts';

/** A metric's mean against the x axis. */
export function linesFigure(subject: FigureSubject, metric: string): Figure | null {
  const quantity = metricQuantity(metric);
  const points = eachPane(subject, ({summary, x}, pane, place): LinePoint | null => {
    const found = summary.panes[pane]?.metrics[metric];
    const mean = found === undefined ? null : meanOf(found, quantity);
    const at = subject.x.numbers[x];
    return mean === null || at === undefined ? null : {...place, ...mean, x: at};
  });
  const marks =
    'Points: means; bars: their 95 % confidence intervals (Student’s t). ' +
    (isTime(subject, metric) ? RESTRICTED : COMPLETE_ONLY);
  return {
    name: figureName(quantity.label, subject),
    title: figureTitle(`${capital(quantity.label)} against ${subject.x.axis.label}`, subject),
    ...{x: subject.x.axis, y: quantityAxis(quantity), series: subject.series, panels: subject.panels},
    marks: {kind: 'lines', points},
    caption: captionOf(subject, marks, subject.cells),
  };
}

/** PPage or PRen of P = 25, 50, 75, 100. */
export function dotsFigure(subject: FigureSubject, kind: 'Page' | 'Ren'): Figure {
  const points = eachPane(subject, ({summary, x}, pane, place): DotPoint | null => {
    const values = PERCENTS.map(percent => {
      const name = `p${percent}${kind}Ms`;
      const found = summary.panes[pane]?.metrics[name];
      const mean = found === undefined ? null : meanOf(found, metricQuantity(name));
      return {label: `${percent} %`, y: mean?.y ?? null};
    });
    const there = values.flatMap(({label, y}) => (y === null ? [] : [{label, y}]));
    return there.length === 0 ? null : {...place, x: subject.x.names[x] ?? '', values: there};
  });
  const since = kind === 'Page' ? 'the first GET' : 'the GET of the first embedded object';
  const marks =
    `Dots from below: the mean time from ${since} until every object has at least 25, 50, 75 and 100 % ` +
    `rendered. ${RESTRICTED}`;
  return {
    name: figureName(`p${kind}`, subject),
    title: figureTitle(`P${kind} against ${subject.x.axis.label}`, subject),
    ...{x: subject.x.axis, y: {label: `P${kind}`, unit: 's'}},
    ...{series: subject.series, panels: subject.panels},
    marks: {kind: 'dots', points},
    caption: captionOf(subject, marks, subject.cells),
  };
}

/** What is made of each pane of each cell that is there. */
export function eachPane<T>(
  {series, cells}: FigureSubject,
  make: (cell: SubjectCell, pane: number, place: FigurePlace) => T | null,
): readonly T[] {
  return cells.flatMap(cell => {
    return series.flatMap((_, pane) => {
      const found = cell.summary.panes[pane];
      if (found === undefined) return [];
      const {runs, complete: n} = found;
      const made = make(cell, pane, {panel: cell.panel, series: pane, n, runs, cell: cell.cell});
      return made === null ? [] : [made];
    });
  });
}

function meanOf(
  {mean, ci95, restricted}: MetricSummary,
  {factor}: Quantity,
): Pick<LinePoint, 'y' | 'interval'> | null {
  const of = restricted ?? {mean, ci95};
  if (of.mean === null) return null;
  const y = of.mean * factor;
  const half = of.ci95 === null ? null : of.ci95 * factor;
  return {y, interval: half === null ? null : [y - half, y + half]};
}

/** Such are restricted to the time limit. */
function isTime({cells}: FigureSubject, metric: string): boolean {
  return cells.some(({summary}) => summary.panes[0]?.metrics[metric]?.restricted !== undefined);
}

export function quantityAxis({label, unit}: Quantity): Figure['y'] {
  return {label, unit};
}

export function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

const RESTRICTED = 'A load that never had it counts as the time limit.';
const COMPLETE_ONLY = 'Of the loads that are complete.';
