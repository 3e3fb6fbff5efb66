import {pipelineOf} from '../../pipelines/index.ts';
import type {Scenario} from '../scenario/scenario.ts';
import type {PaneMetrics} from './metrics.ts';

/**
 * The moment from which the times of a comparison count. `navigation` is the start of the run, so that the set-up of
 * connections counts. `first-request` is req_0 of the papers (N07 §3.1), after the set-up.
 */
export type Clock = 'navigation' | 'first-request';

/** The time by which runs are compared: ranking, tests, figures and the typical seed. */
export interface Headline {
  readonly clock: Clock;
  /** The name of the metric: a key of `PaneMetrics`, and a column of tables. */
  readonly metric: 'finishMs' | 'pageTimeMs';
  /** The label of the time in tables. */
  readonly label: string;
  /** A short label for rows that compare panes. */
  readonly short: string;
  /** Says from which moment the time counts, such as `from navigation`. */
  readonly from: string;
}

export const HEADLINES: {readonly [C in Clock]: Headline} = {
  navigation: {
    clock: 'navigation',
    metric: 'finishMs',
    label: 'whole page',
    short: 'finish',
    from: 'from navigation',
  },
  'first-request': {
    clock: 'first-request',
    metric: 'pageTimeMs',
    label: 'page time T',
    short: 'T',
    from: 'from the first request',
  },
};

/**
 * Returns the clock of a scenario. A scenario loads as in the papers if its `discovery` is `complete`, and if every
 * pane has one of the papers' transports, without TLS. Its times count from the first request, as in the papers. The
 * times of all other scenarios count from navigation, because the page time T does not contain the set-up, in which
 * their transports differ.
 */
export function clockOf({discovery, panes}: Pick<Scenario, 'discovery' | 'panes'>): Clock {
  const isOfPapers = panes.every(pane => {
    const pipeline = pipelineOf(pane.pipeline);
    return pipeline.isOfPapers === true && pipeline.setUp(pane)?.hasTls !== true;
  });
  return discovery === 'complete' && isOfPapers ? 'first-request' : 'navigation';
}

/** Returns the {@link Headline} of a scenario. */
export function headlineOf(scenario: Pick<Scenario, 'discovery' | 'panes'>): Headline {
  return HEADLINES[clockOf(scenario)];
}

/**
 * Converts a time since the first request into one on this clock, in ms. Times are rounded to whole ns, so that equal
 * times stay equal. Null if the load is incomplete.
 */
export function onClock(
  ms: number | null,
  {finishMs, pageTimeMs}: Pick<PaneMetrics, 'finishMs' | 'pageTimeMs'>,
  clock: Clock,
): number | null {
  if (clock === 'first-request' || ms === null) return ms;
  // T ends when the last object is complete, so the difference is the time of the first request
  if (finishMs === null || pageTimeMs === null) return null;
  return Math.round((ms + finishMs - pageTimeMs) * 1e6) / 1e6;
}
