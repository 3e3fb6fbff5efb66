import type {PaneMetrics} from '../metrics/metrics.ts';
import type {Outcome} from '../trace/traceData.ts';
import type {Metric} from './metricList.ts';

/** What is kept of one run. */
export interface RunRow {
  /** Its number in the grid. */
  readonly run: number;
  readonly panes: readonly PaneRow[];
}

export interface PaneRow {
  readonly outcome: Outcome;
  /** Why it is not complete; null if it is. */
  readonly reason: string | null;
  /** One for each metric that is kept. */
  readonly values: readonly (number | null)[];
}

export function rowOf(run: number, panes: readonly PaneMetrics[], metrics: readonly Metric[]): RunRow {
  const rows = panes.map(pane => {
    return {outcome: pane.outcome, reason: pane.reason, values: metrics.map(({of}) => of(pane))};
  });
  return {run, panes: rows};
}

/** A row as a line of `runs.ndjson`, without its end. */
export function rowLine({run, panes}: RunRow): string {
  return JSON.stringify([run, ...panes.map(({outcome, reason, values}) => [outcome, reason, ...values])]);
}

/** The row of such a line with `values` metrics; undefined if it is none, as one that was not written whole. */
export function readRow(line: string, values: number): RunRow | undefined {
  let read: unknown;
  try {
    read = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!Array.isArray(read)) return undefined;
  const [run, ...panes] = read as readonly unknown[];
  if (!Number.isSafeInteger(run) || panes.length === 0) return undefined;
  const rows = panes.map(pane => readPane(pane, values)).filter(row => row !== undefined);
  return rows.length === panes.length ? {run: run as number, panes: rows} : undefined;
}

function readPane(pane: unknown, values: number): PaneRow | undefined {
  if (!Array.isArray(pane) || pane.length !== 2 + values) return undefined;
  const [outcome, reason, ...own] = pane as readonly unknown[];
  if (!OUTCOMES.some(word => word === outcome) || !(reason === null || typeof reason === 'string')) {
    return undefined;
  }
  if (!own.every(value => value === null || typeof value === 'number')) return undefined;
  return {outcome: outcome as Outcome, reason, values: own};
}

const OUTCOMES: readonly Outcome[] = ['complete', 'partial', 'aborted', 'time-limit'];
