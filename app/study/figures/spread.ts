import {captionOf, figureName, figureTitle, incompleteRule, spacingText} from './caption.ts';
import type {BoxPoint, EcdfCurve, Figure} from './figure.ts';
import {capital, commonOf, inOrder, isTime, quantityAxis} from './means.ts';
import {metricQuantity} from './quantities.ts';
import type {FigureSubject} from './subject.ts';
import {eachPane, xNames} from './subject.ts';

/** Where the middle of the runs lies, and how far they go. */
export function boxesFigure(subject: FigureSubject, metric: string): Figure {
  const quantity = metricQuantity(metric);
  const of = (value: number): number => value * quantity.factor;
  const {points, absent} = eachPane(subject, xNames(subject), ({values}, pane, place): BoxPoint | null => {
    const box = values?.panes[pane]?.box ?? null;
    if (box === null) return null;
    const {low, q1, median, q3, high, medianInterval} = box;
    return {
      ...place,
      q1: of(q1),
      median: of(median),
      q3: of(q3),
      whiskers: [of(low), of(high)],
      medianInterval: medianInterval === null ? null : [of(medianInterval[0]), of(medianInterval[1])],
    };
  });
  const isRestricted = isTime(subject, metric);
  const interval = points.some(point => point.medianInterval !== null) ? ', its 95 % bootstrap interval thick' : '';
  const marks =
    `Boxes: the middle half of the runs and their median${interval}; whiskers: the 5 % and the 95 % quantile.` +
    `${spacingText(subject)} ${incompleteRule(subject, isRestricted)}`;
  return {
    name: figureName(`${quantity.label} spread`, subject),
    title: figureTitle(`${capital(quantity.label)}, its spread`, subject),
    x: {...subject.x.axis, places: inOrder(subject, subject.x.names)},
    y: quantityAxis(quantity),
    ...commonOf(subject, isRestricted),
    marks: {kind: 'boxes', points},
    absent,
    caption: captionOf(subject, marks.trim()),
  };
}

/** The distributions where the x axis ends: of the largest number, which of loss rates has the heaviest tails. */
export function ecdfFigure(subject: FigureSubject, metric: string): Figure {
  const quantity = metricQuantity(metric);
  const last = subject.x.order.at(-1) ?? 0;
  const ends = {...subject, cells: subject.cells.filter(({x}) => x === last)};
  const {points: curves} = eachPane(ends, xNames(ends), ({values}, pane, {x, ...place}): EcdfCurve | null => {
    const spread = values?.panes[pane];
    if (spread === undefined || spread.runs === 0) return null;
    const steps = spread.steps.map(({value, count}) => {
      return {x: value * quantity.factor, share: count / spread.runs};
    });
    return {...place, steps};
  });
  const {label, unit} = subject.x.axis;
  const at = label === '' ? '' : ` at ${label} ${subject.x.names[last]}${unit === null ? '' : ` ${unit}`}`;
  const marks = 'Share of all runs that have come by then; those that are not complete never come.';
  return {
    name: figureName(`${quantity.label} distribution`, subject),
    title: `${capital(quantity.label)}, its distribution${at}${subject.title === '' ? '' : `: ${subject.title}`}`,
    x: quantityAxis(quantity),
    y: {label: 'share of runs', unit: null},
    ...commonOf(subject, false),
    marks: {kind: 'ecdf', curves},
    caption: captionOf(ends, marks, ends.cells),
  };
}
