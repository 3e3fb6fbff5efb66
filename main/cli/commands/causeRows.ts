import {CAUSE_KINDS, type CauseName} from '../../../app/run/why/causeKinds.ts';
import type {CauseTotal} from '../../../app/run/why/causeTotals.ts';
import type {RunDiff, SideTime} from '../../../app/run/why/runDiff.ts';
import {milliseconds} from './run/result.ts';

/**
 * A column of a table of causes: the time of each cause, and their total. Means also have `ci95Ms`, the half-width of
 * the 95 % interval.
 */
export interface CauseColumn {
  readonly causes: readonly TimeCell<CauseName>[];
  readonly total: Omit<TimeCell<string>, 'name'>;
}

interface TimeCell<N extends string> {
  readonly name: N;
  readonly ms: number;
  readonly ci95Ms?: number | null;
}

/** Returns the column of a side of a comparison. Null if the side has no time. */
export function columnOf(side: SideTime): CauseColumn | null {
  return side === null ? null : {causes: side.causes.map(inMs), total: {ms: side.ns / 1e6}};
}

/**
 * Returns the column of the differences: times of the second side minus those of the first. Null if a side has no time.
 */
export function differenceOf({moreNs, causes}: RunDiff['page']): CauseColumn | null {
  return columnOf(moreNs === null ? null : {ns: moreNs, causes});
}

/** Returns a cause with its time in ms. */
export function inMs({name, ns}: CauseTotal): TimeCell<CauseName> {
  return {name, ms: ns / 1e6};
}

/**
 * Returns the rows of a table of causes: one for each cause that a column has, in the order of {@link CAUSE_KINDS}, and
 * the total. A column without times is null, and has dashes.
 */
export function causeRows(columns: readonly (CauseColumn | null)[]): readonly (readonly string[])[] {
  const found = columns.map(column => new Map(column?.causes.map(cause => [cause.name, cause])));
  const kinds = CAUSE_KINDS.filter(({name}) => found.some(causes => causes.has(name)));
  const cell = (column: number, name: CauseName): string => {
    if (columns[column] == null) return '–';
    const time = found[column]?.get(name);
    return time === undefined ? '' : timeText(time);
  };
  return [
    ...kinds.map(({name, label}) => [label, ...columns.map((_, column) => cell(column, name))]),
    ['total', ...columns.map(column => (column === null ? '–' : timeText(column.total)))],
  ];
}

function timeText({ms, ci95Ms = null}: {readonly ms: number; readonly ci95Ms?: number | null}): string {
  return `${milliseconds(ms)}${ci95Ms === null ? '' : ` ± ${milliseconds(ci95Ms)}`}`;
}
