import type {SeedRow} from '../../host/contract.ts';
import {metricValue} from '../experiment/row.ts';

/** A time that is to be short. */
export interface Aim {
  readonly name: AimName;
  /** On an axis, and before a sentence. */
  readonly label: string;
  /** Within a sentence, before `with 4 streams`. */
  readonly said: string;
  /** From when on it counts. */
  readonly from: 'the first packet' | 'the first GET';
  /** Only known where it is measured what the eye gets. */
  readonly isSeen: boolean;
  /** Of a run of one pane, ms; null if it never came. */
  readonly timeMs: (row: SeedRow) => number | null;
}

export type AimName = 'recognisable' | 'speedIndex' | 'firstPicture' | 'complete' | 'pageTime';

/** What there is advice for, what the eye gets first. */
export const AIMS: readonly Aim[] = [
  {
    name: 'recognisable',
    label: 'all pictures recognisable',
    said: 'all pictures are recognisable soonest',
    from: 'the first packet',
    isSeen: true,
    timeMs: row => ofMetric(row, 'recognisableMs'),
  },
  {
    name: 'speedIndex',
    label: 'Speed Index',
    said: 'Speed Index is least',
    from: 'the first packet',
    isSeen: true,
    timeMs: row => ofMetric(row, 'speedIndexMs'),
  },
  {
    name: 'firstPicture',
    label: 'first picture complete',
    said: 'the first picture is complete soonest',
    from: 'the first packet',
    isSeen: false,
    timeMs: ({firstPicturesMs}) => firstPicturesMs[0] ?? null,
  },
  {
    name: 'complete',
    label: 'page complete',
    said: 'the page is complete soonest',
    from: 'the first packet',
    isSeen: false,
    timeMs: ({wholePagesMs}) => wholePagesMs[0] ?? null,
  },
  {
    name: 'pageTime',
    label: 'page time T',
    said: 'page time T is least',
    from: 'the first GET',
    isSeen: false,
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
