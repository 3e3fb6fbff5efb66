import {PERCENTS} from '../../run/metrics/metrics.ts';
import type {MetricSummary} from '../experiment/summary.ts';
import {captionOf, figureName, figureTitle, incompleteRule, spacingText} from './caption.ts';
import type {DotPoint, Figure, LinePoint} from './figure.ts';
import {metricQuantity, type Quantity} from './quantities.ts';
import type {FigureSubject} from './subject.ts';
import {eachPane, xNames, xNumbers} from './subject.ts';

/** The figure of a metric's means against the x axis. */
export function linesFigure(subject: FigureSubject, metric: string): Figure {
  const quantity = metricQuantity(metric);
  const {points, absent} = eachPane(subject, xNumbers(subject), ({summary}, pane, place): LinePoint | null => {
    const found = summary.panes[pane]?.metrics[metric];
    const mean = found === undefined ? null : meanOf(found, quantity);
    return mean === null ? null : {...place, ...mean};
  });
  const isRestricted = isTime(subject, metric);
  const bars = 'Bars are their 95 % confidence intervals (Student’s t), cut off at 0';
  const what = subject.seeds.length === 1 ? 'Points are single runs' : `Points are means. ${bars}`;
  const marks = `${what}. ${incompleteRule(subject, isRestricted)}`.trim();
  return {
    name: figureName(quantity.label, subject),
    title: figureTitle(capital(quantity.label), subject),
    x: {...subject.x.axis, places: inOrder(subject, subject.x.numbers)},
    y: quantityAxis(quantity),
    ...commonOf(subject, isRestricted),
    marks: {kind: 'lines', points},
    absent,
    caption: captionOf(subject, marks),
  };
}

/** The figure of PPage or PRen for P = 25, 50, 75, 100. */
export function dotsFigure(subject: FigureSubject, kind: 'Page' | 'Ren'): Figure {
  const {points, absent} = eachPane(subject, xNames(subject), ({summary}, pane, place): DotPoint | null => {
    const values = PERCENTS.map(percent => {
      const name = `p${percent}${kind}Ms`;
      const found = summary.panes[pane]?.metrics[name];
      const mean = found === undefined ? null : meanOf(found, metricQuantity(name));
      return {label: `${percent} %`, y: mean?.y ?? null};
    });
    const there = values.flatMap(({label, y}) => (y === null ? [] : [{label, y}]));
    return there.length === 0 ? null : {...place, values: there};
  });
  const since = kind === 'Page' ? 'the first request' : 'the request of the first embedded object';
  const mean = subject.seeds.length === 1 ? 'the time' : 'the mean time';
  const marks =
    `The dots, from the lowest up, are ${mean} from ${since} until at least 25, 50, 75 and 100 % of every object are rendered.` +
    `${spacingText(subject)} ${incompleteRule(subject, true)}`;
  return {
    name: figureName(`p${kind}`, subject),
    title: figureTitle(`P${kind}`, subject),
    x: {...subject.x.axis, places: inOrder(subject, subject.x.names)},
    y: {label: `P${kind}`, unit: 's'},
    ...commonOf(subject, true),
    marks: {kind: 'dots', points},
    absent,
    caption: captionOf(subject, marks.trim()),
  };
}

/**
 * The fields that all figures of a subject have in common. `isRestricted` says whether incomplete loads count as the
 * time limit in the figure.
 */
export function commonOf(
  {series, panels, title}: FigureSubject,
  isRestricted: boolean,
): Pick<Figure, 'series' | 'panels' | 'isRestricted' | 'group'> {
  return {
    series: series.map(({name, colour, isPaper}) => ({name, colour, isPaper})),
    panels,
    ...(isRestricted ? {isRestricted} : {}),
    ...(title === '' ? {} : {group: title}),
  };
}

/** The names or numbers of the points in their order on the x axis. */
export function inOrder<T>({x}: FigureSubject, places: readonly T[]): readonly T[] {
  return x.order.flatMap(point => places[point] ?? []);
}

function meanOf({mean, ci95, restricted}: MetricSummary, {factor}: Quantity): Pick<LinePoint, 'y' | 'interval'> | null {
  const of = restricted ?? {mean, ci95};
  if (of.mean === null) return null;
  const y = of.mean * factor;
  const half = of.ci95 === null ? null : of.ci95 * factor;
  return {y, interval: half === null ? null : [y - half, y + half]};
}

/** Whether a metric is the time of an event. In its means, an incomplete load without the event has the time limit. */
export function isTime({cells}: FigureSubject, metric: string): boolean {
  return cells.some(({summary}) => summary.panes[0]?.metrics[metric]?.restricted !== undefined);
}

export function quantityAxis({label, unit}: Quantity): Figure['y'] {
  return {label, unit};
}

export function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}
