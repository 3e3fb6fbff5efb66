import type {Figure} from '../figures/figure.ts';
import type {ReportTable, Verdict} from '../report/report.ts';
import type {Results} from './gridResults.ts';
import type {Paper, Row} from './paper.ts';
import {claimVerdict, judgeTogether} from './verdict.ts';

/** The verdicts on a paper's claims, with its tables and figures. */
export interface Findings {
  readonly paper: Paper;
  readonly claims: readonly ClaimFinding[];
  readonly tables: readonly ReportTable[];
  readonly figures: readonly Figure[];
}

export interface ClaimFinding {
  readonly text: string;
  readonly source: string;
  readonly verdict: Verdict;
  readonly rows: readonly RowFinding[];
  readonly why: readonly string[];
}

/** One comparison. Its verdict takes the other comparisons of the claim into account. */
export type RowFinding = Omit<Row, 'p'>;

/** Compares a paper's claims with the results of its grids. */
export function findingsOf(paper: Paper, results: Results): Findings {
  return {
    paper,
    claims: paper.claims.map(({text, source, rows, why}) => {
      const judged = judgeTogether(rows(results)).map(({p: _, ...row}): RowFinding => row);
      return {text, source, verdict: claimVerdict(judged), rows: judged, why: why(results)};
    }),
    tables: paper.tables(results),
    figures: paper.figures(results),
  };
}

/** Counts the verdicts: `3 agree, 1 differs, 2 open`. */
export function countText(rows: readonly {readonly verdict: Verdict}[]): string {
  const words = [
    ['agrees', 'agree', 'agrees'],
    ['differs', 'differ', 'differs'],
    ['open', 'open', 'open'],
  ] as const;
  return words
    .map(([verdict, many, one]) => {
      const count = rows.filter(row => row.verdict === verdict).length;
      return count === 0 ? '' : `${count} ${count === 1 ? one : many}`;
    })
    .filter(text => text !== '')
    .join(', ');
}
