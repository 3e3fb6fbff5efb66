import type {SeedRow} from '../../host/contract.ts';
import {metricValue} from '../experiment/row.ts';

/** A time that advice tries to make short: the time until an event such as `page complete`, or the Speed Index. */
export interface Aim {
  readonly name: AimName;
  /** The label of an axis, or the heading before a sentence. */
  readonly label: string;
  /** The part of a sentence before `with 4 streams`, such as `the page is complete soonest`. */
  readonly said: string;
  /** The moment from which the time is counted. */
  readonly from: 'navigation' | 'the first request';
  /** Whether the time is only known if pictures were measured. */
  readonly isSeen: boolean;
  /**
   * The time in a run with one pane, ms. Null if the event never happened, if it does not exist for the page, or if the
   * time was not measured.
   */
  readonly timeMs: (row: SeedRow) => number | null;
}

export type AimName = 'recognisable' | 'speedIndex' | 'firstPicture' | 'complete' | 'pageTime';

/** All aims. Times of what a visitor sees come first. */
export const AIMS: readonly Aim[] = [
  {
    name: 'recognisable',
    label: 'all pictures recognisable',
    said: 'all pictures are recognisable soonest',
    from: 'navigation',
    isSeen: true,
    timeMs: row => ofMetric(row, 'recognisableMs'),
  },
  {
    name: 'speedIndex',
    label: 'Speed Index',
    said: 'Speed Index is least',
    from: 'navigation',
    isSeen: true,
    timeMs: row => ofMetric(row, 'speedIndexMs'),
  },
  {
    name: 'firstPicture',
    label: 'first picture complete',
    said: 'the first picture is complete soonest',
    from: 'navigation',
    isSeen: false,
    timeMs: ({firstPicturesMs}) => firstPicturesMs[0] ?? null,
  },
  {
    name: 'complete',
    label: 'page complete',
    said: 'the page is complete soonest',
    from: 'navigation',
    isSeen: false,
    timeMs: ({wholePagesMs}) => wholePagesMs[0] ?? null,
  },
  {
    name: 'pageTime',
    label: 'page time T',
    said: 'page time T is least',
    from: 'the first request',
    isSeen: false,
    timeMs: row => ofMetric(row, 'pageTimeMs'),
  },
];

/** The times of many loads of one pane. */
export interface AimTimes {
  /** One time for each load: the time limit if the event never happened, because the event would be later. */
  readonly timesMs: readonly number[];
  /** The number of loads without the event. */
  readonly never: number;
}

/**
 * Returns the times of these loads. Returns null if a complete load has no time, because the event does not exist for
 * its page, or because the time was not measured.
 */
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
