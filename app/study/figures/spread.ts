import {captionOf, figureName, figureTitle, incompleteRule, spacingText} from './caption.ts';
import type {BoxPoint, EcdfCurve, Figure} from './figure.ts';
import {commonOf, inOrder, isTime, quantityAxis} from './means.ts';
import {metricQuantity} from './quantities.ts';
import type {FigureSubject} from './subject.ts';
import {eachPane, xNames} from './subject.ts';

/** The figure of a metric's quartiles, median and outer quantiles. */
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
  const interval = points.some(point => point.medianInterval !== null)
    ? ' with its 95 % bootstrap interval (thick)'
    : '';
  const marks =
    `Boxes reach from the first to the third quartile and show the median${interval}. Whiskers reach from the 5 % to the 95 % quantile.` +
    `${spacingText(subject)} ${incompleteRule(subject, isRestricted)}`;
  return {
    name: figureName(`${quantity.label} spread`, subject),
    title: figureTitle(`Spread of ${quantity.label}`, subject),
    x: {...subject.x.axis, places: inOrder(subject, subject.x.names)},
    y: quantityAxis(quantity),
    ...commonOf(subject, isRestricted),
    marks: {kind: 'boxes', points},
    absent,
    caption: captionOf(subject, marks.trim()),
  };
}

/**
 * The figure of the distributions at the last place of the x axis. This place is chosen because the distributions there
 * have the heaviest tails if the axis has loss rates.
 */
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
  const marks = 'Curves show the share of all runs that have a value of at most x. Incomplete runs have no value.';
  return {
    name: figureName(`${quantity.label} distribution`, subject),
    title: `Distribution of ${quantity.label}${at}${subject.title === '' ? '' : `: ${subject.title}`}`,
    x: quantityAxis(quantity),
    y: {label: 'share of runs', unit: null},
    ...commonOf(subject, false),
    marks: {kind: 'ecdf', curves},
    caption: captionOf(ends, marks, ends.cells),
  };
}
