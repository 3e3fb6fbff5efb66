import {titleNames} from '../../pipelines/paneLabels.ts';
import {type CauseTotal, whySentence} from '../../run/why/causeTotals.ts';
import {cellScenario, type Grid} from '../experiment/grid.ts';
import {cellTexts, placeText} from '../figures/layout.ts';
import {left, type ReportTable} from '../report/report.ts';
import type {PaperGrid} from './paper.ts';

/**
 * The mean time of each cause on the critical path of each pane's page in one cell, over some seeds. `panes` has null
 * for a pane without a complete load.
 */
export interface CellCauses {
  readonly cell: number;
  readonly panes: readonly (readonly CauseTotal[] | null)[];
}

/** The causes of the times until the page is complete, for the cells of a grid. */
export interface GridCauses {
  readonly paperGrid: PaperGrid;
  readonly grid: Grid;
  readonly seeds: readonly number[];
  readonly cells: readonly CellCauses[];
}

/**
 * A table of sentences. For each cell of a grid and each pane other than the first, a sentence says why this pane and
 * the first differ. There is no sentence if one of the two panes has no complete load.
 */
export function causesTable({paperGrid, grid, seeds, cells}: GridCauses): ReportTable {
  const rows = cells.flatMap(({cell, panes}) => {
    const names = titleNames(cellScenario(grid, cell).panes);
    const [first, ...others] = panes;
    return others.flatMap((other, i) => {
      if (!first || !other) return [];
      const sentence = whySentence({name: names[0] ?? '', totals: first}, {name: names[i + 1] ?? '', totals: other});
      return [[...cellTexts(grid, cell, placeText), sentence]];
    });
  });
  const over = seeds.length === 1 ? 'for one seed' : `means over ${seeds.length} seeds`;
  return {
    caption: `${paperGrid.name}: ${paperGrid.about} (${over}; docs/why.md defines the causes)`,
    columns: [...grid.axes.map(({name}) => name), 'why'].map(left),
    rows,
  };
}
