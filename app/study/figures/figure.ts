import type {CauseName} from '../../run/why/causeKinds.ts';

/** A chart as data. `drawFigure` draws it, and `figureTable` makes the CSV file that accompanies it. */
export interface Figure {
  /** The name of the figure's files, without the extension. It consists of lower-case letters, digits and hyphens. */
  readonly name: string;
  readonly title: string;
  readonly x: FigureAxis;
  readonly y: FigureAxis;
  /** The series. In a figure of a grid, each series has its own colour, so their number is limited. */
  readonly series: readonly FigureSeries[];
  /** The names of the panels side by side, such as `10 KB`; a single panel has an empty name. */
  readonly panels: readonly string[];
  readonly marks: FigureMarks;
  /** Places that have runs, but no value to show. */
  readonly absent?: readonly AbsentPoint[];
  /**
   * Set if incomplete loads in which the event did not happen count as the time limit. A value over such loads is a
   * lower bound.
   */
  readonly isRestricted?: true;
  /** The part of the grid that the figure shows. The title has this text at its end, after a colon. */
  readonly group?: string;
  /** Paragraphs below the figure: what a point is, number of runs, seeds, stacks and profiles, incomplete loads. */
  readonly caption: readonly string[];
}

export interface FigureAxis {
  readonly label: string;
  /** The unit, like `s` or `%`; null if there is none. */
  readonly unit: string | null;
  /** Set for a logarithmic axis, which is used for numbers that span a wide range. */
  readonly isLogarithmic?: true;
  /** All places on the axis in order, including those without a point. */
  readonly places?: readonly number[] | readonly string[];
}

export interface FigureSeries {
  readonly name: string;
  /**
   * The index of the series' colour in the palette. A paper's series has the colour of our series with which it is
   * compared.
   */
  readonly colour: number;
  /** In a figure of causes: the cause, which gives the series its colour. */
  readonly cause?: CauseName;
  /** Whether a paper prints the numbers. Such a series is drawn with hollow symbols and dotted lines. */
  readonly isPaper: boolean;
}

export type FigureMarks =
  /** Means with their intervals, joined by lines. */
  | {readonly kind: 'lines'; readonly points: readonly LinePoint[]}
  /** For each place on the x axis, several values joined by a stroke, such as PPage for P = 25, 50, 75 and 100. */
  | {readonly kind: 'dots'; readonly points: readonly DotPoint[]}
  /** Quartiles with whiskers above each place of the x axis. */
  | {readonly kind: 'boxes'; readonly points: readonly BoxPoint[]}
  /** Bars at each place of the x axis. The means of the series are stacked in their order. */
  | {readonly kind: 'stacks'; readonly points: readonly StackPoint[]}
  /** Empirical distributions: the share of all runs that have a value of at most x. */
  | {readonly kind: 'ecdf'; readonly curves: readonly EcdfCurve[]};

/** The panel and the series of a point, and its number of runs. */
export interface FigurePlace {
  /** Indices in the figure's lists `panels` and `series`. */
  readonly panel: number;
  readonly series: number;
  /**
   * Number of complete loads; null for a paper's point, if the paper does not say. In `adviceFigure`, this is the
   * number of loads in which the aim's event happened.
   */
  readonly n: number | null;
  /** Number of all loads; null if a paper does not say. */
  readonly runs: number | null;
  /**
   * The index of the point's cell in the grid; null if the point is not from a grid. In `adviceFigure`, this is the
   * index of the point's number of streams.
   */
  readonly cell: number | null;
}

export interface AbsentPoint extends FigurePlace {
  readonly x: number | string;
}

export interface LinePoint extends FigurePlace {
  readonly x: number;
  readonly y: number;
  /** 95 % confidence interval; null if there is none. */
  readonly interval: readonly [low: number, high: number] | null;
}

export interface DotPoint extends FigurePlace {
  /** The name of the place on the x axis. */
  readonly x: string;
  /** The values in ascending order of their labels: `25 %`, … */
  readonly values: readonly {readonly label: string; readonly y: number}[];
}

export interface BoxPoint extends FigurePlace {
  readonly x: string;
  readonly q1: number;
  readonly median: number;
  readonly q3: number;
  /** The 5 % and the 95 % quantile. */
  readonly whiskers: readonly [low: number, high: number];
  /** The median's 95 % interval. */
  readonly medianInterval: readonly [low: number, high: number] | null;
}

export interface StackPoint extends FigurePlace {
  readonly x: string;
  /** The index of the pane that the bar is about, from 0. */
  readonly pane: number;
  /** The bottom and the top of the part of the bar. Their difference is the mean. */
  readonly from: number;
  readonly to: number;
  /** Half of the mean's 95 % confidence interval; null if there is none. */
  readonly half: number | null;
}

export interface EcdfCurve extends FigurePlace {
  /** The steps in ascending order. `share` is the share of all runs that have a value of at most x. */
  readonly steps: readonly {readonly x: number; readonly share: number}[];
}
