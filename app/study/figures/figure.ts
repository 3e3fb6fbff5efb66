/** A chart as data: `drawFigure` draws it, and `figureTable` is what stands beside it as a file. */
export interface Figure {
  /** Of its files, without their endings: lower-case letters, digits, hyphens. */
  readonly name: string;
  readonly title: string;
  readonly x: FigureAxis;
  readonly y: FigureAxis;
  /** At most as many as there are colours, where they are a grid's. */
  readonly series: readonly FigureSeries[];
  /** Side by side, by what tells them apart, such as `10 KB`; one without a name where nothing does. */
  readonly panels: readonly string[];
  readonly marks: FigureMarks;
  /** Places that have runs, but nothing to show of them. */
  readonly absent?: readonly AbsentPoint[];
  /** Loads that are not complete count as the time limit: where there are some, the value is a bound from below. */
  readonly isRestricted?: true;
  /** The end of the title, behind a colon: what of a grid it is of. */
  readonly group?: string;
  /** Sentences below it: what a point is, n, seeds, stacks and profiles, what was left out. */
  readonly caption: readonly string[];
}

export interface FigureAxis {
  readonly label: string;
  /** As `s` or `%`; null where it has none. */
  readonly unit: string | null;
  /** Of numbers that lie far apart. */
  readonly isLogarithmic?: true;
  /** All of its places, in their order, whether something stands there or not. */
  readonly places?: readonly number[] | readonly string[];
}

export interface FigureSeries {
  readonly name: string;
  /** Which of the palette's colours, from 0; a paper's numbers have that of ours beside them. */
  readonly colour: number;
  /** Numbers of a paper, which are drawn hollow and dashed. */
  readonly isPaper: boolean;
}

export type FigureMarks =
  /** A quantity against another: means, joined by lines, with their intervals. */
  | {readonly kind: 'lines'; readonly points: readonly LinePoint[]}
  /** Several times of one load above each place of the x axis, joined by a stroke: PPage of P = 25, 50, 75, 100. */
  | {readonly kind: 'dots'; readonly points: readonly DotPoint[]}
  /** Quartiles with whiskers above each place of the x axis. */
  | {readonly kind: 'boxes'; readonly points: readonly BoxPoint[]}
  /** Share of the runs that have come so far. */
  | {readonly kind: 'ecdf'; readonly curves: readonly EcdfCurve[]};

/** Where a point stands, in the units of the axes, and how many runs it is of. */
export interface FigurePlace {
  /** Places in the figure's lists. */
  readonly panel: number;
  readonly series: number;
  /** Loads that are complete; null of a paper's that does not say. */
  readonly n: number | null;
  /** All loads. */
  readonly runs: number | null;
  /** Of the grid, where it is of one. */
  readonly cell: number | null;
}

export interface AbsentPoint extends FigurePlace {
  readonly x: number | string;
}

export interface LinePoint extends FigurePlace {
  readonly x: number;
  readonly y: number;
  /** 95 % confidence interval; null without one. */
  readonly interval: readonly [low: number, high: number] | null;
}

export interface DotPoint extends FigurePlace {
  /** A place of the x axis by its name. */
  readonly x: string;
  /** In ascending order of their labels: `25 %`, … */
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

export interface EcdfCurve extends FigurePlace {
  /** Ascending: the share of all runs that have come by x is `share`. */
  readonly steps: readonly {readonly x: number; readonly share: number}[];
}
