import {
  left,
  type Report,
  type ReportCell,
  type ReportPart,
  type ReportSection,
  type ReportTable,
  right,
} from '../report/report.ts';
import {causesTable, type GridCauses} from './causesOfGrid.ts';
import {type ClaimFinding, countText, type Findings} from './findings.ts';
import type {PaperGrid} from './paper.ts';
import {RULES} from './verdict.ts';

/**
 * The report on a paper: each claim with our numbers, the paper's tables and figures, why the panes of its grids
 * differ, and how all of this was made.
 */
export function paperReport(
  {paper, claims, tables, figures}: Findings,
  seeds: string,
  causes: readonly GridCauses[],
): Report {
  return {
    title: paper.title,
    lead: [
      `The ${claims.length} claims of this paper: ${countText(claims)}. Seeds: ${seeds}.`,
      'All our numbers and reasons are results of the runs that the section "Method" lists. ' +
        'No setting was tuned to make the results agree.',
    ],
    sections: [
      {heading: 'Claims', parts: [tablePart(overview(claims)), ...claims.flatMap(claimParts)]},
      ...sectionOf('Tables', tables.map(tablePart)),
      ...sectionOf(
        'Figures',
        figures.map(figure => ({kind: 'figure', figure})),
      ),
      ...sectionOf(
        'Where the time went',
        causes.map(each => tablePart(causesTable(each))),
      ),
      {
        heading: 'Method',
        parts: [
          ...paper.notes.map(textPart),
          ...RULES.map(textPart),
          {kind: 'command', command: commandOf(paper.name, seeds)},
          tablePart({
            caption: 'The grids of runs. Each is in the folder of its name.',
            columns: [left('grid'), left('purpose'), left('seeds')],
            rows: paper.grids.map(grid => [grid.name, grid.about, seedsOf(grid)]),
          }),
        ],
      },
    ],
  };
}

/** The report on all papers: one row for each claim. */
export function summaryReport(all: readonly Findings[], seeds: string): Report {
  const rows = all.flatMap(({claims}) => claims);
  return {
    title: 'Comparison with the papers',
    lead: [`The ${rows.length} claims of ${all.length} papers: ${countText(rows)}. Seeds: ${seeds}.`],
    sections: [
      ...all.map(({paper, claims}): ReportSection => {
        return {heading: paper.title, parts: [tablePart(overview(claims))]};
      }),
      {
        heading: 'Method',
        parts: [
          ...RULES.map(textPart),
          ...all.map(({paper}): ReportPart => ({kind: 'command', command: commandOf(paper.name, seeds)})),
        ],
      },
    ],
  };
}

function seedsOf({mostSeeds, moreSeeds}: PaperGrid): string {
  if (moreSeeds === undefined) return mostSeeds === undefined ? 'as given' : `the first ${mostSeeds} given seeds`;
  const {times, rowsBefore} = moreSeeds;
  const many = `consecutive seeds, ${times} times as many as given`;
  if (rowsBefore === 0) return `${many}, from the smallest given seed on`;
  const before = `${times * rowsBefore} times as many as given`;
  return `${many}; they begin after the seeds that another paper uses, which are ${before}`;
}

function commandOf(name: string, seeds: string): string {
  return `npx interleave reproduce ${name} --out DIR --seeds ${seeds}`;
}

function overview(claims: readonly ClaimFinding[]): ReportTable {
  return {
    caption: 'Each claim with its verdict, and how many of its rows agree, differ or are open.',
    columns: [left('claim'), left('source'), left('verdict'), left('rows')],
    rows: claims.map(({text, source, verdict, rows}) => [text, source, {verdict}, countText(rows)]),
  };
}

function claimParts({text, source, rows, why}: ClaimFinding): readonly ReportPart[] {
  const table: ReportTable = {
    caption: `${text} (${source})`,
    columns: [left(''), right('paper'), right('ours'), left('verdict'), left('difference, or why open')],
    rows: rows.map((row): readonly ReportCell[] => {
      return [row.where, row.theirs, row.ours, {verdict: row.verdict}, row.size];
    }),
  };
  return [tablePart(table), ...why.map(textPart)];
}

function sectionOf(heading: string, parts: readonly ReportPart[]): readonly ReportSection[] {
  return parts.length === 0 ? [] : [{heading, parts}];
}

function tablePart(table: ReportTable): ReportPart {
  return {kind: 'table', table};
}

function textPart(text: string): ReportPart {
  return {kind: 'text', text};
}
