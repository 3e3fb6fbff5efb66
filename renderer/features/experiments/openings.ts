import type {SeedRow} from '../../../app/host/contract.ts';
import {metricValue} from '../../../app/study/experiment/row.ts';

/** A run of a cell that can be opened, with its position among the cell's runs. */
export interface Opening {
  readonly seed: number;
  /** The metric's value; null if the run is not complete, or if the event that the metric measures never happened. */
  readonly value: number | null;
  /** The run's position in the order of the values, from 0. Runs without a value are last. */
  readonly place: number;
  readonly isMedian: boolean;
}

/**
 * A cell's runs, sorted by one pane's metric. With an even number of values, the lower of the two middle runs is the
 * median. If no run has a value, the run with the smallest seed counts as the median.
 */
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

/**
 * The run that a click on a point of the figure opens. First it is the median run of the point's cell. If a run of this
 * cell is on screen, it is the next run (`step` 1) or the previous run (`step` -1) in the order of {@link openingsOf};
 * after the last run comes the first. Undefined if there are no runs.
 */
export function nextOpening(openings: readonly Opening[], shownSeed: number | null, step: 1 | -1): Opening | undefined {
  const shown = openings.find(({seed}) => seed === shownSeed);
  if (shown === undefined) return openings.find(({isMedian}) => isMedian);
  return openings[(shown.place + step + openings.length) % openings.length];
}
