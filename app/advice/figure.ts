import type {Figure, FigureSeries, LinePoint} from '../figures/figure.ts';
import type {Advice} from './advice.ts';

/** Which aim and candidate a point of the figure is of. */
export interface AdvicePlace {
  readonly aim: number;
  readonly candidate: number;
}

/**
 * The means of each aim against the number of streams, a panel for each aim and a line for each scheduler. A point's
 * cell is its own over all panels: {@link placeOfCell} says which. Null for a pipeline without streams.
 */
export function adviceFigure({aims, candidates, seeds}: Advice): Figure | null {
  const counts = [...new Set(candidates.map(({streams}) => streams))];
  const places = counts.filter(count => count !== null);
  if (places.length < counts.length || aims.length === 0) return null;
  const names = [...new Set(candidates.map(({scheduler}) => scheduler))];
  const series: readonly FigureSeries[] = names.map((name, colour) => ({name, colour, isPaper: false}));
  const points = aims.flatMap(({standings}, panel) =>
    candidates.map(({streams, scheduler}, i): LinePoint => {
      const {meanMs = 0, ci95Ms = null, never = 0} = standings[i] ?? {};
      const y = meanMs / 1000;
      return {
        ...{panel, series: names.indexOf(scheduler), n: seeds - never, runs: seeds},
        ...{cell: panel * candidates.length + i, x: streams ?? 0, y},
        interval: ci95Ms === null ? null : [y - ci95Ms / 1000, y + ci95Ms / 1000],
      };
    }),
  );
  return {
    ...{name: 'advice', title: 'Streams and scheduler, mean of each aim', series},
    x: {label: 'streams', unit: null, places},
    y: {label: 'time', unit: 's'},
    panels: aims.map(({aim}) => aim.label),
    marks: {kind: 'lines', points},
    caption: [],
  };
}

/** Of a figure's point. */
export function placeOfCell({candidates}: Pick<Advice, 'candidates'>, cell: number): AdvicePlace {
  return {aim: Math.floor(cell / candidates.length), candidate: cell % candidates.length};
}
