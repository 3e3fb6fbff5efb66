import type {Trace} from '../../../app/run/trace/trace.ts';
import type {Point} from './drawing.ts';

/** One end of a connection, and its samples. */
export interface Sender {
  readonly trace: Trace;
  /** Of the graph. */
  readonly pane: number;
  /** Of the pane's. */
  readonly connection: number;
  readonly side: Side;
  /** Its rows of the samples, in order of time. */
  readonly rows: readonly number[];
}

/** What of a pane this needs. */
interface Loads {
  readonly trace: Trace;
  readonly before?: Trace | undefined;
}

export type Side = 'client' | 'server';

/** That end of each connection of these panes. */
export function sendersOf(panes: readonly Loads[], side: Side): readonly Sender[] {
  return panes.flatMap(({trace}, pane) => ofTrace(trace, pane, side));
}

/**
 * Of each pane its servers' ends, or where nothing is known of them, as of a live server, its browser's: a round trip is
 * the same from both.
 */
export function knownSendersOf(panes: readonly Loads[]): readonly Sender[] {
  return panes.flatMap(({trace}, pane) => {
    const servers = ofTrace(trace, pane, 'server');
    return servers.some(({rows}) => rows.length > 0) ? servers : ofTrace(trace, pane, 'client');
  });
}

/** Whether a server of these panes, now or in the run before, says how it sees the path; a transport may not. */
export function hasSamples(panes: readonly Loads[]): boolean {
  const all = [...sendersOf(panes, 'server'), ...sendersBefore(panes, 'server')];
  return all.some(({rows}) => rows.length > 0);
}

/** The same of the run before; none where there is none. */
export function sendersBefore(panes: readonly Loads[], side: Side): readonly Sender[] {
  return panes.flatMap(({before}, pane) => (before === undefined ? [] : ofTrace(before, pane, side)));
}

/** The line of a value that stays until the next sample; CSS px. Without samples whose value is 0, if they mean none. */
export function stepsOf(
  x: (ns: number) => number,
  {trace, rows}: Sender,
  column: Float64Array,
  y: (value: number) => number,
  {isZeroNone = false}: {readonly isZeroNone?: boolean} = {},
): readonly Point[] {
  const {samples, endNs} = trace.data;
  return rows.flatMap((row, i) => {
    const value = column[row] ?? 0;
    if (isZeroNone && value === 0) return [];
    const untilNs = samples.atNs[rows[i + 1] ?? -1] ?? endNs;
    return [samples.atNs[row] ?? 0, untilNs].map(ns => ({x: x(ns), y: y(value)}));
  });
}

/** The sample that holds at t, ns; the first before it. */
export function rowAt({trace, rows}: Sender, tNs: number): number {
  const {atNs} = trace.data.samples;
  return rows.findLast(row => (atNs[row] ?? 0) <= tNs) ?? rows[0] ?? 0;
}

function ofTrace(trace: Trace, pane: number, side: Side): readonly Sender[] {
  return trace.data.connections.map((_, connection) => ({
    trace,
    pane,
    connection,
    side,
    rows: trace.samplesOf(side, connection),
  }));
}
