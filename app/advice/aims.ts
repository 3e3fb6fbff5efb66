import {metricValue} from '../experiment/row.ts';
import type {SeedRow} from '../ipc/contract.ts';

/** A time that is to be short. */
export interface Aim {
  readonly name: AimName;
  /** On an axis, and before a sentence. */
  readonly label: string;
  /** Before `with 4 streams`. */
  readonly said: string;
  /** From when on it counts. */
  readonly from: 'the first packet' | 'the first GET';
  /** Of a run of one pane, ms; null if it never came. */
  readonly timeMs: (row: SeedRow) => number | null;
}

export type AimName = 'recognisable' | 'firstPicture' | 'pageTime';

/** What there is advice for, what the eye gets first. */
export const AIMS: readonly Aim[] = [
  {
    name: 'recognisable',
    label: 'all pictures recognisable',
    said: 'All pictures are recognisable soonest',
    from: 'the first packet',
    timeMs: row => ofMetric(row, 'recognisableMs'),
  },
  {
    name: 'firstPicture',
    label: 'first picture complete',
    said: 'The first picture is complete soonest',
    from: 'the first packet',
    timeMs: ({firstPicturesMs}) => firstPicturesMs[0] ?? null,
  },
  {
    name: 'pageTime',
    label: 'page time T',
    said: 'Page time T is least',
    from: 'the first GET',
    timeMs: row => ofMetric(row, 'pageTimeMs'),
  },
];

/** Of many loads of one pane, one for each. */
export interface AimTimes {
  /** A load in which it never came has the time limit: it is at least as late. */
  readonly timesMs: readonly number[];
  /** How many have not. */
  readonly never: number;
}

/** Null if a load that is complete has it not: it cannot be had of this page, or was not measured. */
export function aimTimes({timeMs}: Aim, rows: readonly SeedRow[], timeLimitMs: number): AimTimes | null {
  const times = rows.map(row => ({ms: timeMs(row), isComplete: row.panes[0]?.outcome === 'complete'}));
  if (times.some(({ms, isComplete}) => ms === null && isComplete)) return null;
  return {
    timesMs: times.map(({ms}) => ms ?? timeLimitMs),
    never: times.filter(({ms}) => ms === null).length,
  };
}

function ofMetric({panes: [pane]}: SeedRow, name: string): number | null {
  return pane === undefined ? null : metricValue(pane, name);
}
