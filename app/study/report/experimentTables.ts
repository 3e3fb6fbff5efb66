import {showValue} from '../../base/text.ts';
import {paneLabels} from '../../pipelines/paneLabels.ts';
import {seedsText} from '../../run/scenario/seeds.ts';
import type {AcrossComparison} from '../experiment/across.ts';
import {cellScenario, type Grid} from '../experiment/grid.ts';
import type {CellSummary, Corrected, CorrectedComparison, PaneCellSummary} from '../experiment/summary.ts';
import {cellTexts, placeText, pointText} from '../figures/layout.ts';
import {axisText, metricQuantity, type Quantity} from '../figures/quantities.ts';
import {left, type ReportPart, type ReportSection, type ReportTable, right} from './report.ts';

/** The part of an experiment that the tables show. */
export interface TabledExperiment {
  readonly grid: Grid;
  readonly cells: readonly CellSummary[];
  /** The metric that the tables show, by the name of its column. */
  readonly metric: string;
  readonly comparisons: readonly CorrectedComparison[];
}

/** The table of results: a row for each cell and pane. */
export function numbers({grid, cells, comparisons, metric}: TabledExperiment): ReportSection {
  const quantity = metricQuantity(metric);
  const against = new Map(
    comparisons.filter(({panes}) => panes[0] === 1).map(each => [`${each.cell} ${each.panes[1]}`, each] as const),
  );
  const rows = cells.flatMap(({cell, panes}) => {
    const points = cellTexts(grid, cell, placeText);
    const labels = paneLabels(cellScenario(grid, cell).panes);
    return panes.map((pane, i) => [
      ...points,
      labels[i] ?? '',
      ...paneCells(pane, metric, quantity),
      ...againstCells(against.get(`${cell} ${i + 1}`), quantity),
    ]);
  });
  const columns = [...[...grid.axes.map(({name}) => name), 'pane'].map(left), ...NUMBERS.map(right)];
  return {heading: `Results: ${axisText(quantity)}`, parts: tableOf({caption: CAPTION, columns, rows})};
}

/** Compares pipelines, with a row for each pane and each pair of points on an axis that chooses pipelines. */
export function acrossPoints({
  grid,
  across,
  metric,
}: Pick<TabledExperiment, 'grid' | 'metric'> & {
  readonly across: readonly Corrected<AcrossComparison>[];
}): ReportSection {
  const quantity = metricQuantity(metric);
  const {factor} = quantity;
  const rows = across.map(({axis, points, cells: [cell], pane, n, meanDifference, ci95, pHolm}) => {
    const others = cellTexts(grid, cell, pointText).filter((_, i) => grid.axes[i]?.name !== axis);
    const [first, second] = points.map(point => (typeof point === 'string' ? point : showValue(point)));
    return [
      others.join(', '),
      `${first} − ${second}`,
      String(pane),
      String(n),
      number(meanDifference, factor),
      number(ci95, factor),
      pText(pHolm),
    ];
  });
  const columns = [
    ...['other axes', 'points'].map(left),
    ...['pane', 'complete in both', 'mean difference', '± 95 %', 'p (Holm)'].map(right),
  ];
  const caption =
    'Each row compares a pane at two points of the axis, paired by seed. Differences are over the seeds with ' +
    'complete loads at both points. For p, an incomplete load in which the time was not reached counts as the time ' +
    'limit.';
  const axes = [...new Set(across.map(({axis}) => axis))].join(', ');
  return {
    heading: `Compared across ${axes}: ${axisText(quantity)}`,
    parts: tableOf({caption, columns, rows}),
  };
}

/** The loads that are not complete, by cell, pane and reason. */
export function leftOutRuns({grid, cells}: Pick<TabledExperiment, 'grid' | 'cells'>): ReportSection {
  const rows = cells.flatMap(({cell, panes}) =>
    panes.flatMap(({pane, leftOut, runs}) =>
      leftOut.map(({reason, seeds}) => [
        cellTexts(grid, cell, pointText).join(', '),
        `${pane} (${paneLabels(cellScenario(grid, cell).panes)[pane - 1]})`,
        `${seeds.length} of ${runs}`,
        reason,
        seedsText(seeds),
      ]),
    ),
  );
  const columns = [...['cell', 'pane'].map(left), right('loads'), ...['reason', 'seeds'].map(left)];
  const caption =
    'Loads that are not complete. Medians leave them out. In means of times, an incomplete load in which the time ' +
    'was not reached counts as the time limit.';
  return {heading: 'Not complete', parts: tableOf({caption, columns, rows})};
}

/** Returns the table, cut after {@link MOST_ROWS} rows, or no parts if the table has no rows. */
function tableOf(table: ReportTable): readonly ReportPart[] {
  const {rows} = table;
  if (rows.length === 0) return [];
  const parts: readonly ReportPart[] = [{kind: 'table', table: {...table, rows: rows.slice(0, MOST_ROWS)}}];
  if (rows.length <= MOST_ROWS) return parts;
  const text = `${rows.length - MOST_ROWS} more rows are not shown. summary.json contains all of them.`;
  return [...parts, {kind: 'text', text}];
}

/**
 * A pane's cells. If the metric is the time of an event and some loads are not complete, the mean is a lower bound and
 * marked with ≥.
 */
function paneCells({metrics, runs, complete}: PaneCellSummary, metric: string, {factor}: Quantity): readonly string[] {
  const {mean, ci95, median, medianCi95, restricted} = metrics[metric] ?? {};
  const of = restricted ?? {mean, ci95};
  const isBound = restricted !== undefined && complete < runs;
  return [
    complete === runs ? String(runs) : `${complete} of ${runs}`,
    `${isBound ? '≥ ' : ''}${number(of.mean, factor)}`,
    number(of.ci95, factor),
    number(median, factor),
    medianCi95 ? `${number(medianCi95[0], factor)} to ${number(medianCi95[1], factor)}` : '',
  ];
}

function againstCells(comparison: CorrectedComparison | undefined, {factor}: Quantity): readonly string[] {
  if (comparison === undefined) return ['', '', '', ''];
  const {n, meanDifference, ci95, pHolm} = comparison;
  return [String(n), number(meanDifference, factor), number(ci95, factor), pText(pHolm)];
}

/** A number with three decimals if it is below 10, and otherwise with two. */
function number(value: number | null | undefined, factor: number): string {
  if (value === null || value === undefined) return '';
  const shown = value * factor;
  return shown.toFixed(Math.abs(shown) < 10 ? 3 : 2);
}

function pText(p: number | null): string {
  if (p === null) return '';
  return p < 0.001 ? '< 0.001' : p.toFixed(3);
}

const NUMBERS = [
  'complete',
  'mean',
  '± 95 %',
  'median',
  '95 % interval of the median',
  'complete in both',
  'first pane − this pane',
  '± 95 %',
  'p (Holm)',
];

const CAPTION =
  'In means of times and for p, an incomplete load in which the time was not reached counts as the time limit. ' +
  'Medians are over the complete loads, and differences over the seeds with complete loads in both panes. p is from ' +
  'Wilcoxon’s signed-rank test against the first pane, paired by seed, after Holm’s correction over all cells and ' +
  'pairs of panes.';

const MOST_ROWS = 2000;
