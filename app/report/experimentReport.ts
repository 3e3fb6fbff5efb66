import type {Axis} from '../experiment/axis.ts';
import {cellCount, cellScenario, type Grid, runCount} from '../experiment/grid.ts';
import type {Identity} from '../experiment/identity.ts';
import {
  type CellSummary,
  type CorrectedComparison,
  METHODS,
  type PaneCellSummary,
} from '../experiment/summary.ts';
import type {Figure} from '../figures/figure.ts';
import {tickText} from '../figures/layout.ts';
import {axisText, keyQuantity, metricQuantity, type Quantity} from '../figures/words.ts';
import {paneLabels} from '../pipelines/paneLabels.ts';
import {describePath} from '../scenario/describe.ts';
import type {Json} from '../scenario/document.ts';
import {seedsText} from '../scenario/seeds.ts';
import {showValue} from '../scenario/show.ts';
import type {Report, ReportCell, ReportColumn, ReportPart, ReportSection} from './report.ts';

/** An experiment as its report tells it. */
export interface ToldExperiment {
  readonly identity: Identity;
  /** The command line that makes it again. */
  readonly command: string;
  /** All of them, or none where there are more than `mostCells`. */
  readonly cells: readonly CellSummary[];
  readonly mostCells: number;
  /** Of the metric that the table tells. */
  readonly comparisons: readonly CorrectedComparison[];
  /** Of the metric that the table tells, by its column's name. */
  readonly metric: string;
  readonly figures: readonly Figure[];
  /** Figures that were too many. */
  readonly leftOut: number;
}

/** What was run, what came of it, and how its numbers come about. */
export function experimentReport(told: ToldExperiment): Report {
  const {identity, cells} = told;
  const {grid} = identity;
  return {
    title: grid.name ?? 'An experiment',
    lead: [
      `${runCount(grid)} runs of ${cellCount(grid)} cells, seeds ${seedsText(grid.seeds)}.`,
      incomplete(cells),
    ].filter(text => text !== ''),
    sections: [
      whatWasRun(told),
      ...figureSections(told),
      numbers(told),
      leftOutRuns(cells),
      methods(),
    ].filter(({parts}) => parts.length > 0),
  };
}

function incomplete(cells: readonly CellSummary[]): string {
  const panes = cells.flatMap(cell => cell.panes);
  if (panes.length === 0) return '';
  const runs = panes.reduce((sum, pane) => sum + pane.runs, 0);
  const complete = panes.reduce((sum, pane) => sum + pane.complete, 0);
  if (runs === complete) return `All ${runs} loads are complete.`;
  const [left, are] = [runs - complete, runs - complete === 1 ? 'is' : 'are'];
  return `${left} of ${runs} loads ${are} not complete: named below, and in every mean of times as the time limit.`;
}

function whatWasRun({identity, command}: ToldExperiment): ReportSection {
  const {grid, pages} = identity;
  const {panes, path} = cellScenario(grid, 0);
  const rows = grid.axes.map((axis): readonly ReportCell[] => [
    axis.name,
    axis.keys.join(', '),
    axis.points.map(point => tickText(axis, point)).join(', ') + unitOf(axis),
  ]);
  const columns = ['axis', 'sets', 'points'].map(left);
  return {
    heading: 'What was run',
    parts: [
      {kind: 'command', command},
      {kind: 'text', text: `The first cell: ${paneLabels(panes).join(' beside ')}; ${describePath(path)}.`},
      {kind: 'text', text: pagesText(pages)},
      ...(rows.length === 0
        ? []
        : [{kind: 'table' as const, table: {caption: 'Axes: all their points are combined', columns, rows}}]),
    ],
  };
}

/** Each with the beginning of the hash of what it was. */
function pagesText(pages: Identity['pages']): string {
  const shown = pages.slice(0, SHOWN_PAGES).map(([page, hash]) => `${pageName(page)} (${hash.slice(0, 12)})`);
  const more = pages.length > SHOWN_PAGES ? ` and ${pages.length - SHOWN_PAGES} more` : '';
  return `Pages: ${shown.join(', ')}${more}.`;
}

function pageName(page: Json): string {
  return typeof page === 'string' ? page : 'synthetic';
}

/** ` %`; none of what is no key. */
function unitOf({isLinked, keys: [key = '']}: Axis): string {
  const {unit} = keyQuantity(key);
  return isLinked || unit === null ? '' : ` ${unit}`;
}

/** Those of one kind together. */
function figureSections({
  figures,
  leftOut,
  cells,
  mostCells,
  identity,
}: ToldExperiment): readonly ReportSection[] {
  if (cells.length === 0) {
    const text = `There are ${cellCount(identity.grid)} cells; figures and tables are made of at most ${mostCells}. results.csv and summary.json have them all.`;
    return [{heading: 'Figures', parts: [{kind: 'text', text}]}];
  }
  const sections = new Map<string, ReportPart[]>();
  for (const figure of figures) {
    const heading = figure.title.split(':')[0] ?? figure.title;
    const parts = sections.get(heading) ?? [];
    sections.set(heading, parts);
    parts.push({kind: 'figure', figure});
  }
  const told = [...sections].map(([heading, parts]) => ({heading, parts}));
  if (leftOut === 0) return told;
  const text = `${leftOut} more figures would be too many to look at: they are not drawn.`;
  return [...told, {heading: 'More figures', parts: [{kind: 'text', text}]}];
}

