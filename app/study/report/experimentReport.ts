import type {Json} from '../../base/json.ts';
import {paneLabels} from '../../pipelines/paneLabels.ts';
import {describeRunPath} from '../../run/scenario/describe.ts';
import {seedsText} from '../../run/scenario/seeds.ts';
import type {AcrossComparison} from '../experiment/across.ts';
import {cellCount, cellScenario, runCount} from '../experiment/grid.ts';
import {type Identity, namedGrid} from '../experiment/identity.ts';
import {type CellSummary, type Corrected, type CorrectedComparison, METHODS} from '../experiment/summary.ts';
import type {Figure} from '../figures/figure.ts';
import {placeText} from '../figures/layout.ts';
import {causesSection} from './causesTable.ts';
import {acrossPoints, leftOutRuns, numbers} from './experimentTables.ts';
import {left, type Report, type ReportCell, type ReportPart, type ReportSection} from './report.ts';

/** An experiment with everything that its report shows. */
export interface ExperimentContent {
  readonly identity: Identity;
  /** The options of the command line that affect the results, without the grid and the folder. */
  readonly options: string;
  /** All cells, or none if there are more than `mostCells`. */
  readonly cells: readonly CellSummary[];
  readonly mostCells: number;
  /** The comparisons of panes in the metric of the table. */
  readonly comparisons: readonly CorrectedComparison[];
  /** The comparisons between points of axes that choose pipelines, in the metric of the table. */
  readonly across: readonly Corrected<AcrossComparison>[];
  /** The metric of the table, by the name of its column. */
  readonly metric: string;
  readonly figures: readonly Figure[];
  /**
   * If the grid has more axes than fit into a figure, each combination of points on the other axes has its own figures.
   * This is the number of combinations whose figures are left out, because there are too many.
   */
  readonly leftOut: number;
}

/** The report on an experiment: what was run, the results, and how the numbers are computed. */
export function experimentReport(experiment: ExperimentContent): Report {
  const {identity, cells} = experiment;
  const {grid} = identity;
  return {
    title: grid.name ?? 'An experiment',
    lead: [
      `The experiment has ${runCount(grid)} runs: ${cellCount(grid)} cells, each with the seeds ${seedsText(grid.seeds)}.`,
      incomplete(cells),
    ].filter(text => text !== ''),
    sections: [
      whatWasRun(experiment),
      ...figureSections(experiment),
      numbers({grid, ...experiment}),
      causesSection({grid, cells}),
      acrossPoints({grid, ...experiment}),
      leftOutRuns({grid, cells}),
      methods(),
    ].filter(({parts}) => parts.length > 0),
  };
}

/** The sentence about incomplete loads; empty if no cells are shown. */
function incomplete(cells: readonly CellSummary[]): string {
  const panes = cells.flatMap(cell => cell.panes);
  if (panes.length === 0) return '';
  const runs = panes.reduce((sum, pane) => sum + pane.runs, 0);
  const complete = panes.reduce((sum, pane) => sum + pane.complete, 0);
  if (runs === complete) return `All ${runs} loads are complete.`;
  const [left, are] = [runs - complete, runs - complete === 1 ? 'is' : 'are'];
  const rule =
    'Incomplete loads are listed below. In means of times, an incomplete load in which the time was not reached ' +
    'counts as the time limit.';
  return `${left} of ${runs} loads ${are} not complete. ${rule}`;
}

function whatWasRun({identity, options}: ExperimentContent): ReportSection {
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
        text: `The first cell compares ${paneLabels(panes).join(' with ')}. Its path is ${describeRunPath({panes}, path)}, and its time limit is ${timeLimitMs / 1000} s.`,
      },
      {kind: 'text', text: pagesText(pages)},
      ...(rows.length === 0
        ? []
        : [
            {
              kind: 'table' as const,
              table: {caption: 'The axes of the grid. Every combination of their points is a cell.', columns, rows},
            },
          ]),
    ],
  };
}

/** The pages, each with the beginning of its content's hash. */
function pagesText(pages: Identity['pages']): string {
  const shown = pages.slice(0, SHOWN_PAGES).map(([page, hash]) => `${pageName(page)} (${hash.slice(0, 12)})`);
  const more = pages.length > SHOWN_PAGES ? ` and ${pages.length - SHOWN_PAGES} more` : '';
  return `Pages: ${shown.join(', ')}${more}.`;
}

function pageName(page: Json): string {
  return typeof page === 'string' ? page : 'synthetic';
}

/** The sections with figures: one section for each kind of figure. */
function figureSections({figures, leftOut, cells, mostCells, identity}: ExperimentContent): readonly ReportSection[] {
  if (cells.length === 0) {
    const text = `The grid has ${cellCount(identity.grid)} cells. Figures and tables are only made for grids of at most ${mostCells} cells; results.csv and summary.json contain all results.`;
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
  const drawn = [...sections].map(([heading, parts]) => ({heading, parts}));
  if (leftOut === 0) return drawn;
  const text = `The figures for ${leftOut} more combinations of points are not drawn, because there would be too many.`;
  return [...drawn, {heading: 'More figures', parts: [{kind: 'text', text}]}];
}

function methods(): ReportSection {
  const rows = Object.entries(METHODS).map(([name, text]) => [name, text]);
  const caption = 'The names of the numbers in summary.json, and how they are computed.';
  return {
    heading: 'How the numbers are computed',
    parts: [{kind: 'table', table: {caption, columns: [left('name'), left('definition')], rows}}],
  };
}

/** A report names at most this many pages. */
const SHOWN_PAGES = 8;
