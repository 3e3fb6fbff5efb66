import type {Figure} from '../figures/figure.ts';

/** What a report says, in the order in which it says it; `reportHtml` makes a page of it that stands alone. */
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
  /** A file's text, folded. */
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

/** A column of words. */
export function left(name: string): ReportColumn {
  return {name, align: 'left'};
}

/** A column of numbers. */
export function right(name: string): ReportColumn {
  return {name, align: 'right'};
}

/** As it is shown; a verdict stands out by its colour and its word. */
export type ReportCell = string | {readonly verdict: Verdict};

/** Our numbers beside a paper's claim; `open` where what it is about is not built yet or cannot be told. */
export type Verdict = 'agrees' | 'differs' | 'open';
