import type {Figure} from '../figures/figure.ts';

/** The content of a report, in order. `reportHtml` makes a self-contained page from it. */
export interface Report {
  readonly title: string;
  readonly lead: readonly string[];
  readonly sections: readonly ReportSection[];
}

export interface ReportSection {
  readonly heading: string;
  readonly parts: readonly ReportPart[];
}

export type ReportPart =
  | {readonly kind: 'text'; readonly text: string}
  /** A command line. */
  | {readonly kind: 'command'; readonly command: string}
  /** A file's text. The page hides it until the reader opens it. */
  | {readonly kind: 'document'; readonly name: string; readonly text: string}
  | {readonly kind: 'table'; readonly table: ReportTable}
  | {readonly kind: 'figure'; readonly figure: Figure};

export interface ReportTable {
  readonly caption: string;
  readonly columns: readonly ReportColumn[];
  /** One cell for each column. */
  readonly rows: readonly (readonly ReportCell[])[];
}

export interface ReportColumn {
  readonly name: string;
  readonly align: 'left' | 'right';
}

/** A column of words, aligned to the left. */
export function left(name: string): ReportColumn {
  return {name, align: 'left'};
}

/** A column of numbers, aligned to the right. */
export function right(name: string): ReportColumn {
  return {name, align: 'right'};
}

/** A text, or a verdict. Each kind of verdict has its own colour. */
export type ReportCell = string | {readonly verdict: Verdict};

/** How our numbers compare with a paper's claim; `open` if it was not tested or could not be decided. */
export type Verdict = 'agrees' | 'differs' | 'open';
