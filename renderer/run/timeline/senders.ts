import type {Trace} from '../../../app/run/trace/trace.ts';
import type {Point} from './drawing.ts';

/** One end of a connection, and its samples: the values of its congestion window, round-trip time and so on. */
export interface Sender {
  readonly trace: Trace;
  /** The index of the pane in its graph. */
  readonly pane: number;
  /** The index of the connection in its pane. */
  readonly connection: number;
  readonly side: Side;
  /** The sender's rows in the columns of samples, in order of time. */
  readonly rows: readonly number[];
}

/** The part of a pane that these functions need. */
interface Loads {
  readonly trace: Trace;
  readonly before?: Trace | undefined;
}

export type Side = 'client' | 'server';

/** The senders on one side of the connections of these panes. */
export function sendersOf(panes: readonly Loads[], side: Side): readonly Sender[] {
  return panes.flatMap(({trace}, pane) => ofTrace(trace, pane, side));
}

/**
 * The servers' ends of the connections of each pane. If a pane has no samples of its servers, as in a live load, the
 * browser's ends are returned instead, because both ends of a connection measure the same round-trip time.
 */
export function knownSendersOf(panes: readonly Loads[]): readonly Sender[] {
  return panes.flatMap(({trace}, pane) => {
    const servers = ofTrace(trace, pane, 'server');
    return servers.some(({rows}) => rows.length > 0) ? servers : ofTrace(trace, pane, 'client');
  });
}

/** Whether any server of these panes has samples, in this run or in the previous one. Some transports have none. */
export function hasSamples(panes: readonly Loads[]): boolean {
  const all = [...sendersOf(panes, 'server'), ...sendersBefore(panes, 'server')];
  return all.some(({rows}) => rows.length > 0);
}

/** The senders of the previous run; empty if there is none. */
export function sendersBefore(panes: readonly Loads[], side: Side): readonly Sender[] {
  return panes.flatMap(({before}, pane) => (before === undefined ? [] : ofTrace(before, pane, side)));
}

/**
 * The points of a line in steps, CSS px. The value of each sample is drawn up to the time of the next sample. With
 * `isZeroNone`, samples of 0 are left out, because 0 means that there is no value yet.
 */
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

/** The row of the sample that is valid at t, ns. Before the first sample it is the first sample's row. */
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
