import {
  left,
  type Report,
  type ReportCell,
  type ReportPart,
  type ReportSection,
  type ReportTable,
  right,
} from '../report/report.ts';
import {type ClaimFinding, countText, type Findings} from './findings.ts';
import type {PaperGrid} from './paper.ts';
import {RULES} from './verdict.ts';

/** A paper's report: each claim with our numbers, its printed tables and figures, and how they came about. */
export function paperReport({paper, claims, tables, figures}: Findings, seeds: string): Report {
  return {
    title: paper.title,
    lead: [
      `${claims.length} claims: ${countText(claims)}. Seeds ${seeds}.`,
      'Each number of ours is computed by the runs below, with the reasons that runs isolate; nothing was tuned to agree.',
    ],
    sections: [
      {heading: 'Claims', parts: [tablePart(overview(claims)), ...claims.flatMap(claimParts)]},
      ...sectionOf('Tables', tables.map(tablePart)),
      ...sectionOf(
        'Figures',
        figures.map(figure => ({kind: 'figure', figure})),
      ),
      {
        heading: 'How',
        parts: [
          ...paper.notes.map(textPart),
          ...RULES.map(textPart),
          {kind: 'command', command: commandOf(paper.name, seeds)},
          tablePart({
            caption: 'The grids, each in the folder of its name.',
            columns: [left('grid'), left('what for'), left('seeds')],
            rows: paper.grids.map(grid => [grid.name, grid.about, seedsOf(grid)]),
          }),
        ],
      },
    ],
  };
}

/** All papers, a row a claim. */
export function summaryReport(all: readonly Findings[], seeds: string): Report {
  const rows = all.flatMap(({claims}) => claims);
  return {
    title: 'Beside the papers',
    lead: [`${rows.length} claims of ${all.length} papers: ${countText(rows)}. Seeds ${seeds}.`],
    sections: [
      ...all.map(({paper, claims}): ReportSection => {
        return {heading: paper.title, parts: [tablePart(overview(claims))]};
      }),
      {
        heading: 'How',
        parts: [
          ...RULES.map(textPart),
          ...all.map(({paper}): ReportPart => ({kind: 'command', command: commandOf(paper.name, seeds)})),
        ],
      },
    ],
  };
}

function seedsOf({mostSeeds, moreSeeds}: PaperGrid): string {
  if (moreSeeds === undefined) return mostSeeds === undefined ? 'those' : `the first ${mostSeeds}`;
  const {times, rowsBefore} = moreSeeds;
  return `${times} times as many in a row, from the smallest on${rowsBefore === 0 ? '' : `, behind ${rowsBefore} such row`}`;
}

function commandOf(name: string, seeds: string): string {
  return `npx interleave reproduce ${name} --out DIR --seeds ${seeds}`;
}

function overview(claims: readonly ClaimFinding[]): ReportTable {
  return {
    caption: 'Each claim, and how many of its rows agree.',
    columns: [left('claim'), left('where'), left('verdict'), left('rows')],
    rows: claims.map(({text, source, verdict, rows}) => [text, source, {verdict}, countText(rows)]),
  };
}

function claimParts({text, source, rows, why}: ClaimFinding): readonly ReportPart[] {
  const table: ReportTable = {
    caption: `${text} (${source})`,
    columns: [left(''), right('theirs'), right('ours'), left('verdict'), left('by')],
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
