import {paneLabels, titleNames} from '../../pipelines/paneLabels.ts';
import type {Estimate} from '../../run/metrics/statistics.ts';
import {causeKind} from '../../run/why/causeKinds.ts';
import {type WhySide, whySentence} from '../../run/why/causeTotals.ts';
import {cellScenario, type Grid} from '../experiment/grid.ts';
import {CAUSE_METRICS} from '../experiment/metricList.ts';
import type {CellSummary, PaneCellSummary} from '../experiment/summary.ts';
import {cellTexts, placeText} from '../figures/layout.ts';
import {left, type ReportPart, type ReportSection, right} from './report.ts';

/**
 * The section with the mean time of each cause in each cell and pane. In each cell, a sentence for each pane other than
 * the first compares this pane with the first, if both have complete loads. The section has no parts if the grid keeps
 * no causes, or if no load is complete.
 */
export function causesSection({
  grid,
  cells,
}: {
  readonly grid: Grid;
  readonly cells: readonly CellSummary[];
}): ReportSection {
  const causes = CAUSE_METRICS.filter(({name}) =>
    cells.some(({panes}) => panes.some(({metrics}) => (metrics[name]?.mean ?? 0) > 0)),
  );
  const heading = 'Where the time went';
  if (causes.length === 0) return {heading, parts: []};
  const rows = cells.flatMap(({cell, panes}) => {
    const labels = paneLabels(cellScenario(grid, cell).panes);
    return panes.map((pane, i) => [
      ...cellTexts(grid, cell, placeText),
      labels[i] ?? '',
      ...causes.map(({name}) => estimateText(pane.metrics[name])),
    ]);
  });
  const columns = [
    ...[...grid.axes.map(({name}) => name), 'pane'].map(left),
    ...causes.map(({cause}) => right(causeKind(cause).label)),
  ];
  return {heading, parts: [{kind: 'table', table: {caption: CAPTION, columns, rows}}, ...sentences(grid, cells)]};
}

/** Sentences that compare, in each cell, the first pane with each of the other panes. */
function sentences(grid: Grid, cells: readonly CellSummary[]): readonly ReportPart[] {
  return cells.flatMap(({cell, panes}): readonly ReportPart[] => {
    const names = titleNames(cellScenario(grid, cell).panes);
    const [first, ...others] = panes.map((pane, i) => sideOf(pane, names[i] ?? ''));
    const where = cellTexts(grid, cell, placeText).join(', ');
    return others.flatMap(other => {
      if (!first || !other) return [];
      return [{kind: 'text', text: `${where === '' ? '' : `${where}: `}${whySentence(first, other)}`} as const];
    });
  });
}

/** The mean causes of a pane; null if no load was complete. */
function sideOf({metrics}: PaneCellSummary, name: string): WhySide | null {
  if (CAUSE_METRICS.every(metric => metrics[metric.name]?.mean == null)) return null;
  const totals = CAUSE_METRICS.map(metric => ({
    name: metric.cause,
    ns: Math.round((metrics[metric.name]?.mean ?? 0) * 1e6),
  }));
  return {name, totals: totals.filter(({ns}) => ns !== 0)};
}

function estimateText(estimate: Pick<Estimate, 'mean' | 'ci95'> | undefined): string {
  if (estimate?.mean == null) return '–';
  if (estimate.mean === 0) return '';
  const seconds = (ms: number): string => (ms / 1000).toFixed(3);
  return `${seconds(estimate.mean)}${estimate.ci95 === null ? '' : ` ± ${seconds(estimate.ci95)}`}`;
}

const CAPTION =
  'The mean time of each cause on the critical path, in s, ± half of its 95 % confidence interval, over complete loads ' +
  '(docs/why.md). The causes of a row add up to the mean time from navigation until the page was complete.';
