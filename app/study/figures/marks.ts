import * as Plot from '@observablehq/plot';
import type {
  BoxPoint,
  DotPoint,
  EcdfCurve,
  Figure,
  FigurePlace,
  FigureSeries,
  LinePoint,
  StackPoint,
} from './figure.ts';
import {pointText} from './pointText.ts';
import {colourOf, dashOf, type FigureStyle, SYMBOLS, seriesColour} from './style.ts';

/** The marks of a figure's data, series by series. */
export function marksOf(figure: Figure, style: FigureStyle, columns: number): readonly Plot.Markish[] {
  const facet = facetOf(figure, columns);
  const each = <T extends FigurePlace>(
    points: readonly T[],
    draw: (own: readonly T[], series: FigureSeries, place: number) => readonly Plot.Markish[],
  ): readonly Plot.Markish[] =>
    figure.series.flatMap((series, place) => {
      const own = points.filter(point => point.series === place);
      return own.length === 0 ? [] : draw(own, series, place);
    });
  const {marks} = figure;
  const context = {figure, style, facet};
  switch (marks.kind) {
    case 'lines':
      return each(marks.points, (own, series, place) => lineMarks(own, series, place, context));
    case 'dots':
      return each(marks.points, (own, series, place) => dotMarks(own, series, place, context));
    case 'boxes':
      return each(marks.points, (own, series, place) => boxMarks(own, series, place, context));
    case 'stacks':
      return each(marks.points, (own, series, place) => stackMarks(own, series, place, context));
    case 'ecdf':
      return each(marks.curves, (own, series) => own.map(curve => ecdfMark(curve, series, context)));
  }
}

interface Context {
  readonly figure: Figure;
  readonly style: FigureStyle;
  readonly facet: Facet;
}

/** Functions from a point to the column and the row of its panel. Absent if there is a single panel. */
interface Facet {
  readonly fx?: (point: FigurePlace) => number;
  readonly fy?: (point: FigurePlace) => number;
}

function facetOf({panels}: Figure, columns: number): Facet {
  if (panels.length < 2) return {};
  return {fx: ({panel}) => panel % columns, fy: ({panel}) => Math.floor(panel / columns)};
}

/** Means with their intervals. A point with incomplete runs gets a text that says how many are complete. */
function lineMarks(
  points: readonly LinePoint[],
  {colour, isPaper}: FigureSeries,
  place: number,
  {figure, style, facet}: Context,
): readonly Plot.Markish[] {
  const stroke = colourOf(style, colour);
  const {lineWidth: strokeWidth, palette, fontPx} = style;
  const dx = besideOf(figure, place, fontPx * 0.15);
  const strokeDasharray = dashOf(colour, isPaper);
  const some = points.filter(({interval}) => interval !== null);
  const partial = points.filter(isPartial);
  return [
    Plot.ruleX(some, {
      ...facet,
      x: 'x',
      dx,
      stroke,
      strokeWidth,
      strokeOpacity: 0.7,
      // no quantity here is below 0, and a logarithmic axis has no 0
      y1: ({interval, y}: LinePoint) => {
        const low = interval?.[0] ?? 0;
        return low > 0 ? low : figure.y.isLogarithmic ? y : 0;
      },
      y2: ({interval}: LinePoint) => interval?.[1],
    }),
    Plot.line(points, {
      ...facet,
      x: 'x',
      y: 'y',
      dx,
      z: null,
      sort: 'x',
      stroke,
      strokeWidth,
      ...(strokeDasharray === undefined ? {} : {strokeDasharray}),
    }),
    Plot.dot(points, {
      ...facet,
      x: 'x',
      y: 'y',
      dx,
      stroke,
      strokeWidth,
      r: fontPx * 0.26,
      symbol: symbolOf(colour),
      fill: (point: LinePoint) => (isPaper || isPartial(point) ? palette.background : stroke),
      title: (point: LinePoint) => pointText(figure, point),
    }),
    Plot.text(partial, {
      // The texts of the first series are above its points. Each other series has its texts below its points, one row
      // lower than the series before it.
      ...facet,
      x: 'x',
      y: 'y',
      dx,
      dy: place === 0 ? -fontPx : fontPx * place,
      fontSize: fontPx * 0.8,
      fill: stroke,
      stroke: palette.background,
      strokeWidth: fontPx * 0.3,
      text: ({n, runs}: LinePoint) => `${n}/${runs}`,
    }),
  ];
}

/** Dots joined by a stroke. Each series is shifted a little, so that it does not hide the others. */
function dotMarks(
  points: readonly DotPoint[],
  {colour}: FigureSeries,
  place: number,
  {figure, style, facet}: Context,
): readonly Plot.Markish[] {
  const stroke = colourOf(style, colour);
  const {fontPx, palette, lineWidth: strokeWidth} = style;
  const dx = besideOf(figure, place, fontPx * 0.75);
  const dots = points.flatMap(point =>
    point.values.map(({label, y}, i) => ({...point, label, y, isLast: i === point.values.length - 1})),
  );
  return [
    Plot.ruleX(points, {
      ...facet,
      x: 'x',
      dx,
      stroke,
      strokeWidth,
      strokeOpacity: 0.5,
      y1: ({values}: DotPoint) => values[0]?.y,
      y2: ({values}: DotPoint) => values.at(-1)?.y,
    }),
    Plot.dot(dots, {
      ...facet,
      x: 'x',
      y: 'y',
      dx,
      stroke,
      strokeWidth,
      r: fontPx * 0.24,
      symbol: symbolOf(colour),
      // the last dot is for 100 %
      fill: ({isLast}: (typeof dots)[number]) => (isLast ? stroke : palette.background),
      title: (dot: (typeof dots)[number]) => pointText(figure, dot),
    }),
  ];
}

