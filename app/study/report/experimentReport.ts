import type {Json} from '../../base/json.ts';
import {paneLabels} from '../../pipelines/paneLabels.ts';
import {describePath} from '../../run/scenario/describe.ts';
import {seedsText} from '../../run/scenario/seeds.ts';
import type {AcrossComparison} from '../experiment/across.ts';
import {cellCount, cellScenario, runCount} from '../experiment/grid.ts';
import {type Identity, namedGrid} from '../experiment/identity.ts';
import {type CellSummary, type Corrected, type CorrectedComparison, METHODS} from '../experiment/summary.ts';
import type {Figure} from '../figures/figure.ts';
import {placeText} from '../figures/layout.ts';
import {acrossPoints, leftOutRuns, numbers} from './experimentTables.ts';
import {left, type Report, type ReportCell, type ReportPart, type ReportSection} from './report.ts';

/** An experiment as its report tells it. */
export interface ToldExperiment {
  readonly identity: Identity;
  /** Options of the command line besides the grid and where to, which both have to be alike. */
  readonly options: string;
  /** All of them, or none where there are more than `mostCells`. */
  readonly cells: readonly CellSummary[];
  readonly mostCells: number;
  /** Of the metric that the table tells. */
  readonly comparisons: readonly CorrectedComparison[];
  /** Likewise, between the points of axes that choose pipelines. */
  readonly across: readonly Corrected<AcrossComparison>[];
  /** Of the metric that the table tells, by its column's name. */
  readonly metric: string;
  readonly figures: readonly Figure[];
  /** Combinations of axes whose figures were too many. */
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
      numbers({grid, ...told}),
      acrossPoints({grid, ...told}),
      leftOutRuns({grid, cells}),
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

function whatWasRun({identity, options}: ToldExperiment): ReportSection {
  const {grid, pages} = identity;
  const {panes, path, timeLimitMs} = cellScenario(grid, 0);
  const rows = grid.axes.map((axis): readonly ReportCell[] => [
    axis.name,
    axis.keys.join(', '),
    axis.points.map(point => placeText(axis, point)).join(', '),
  ]);
  const columns = ['axis', 'sets', 'points'].map(left);
  return {
    heading: 'What was run',
    parts: [
      {kind: 'command', command: `npx interleave experiment grid.json --out DIR${options}`},
      {kind: 'document', name: 'grid.json', text: JSON.stringify(namedGrid(identity), null, 2)},
      {
        kind: 'text',
        text: `The first cell: ${paneLabels(panes).join(' beside ')}; ${describePath(path)}; time limit ${timeLimitMs / 1000} s.`,
      },
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

/** Those of one kind together. */
function figureSections({figures, leftOut, cells, mostCells, identity}: ToldExperiment): readonly ReportSection[] {
  if (cells.length === 0) {
    const text = `There are ${cellCount(identity.grid)} cells; figures and tables are made of at most ${mostCells}. results.csv and summary.json have them all.`;
    return [{heading: 'Figures', parts: [{kind: 'text', text}]}];
  }
  const sections = new Map<string, ReportPart[]>();
  for (const figure of figures) {
    const {title, group} = figure;
    const heading = group === undefined ? title : title.slice(0, -`: ${group}`.length);
    const parts = sections.get(heading) ?? [];
    sections.set(heading, parts);
    parts.push({kind: 'figure', figure});
  }
  const told = [...sections].map(([heading, parts]) => ({heading, parts}));
  if (leftOut === 0) return told;
  const text = `Figures of ${leftOut} more combinations of axes would be too many to look at: they are not drawn.`;
  return [...told, {heading: 'More figures', parts: [{kind: 'text', text}]}];
}

function methods(): ReportSection {
  const rows = Object.entries(METHODS).map(([name, text]) => [name, text]);
  const caption = 'What summary.json calls them, and what they are';
  return {
    heading: 'How the numbers come about',
    parts: [{kind: 'table', table: {caption, columns: [left('name'), left('is')], rows}}],
  };
}

/** Of many, the first. */
const SHOWN_PAGES = 8;
