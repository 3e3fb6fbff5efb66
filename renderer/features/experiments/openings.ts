import type {SeedRow} from '../../../app/host/contract.ts';
import {metricValue} from '../../../app/study/experiment/row.ts';

/** A run of a cell that can be opened, and its place among the others. */
export interface Opening {
  readonly seed: number;
  /** Null if it never came. */
  readonly value: number | null;
  /** From 0: the least value first, those in which it never came last. */
  readonly place: number;
  readonly isMedian: boolean;
}

/** A cell's runs by what one pane has of a metric; the median is of those that have it, of two the lower. */
export function openingsOf(rows: readonly SeedRow[], pane: number, metric: string): readonly Opening[] {
  const runs = rows.map(({seed, panes}) => {
    const own = panes[pane];
    return {seed, value: own?.outcome === 'complete' ? metricValue(own, metric) : null};
  });
  const never = Number.POSITIVE_INFINITY;
  const order = runs.toSorted((a, b) => {
    const [own, other] = [a.value ?? never, b.value ?? never];
    return own === other ? a.seed - b.seed : own - other;
  });
  const median = Math.max(0, (order.filter(({value}) => value !== null).length - 1) >> 1);
  return order.map((run, place) => ({...run, place, isMedian: place === median}));
}

/** The median one first; from the one that is on show the next larger one, or smaller: round and round. */
export function nextOpening(openings: readonly Opening[], shownSeed: number | null, step: 1 | -1): Opening | undefined {
  const shown = openings.find(({seed}) => seed === shownSeed);
  if (shown === undefined) return openings.find(({isMedian}) => isMedian);
  return openings[(shown.place + step + openings.length) % openings.length];
}
