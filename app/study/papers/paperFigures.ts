import type {Figure, LinePoint} from '../figures/figure.ts';

/** Gives a grid's figure the number that it has in the paper. */
export function numbered(figure: Figure, paper: string, number: string): Figure {
  return {
    ...figure,
    name: `${paper}-figure-${number}`,
    title: `${paper.toUpperCase()} figure ${number}: ${figure.title}`,
  };
}

/** The points of a figure with lines. @throws RangeError if its marks are not lines */
export function linesOf({name, marks}: Figure): readonly LinePoint[] {
  if (marks.kind !== 'lines') throw new RangeError(`${name} has ${marks.kind}, and no lines`);
  return marks.points;
}

/** One panel as a figure with its own y axis. @throws RangeError if the marks are not lines */
export function onePanel(figure: Figure, name: string): Figure {
  const {panels, title} = figure;
  const number = panels.indexOf(name);
  const points = linesOf(figure)
    .filter(({panel}) => panel === number)
    .map(point => ({...point, panel: 0}));
  return {...figure, title: `${title}, ${name}`, panels: [''], marks: {kind: 'lines', points}};
}

/** A line with numbers that the paper prints, in the units of the figure's axes. */
export interface PaperLine {
  readonly name: string;
  /** The index of the figure's series that the line is compared with; both have the same colour. */
  readonly beside: number;
  readonly points: readonly (readonly [x: number, y: number])[];
}

/**
 * Adds a paper's lines to a figure with one panel, and keeps those of our series whose indices are in `shown`.
 * @throws RangeError if the marks are not lines
 */
export function besidePaper(figure: Figure, shown: readonly number[], lines: readonly PaperLine[]): Figure {
  const ours = linesOf(figure).flatMap((point): readonly LinePoint[] => {
    const series = shown.indexOf(point.series);
    return series < 0 ? [] : [{...point, series}];
  });
  const theirs = lines.flatMap(({points}, i) =>
    points.map(([x, y]): LinePoint => {
      const series = shown.length + i;
      return {panel: 0, series, n: null, runs: null, cell: null, x, y, interval: null};
    }),
  );
  return {
    ...figure,
    series: [
      ...shown.flatMap((pane, colour) => {
        const {name = ''} = figure.series[pane] ?? {};
        return [{name, colour, isPaper: false}];
      }),
      ...lines.map(({name, beside}) => ({name, colour: shown.indexOf(beside), isPaper: true})),
    ],
    marks: {kind: 'lines', points: [...ours, ...theirs]},
    caption: [...figure.caption, 'Hollow symbols and dotted lines are the paper’s numbers.'],
  };
}