/** A row for each cell and pane. */
function numbers({identity: {grid}, cells, comparisons, metric}: ToldExperiment): ReportSection {
  const quantity = metricQuantity(metric);
  const heading = `The numbers: ${axisText(quantity)}`;
  if (cells.length === 0) return {heading, parts: []};
  const byCell = new Map<number, CorrectedComparison[]>();
  for (const each of comparisons) {
    if (each.panes[0] !== 1) continue;
    const own = byCell.get(each.cell) ?? [];
    byCell.set(each.cell, own);
    own.push(each);
  }
  const axisNames = grid.axes.map(({name}) => name);
  const rows = cells.flatMap(cell => {
    const labels = paneLabels(cellScenario(grid, cell.cell).panes);
    return cell.panes.map((pane, i) => {
      const against = byCell.get(cell.cell)?.find(({panes}) => panes[1] === i + 1);
      return [
        ...axisNames.map(name => showPlain(cell.axes, name, grid)),
        labels[i] ?? '',
        ...paneCells(pane, metric, quantity),
        ...againstCells(against, quantity),
      ];
    });
  });
  const columns = [
    ...[...axisNames, 'pane'].map(left),
    ...[
      'complete',
      'mean',
      '± 95 %',
      'median',
      'its 95 % interval',
      'first pane − this',
      '± 95 %',
      'p (Holm)',
    ].map(right),
  ];
  const caption =
    'Times of loads that are not complete count as the time limit in means and p; medians are of the complete. ' +
    'p: Wilcoxon’s signed-rank test against the first pane, seed by seed, after Holm’s correction over this table.';
  return {heading, parts: [{kind: 'table', table: {caption, columns, rows}}]};
}

/** The axis's own column, or that of its key. */
function showPlain(axes: CellSummary['axes'], name: string, {axes: all}: Grid): string {
  const key = Object.hasOwn(axes, name) ? name : (all.find(axis => axis.name === name)?.keys[0] ?? name);
  const value = axes[key] ?? null;
  return typeof value === 'string' ? value : showValue(value);
}

function paneCells(
  {metrics, runs, complete}: PaneCellSummary,
  metric: string,
  {factor}: Quantity,
): readonly string[] {
  const {mean, ci95, median, medianCi95, restricted} = metrics[metric] ?? {};
  const of = restricted ?? {mean, ci95};
  return [
    complete === runs ? String(runs) : `${complete} of ${runs}`,
    number(of.mean, factor),
    number(of.ci95, factor),
    number(median, factor),
    medianCi95 ? `${number(medianCi95[0], factor)} to ${number(medianCi95[1], factor)}` : '',
  ];
}

function againstCells(comparison: CorrectedComparison | undefined, {factor}: Quantity): readonly string[] {
  if (comparison === undefined) return ['', '', ''];
  const {meanDifference, ci95, pHolm} = comparison;
  return [number(meanDifference, factor), number(ci95, factor), pText(pHolm)];
}

/** Each reason with how often, by cell. */
function leftOutRuns(cells: readonly CellSummary[]): ReportSection {
  const rows = cells.flatMap(({axes, panes}) =>
    panes.flatMap(({pane, pipeline, leftOut, runs}) =>
      leftOut.map(({reason, seeds}) => [
        Object.entries(axes)
          .map(([key, value]) => `${key} ${showValue(value)}`)
          .join(', '),
        `${pane} (${pipeline})`,
        `${seeds.length} of ${runs}`,
        reason,
        seedsText(seeds),
      ]),
    ),
  );
  const columns = [...['cell', 'pane'].map(left), right('runs'), ...['why', 'seeds'].map(left)];
  const caption =
    'Loads that are not complete: no part of medians, counted as the time limit in restricted means';
  return {
    heading: 'Not complete',
    parts: rows.length === 0 ? [] : [{kind: 'table', table: {caption, columns, rows}}],
  };
}

function methods(): ReportSection {
  const rows = Object.entries(METHODS).map(([name, text]) => [name, text]);
  const caption = 'What summary.json calls them, and what they are';
  return {
    heading: 'How the numbers come about',
    parts: [{kind: 'table', table: {caption, columns: [left('name'), left('is')], rows}}],
  };
}

function left(name: string): ReportColumn {
  return {name, align: 'left'};
}

function right(name: string): ReportColumn {
  return {name, align: 'right'};
}

/** Three digits behind the point where it is small. */
function number(value: number | null | undefined, factor: number): string {
  if (value === null || value === undefined) return '';
  const shown = value * factor;
  return shown.toFixed(Math.abs(shown) < 10 ? 3 : 2);
}

function pText(p: number | null): string {
  if (p === null) return '';
  return p < 0.001 ? '< 0.001' : p.toFixed(3);
}

const SHOWN_PAGES = 8;
