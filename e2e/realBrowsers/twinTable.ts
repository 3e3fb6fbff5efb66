import type {ExplainedTwin} from '../../main/captures/captureTwin.ts';
import type {CaptureCell, InjectedCause} from './captures.ts';

export interface TwinRow {
  readonly cell: CaptureCell;
  /** The page time that the browser reported, from navigation. */
  readonly browserMs: number;
  readonly explained: ExplainedTwin;
}

/**
 * A saving is the time by which a twin is faster without one cause. For each injected cause, this is the name of the
 * saving that should be the largest; null without an injected cause.
 */
const NAMES: {readonly [K in InjectedCause['kind']]: string | null} = {
  none: null,
  'slow-server': 'server',
  'small-window': 'window',
  'lossy-up': 'no-loss',
  policer: 'policer',
};

/**
 * Returns a line for each twin, followed by the numbers of twins that are close enough. A twin is the computed load
 * that is fitted to a captured load.
 */
export function twinsText(rows: readonly TwinRow[]): string {
  const lines = rows.map(row => {
    const {cell, explained} = row;
    const {rate, rtt, time} = ratiosOf(row);
    return [
      `${cell.name}:`,
      `capture ${shown(explained.captureNs)} ms (browser ${row.browserMs.toFixed(0)}), twin ${shown(explained.twinNs)},`,
      `ratio ${time.toFixed(2)}${isClose(time, 0.1) ? '' : ' FAR'},`,
      `rate ${rate.toFixed(2)}, RTT ${rtt.toFixed(2)},`,
      `first: ${firstOf(row)}${isNamed(row) ? '' : ` (not ${NAMES[cell.cause.kind]})`}`,
    ].join(' ');
  });
  const injected = rows.filter(({cell}) => cell.cause.kind !== 'none');
  const share = (of: readonly TwinRow[], isCounted: (row: TwinRow) => boolean): string =>
    `${of.filter(isCounted).length} of ${of.length}`;
  return [
    ...lines,
    `page time within 10 %: ${share(rows, row => isClose(ratiosOf(row).time, 0.1))}`,
    `rate within 5 %: ${share(rows, row => isClose(ratiosOf(row).rate, 0.05))}`,
    `RTT within 5 %: ${share(rows, row => isClose(ratiosOf(row).rtt, 0.05))}`,
    `injected cause named first: ${share(injected, isNamed)}`,
  ].join('\n');
}

function isNamed(row: TwinRow): boolean {
  const name = NAMES[row.cell.cause.kind];
  return name === null || firstOf(row) === name;
}

/** The name of the largest saving, even if it is too small a part of the page time to be named to users. */
function firstOf({explained}: TwinRow): string {
  return explained.savings[0]?.name ?? 'none';
}

/** The twin's rate and RTT divided by those of the path, and its page time divided by that of the capture. */
function ratiosOf({cell: {path}, explained: {twin, captureNs, twinNs}}: TwinRow) {
  return {
    rate: (twin.path.downBps ?? 0) / path.rateBps,
    rtt: twin.path.rttNs / 1e6 / path.rttMs,
    time: (twinNs ?? 0) / (captureNs ?? Number.NaN),
  };
}

function isClose(ratio: number, most: number): boolean {
  return Math.abs(ratio - 1) <= most;
}

function shown(ns: number | null): string {
  return ns === null ? '–' : (ns / 1e6).toFixed(0);
}
