import type {Figure, LinePoint} from '../figures/figure.ts';

/** A figure of a grid under the paper's own number. */
export function numbered(figure: Figure, paper: string, number: string): Figure {
  return {
    ...figure,
    name: `${paper}-figure-${number}`,
    title: `${paper.toUpperCase()} figure ${number}: ${figure.title}`,
  };
}

/** Of a figure of lines. @throws RangeError for other marks */
export function linesOf({name, marks}: Figure): readonly LinePoint[] {
  if (marks.kind !== 'lines') throw new RangeError(`${name} has ${marks.kind}, and no lines`);
  return marks.points;
}

/** One of its panels by itself, with a y axis of its own. @throws RangeError for marks that are no lines */
export function onePanel(figure: Figure, name: string): Figure {
  const {panels, title} = figure;
  const number = panels.indexOf(name);
  const points = linesOf(figure)
    .filter(({panel}) => panel === number)
    .map(point => ({...point, panel: 0}));
  return {...figure, title: `${title}, ${name}`, panels: [''], marks: {kind: 'lines', points}};
}

/** A line that a paper prints, in the units of the figure's axes. */
export interface PaperLine {
  readonly name: string;
  /** Which of the figure's series it is to be seen with. */
  readonly beside: number;
  readonly points: readonly (readonly [x: number, y: number])[];
}

/** With a paper's numbers, in the only panel; those of our panes that are `shown`. @throws RangeError for other marks */
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
    caption: [...figure.caption, 'Hollow and dotted: the paper’s.'],
  };
}
