import {medianBootstrap} from '../experiment/bootstrap.ts';
import {quantile} from '../metrics/quartiles.ts';
import {captionOf} from './caption.ts';
import type {PaneValues} from './cellValues.ts';
import type {BoxPoint, EcdfCurve, Figure} from './figure.ts';
import {capital, eachPane, quantityAxis} from './means.ts';
import {figureName, figureTitle} from './naming.ts';
import type {FigureSubject} from './subject.ts';
import {metricQuantity} from './words.ts';

/** Where the middle of the runs lies, and how far they go. */
export function boxesFigure(subject: FigureSubject, metric: string): Figure {
  const quantity = metricQuantity(metric);
  const points = eachPane(subject, ({summary, values, x}, pane, place): BoxPoint | null => {
    const spread = values?.panes[pane];
    const found = summary.panes[pane]?.metrics[metric];
    const all = spread === undefined ? [] : restricted(spread).map(value => value * quantity.factor);
    if (spread === undefined || found === undefined || all.length === 0) return null;
    const at = (share: number): number => quantile(all, share);
    return {
      ...{...place, x: subject.x.names[x] ?? ''},
      ...{q1: at(0.25), median: at(0.5), q3: at(0.75), whiskers: [at(0.05), at(0.95)]},
      medianInterval: intervalOf(spread, found.medianCi95, all, quantity.factor),
    };
  });
  const marks =
    'Boxes: the middle half of the runs and their median, its 95 % bootstrap interval thick; whiskers: the 5 % and ' +
    `the 95 % quantile. ${NEVER}`;
  return {
    name: figureName(`${quantity.label} spread`, subject),
    title: figureTitle(`${capital(quantity.label)}, its spread against ${subject.x.axis.label}`, subject),
    ...{x: subject.x.axis, y: quantityAxis(quantity), series: subject.series, panels: subject.panels},
    marks: {kind: 'boxes', points},
    caption: captionOf(subject, marks, subject.cells),
  };
}

/** The distributions where the x axis ends, which is where tails are heaviest. */
export function ecdfFigure(subject: FigureSubject, metric: string): Figure {
  const quantity = metricQuantity(metric);
  const last = subject.x.names.length - 1;
  const ends = {...subject, cells: subject.cells.filter(({x}) => x === last)};
  const curves = eachPane(ends, ({values}, pane, place): EcdfCurve | null => {
    const spread = values?.panes[pane];
    if (spread === undefined || spread.runs === 0) return null;
    return {...place, steps: stepsOf(spread, quantity.factor)};
  });
  const {label, unit} = subject.x.axis;
  const at = label === '' ? '' : ` at ${label} ${subject.x.names[last]}${unit === null ? '' : ` ${unit}`}`;
  const marks = 'Share of all runs that have come by then; those that are not complete never come.';
  return {
    name: figureName(`${quantity.label} distribution`, subject),
    title: figureTitle(`${capital(quantity.label)}, its distribution${at}`, subject),
    x: quantityAxis(quantity),
    y: {label: 'share of runs', unit: null},
    ...{series: subject.series, panels: subject.panels},
    marks: {kind: 'ecdf', curves},
    caption: captionOf(ends, marks, ends.cells),
  };
}

/** As the summary has it, or with those that never came; none of a thinned sample. */
function intervalOf(
  {n, runs}: PaneValues,
  complete: readonly [number, number] | null,
  all: readonly number[],
  factor: number,
): BoxPoint['medianInterval'] {
  if (n === runs) return complete === null ? null : [complete[0] * factor, complete[1] * factor];
  return all.length === runs ? medianBootstrap(all) : null;
}

/** Those that never came count as the limit. */
function restricted({sorted, n, runs, limitMs}: PaneValues): readonly number[] {
  if (limitMs === null || n === runs) return sorted;
  // in the proportion in which the values are there
  const never = Math.round(((runs - n) * sorted.length) / Math.max(1, n)) || runs - n;
  return [...sorted, ...Array.from({length: never}, () => limitMs)];
}

function stepsOf({sorted, n, runs}: PaneValues, factor: number): EcdfCurve['steps'] {
  const each = n / runs / Math.max(1, sorted.length);
  return sorted.map((value, i) => ({x: value * factor, share: (i + 1) * each}));
}

const NEVER = 'A load that never had it counts as the time limit.';
