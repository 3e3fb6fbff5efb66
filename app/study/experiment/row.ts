import type {PaneMetrics} from '../../run/metrics/metrics.ts';
import type {Outcome} from '../../run/trace/traceData.ts';
import {type Metric, NAMED_METRICS} from './metricList.ts';

/** The values that are kept of one run. */
export interface RunRow {
  /** The run's number in the grid. */
  readonly run: number;
  readonly panes: readonly PaneRow[];
}

export interface PaneRow {
  readonly outcome: Outcome;
  /** Why the load is not complete; null if it is. */
  readonly reason: string | null;
  /** One value for each metric that is kept. */
  readonly values: readonly (number | null)[];
}

export function rowOf(run: number, panes: readonly PaneMetrics[], metrics: readonly Metric[]): RunRow {
  return {run, panes: panes.map(pane => paneRow(pane, metrics))};
}

export function paneRow(pane: PaneMetrics, metrics: readonly Metric[]): PaneRow {
  // a live load does not know some numbers (NaN); in a row they are null
  const values = metrics.map(({of}) => of(pane)).map(value => (Number.isNaN(value) ? null : value));
  return {outcome: pane.outcome, reason: pane.reason, values};
}

/**
 * Returns the value of the metric with this name, or null if the row has no such value. The values must be in the order
 * of {@link NAMED_METRICS}, and the last ones may be missing.
 */
export function metricValue({values}: PaneRow, name: string): number | null {
  return values[INDEXES.get(name) ?? -1] ?? null;
}

const INDEXES: ReadonlyMap<string, number> = new Map(NAMED_METRICS.map((metric, i) => [metric.name, i]));

/** A row as a line of `runs.ndjson`, without the line feed. */
export function rowLine({run, panes}: RunRow): string {
  return JSON.stringify([run, ...panes.map(({outcome, reason, values}) => [outcome, reason, ...values])]);
}

/**
 * Reads a line of `runs.ndjson`. Each pane must have `values` metrics. Returns undefined if the line is not valid, for
 * example because its end is missing.
 */
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

const OUTCOMES: readonly Outcome[] = ['complete', 'partial', 'aborted', 'time-limit', 'work-limit', 'error'];