function boxMarks(
  points: readonly BoxPoint[],
  {colour}: FigureSeries,
  place: number,
  {figure, style, facet}: Context,
): readonly Plot.Markish[] {
  const stroke = colourOf(style, colour);
  const {fontPx, lineWidth: strokeWidth} = style;
  const dx = besideOf(figure, place, fontPx * 0.75);
  const at = {...facet, x: 'x', dx, stroke} as const;
  const some = points.filter(({medianInterval}) => medianInterval !== null);
  const title = (point: BoxPoint): string => pointText(figure, point);
  return [
    Plot.ruleX(points, {
      ...at,
      strokeWidth,
      y1: ({whiskers}: BoxPoint) => whiskers[0],
      y2: ({whiskers}: BoxPoint) => whiskers[1],
    }),
    Plot.ruleX(points, {...at, y1: 'q1', y2: 'q3', strokeWidth: fontPx * 0.55, strokeOpacity: 0.35, title}),
    Plot.ruleX(some, {
      ...at,
      strokeWidth: fontPx * 0.3,
      y1: ({medianInterval}: BoxPoint) => medianInterval?.[0],
      y2: ({medianInterval}: BoxPoint) => medianInterval?.[1],
    }),
    Plot.dot(points, {
      ...at,
      y: 'median',
      symbol: symbolOf(colour),
      r: fontPx * 0.22,
      fill: style.palette.background,
      strokeWidth,
      title,
    }),
  ];
}

/**
 * The part of each bar that belongs to one cause. The interval of each mean is a line at the top of its part. The lines
 * of causes that follow each other in a bar are side by side, so that they do not overlap.
 */
function stackMarks(
  points: readonly StackPoint[],
  series: FigureSeries,
  place: number,
  {figure, style, facet}: Context,
): readonly Plot.Markish[] {
  const {palette, fontPx} = style;
  const some = points.filter(({half}) => half !== null && half > 0);
  return [
    Plot.barY(points, {
      ...facet,
      x: 'x',
      y1: 'from',
      y2: 'to',
      fill: seriesColour(style, series),
      stroke: palette.background,
      strokeWidth: style.lineWidth * 0.4,
      title: (point: StackPoint) => pointText(figure, point),
    }),
    Plot.ruleX(some, {
      ...facet,
      x: 'x',
      dx: ((place % 5) - 2) * fontPx * 0.3,
      y1: ({to, half}: StackPoint) => to - (half ?? 0),
      y2: ({to, half}: StackPoint) => to + (half ?? 0),
      stroke: palette.text,
      strokeWidth: style.lineWidth * 0.8,
    }),
  ];
}

/** A step curve from the first value to the last. It ends below 1 if some runs are not complete. */
function ecdfMark(curve: EcdfCurve, {colour, isPaper}: FigureSeries, {figure, style, facet}: Context): Plot.Markish {
  const {steps, ...place} = curve;
  const [first] = steps;
  const points = first === undefined ? [] : [{x: first.x, share: 0}, ...steps].map(step => ({...place, ...step}));
  const strokeDasharray = dashOf(colour, isPaper);
  return Plot.line(points, {
    ...facet,
    x: 'x',
    y: 'share',
    curve: 'step-after',
    z: null,
    stroke: colourOf(style, colour),
    strokeWidth: style.lineWidth,
    ...(strokeDasharray === undefined ? {} : {strokeDasharray}),
    title: () => `${figure.series[curve.series]?.name}: ${curve.n} of ${curve.runs} runs`,
  });
}

/** Whether some of the point's loads are not complete. */
function isPartial({n, runs}: FigurePlace): boolean {
  return n !== null && runs !== null && n < runs;
}

/** The marks of places without a value: a text at the bottom that says how many of the loads are complete. */
export function absentMarks(figure: Figure, style: FigureStyle, columns: number): readonly Plot.Markish[] {
  const {fontPx} = style;
  const facet = facetOf(figure, columns);
  return figure.series.flatMap(({colour}, place) => {
    const own = figure.absent?.filter(({series}) => series === place) ?? [];
    if (own.length === 0) return [];
    const dy = -fontPx * (0.2 + 0.9 * place);
    const words = {text: ({n, runs}: FigurePlace) => `${n}/${runs}`, fontSize: fontPx * 0.8};
    const fill = colourOf(style, colour);
    return [Plot.text(own, {...facet, x: 'x', frameAnchor: 'bottom', lineAnchor: 'bottom', dy, ...words, fill})];
  });
}

/** The number of px by which the series with index `place` is shifted. */
function besideOf({series}: Figure, place: number, px: number): number {
  return (place - (series.length - 1) / 2) * px;
}

function symbolOf(colour: number): Plot.SymbolType {
  return SYMBOLS[colour % SYMBOLS.length] ?? 'circle';
}
