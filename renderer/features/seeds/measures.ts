import {countText} from '../../../app/base/text.ts';
import type {SeedRow} from '../../../app/host/contract.ts';
import type {Clock} from '../../../app/run/metrics/clock.ts';
import {METRICS} from '../../../app/study/experiment/metricList.ts';
import {metricValue, type PaneRow} from '../../../app/study/experiment/row.ts';

/** A value that is compared between seeds, pane by pane. */
export interface Measure {
  readonly name: 'recognisable' | 'speed-index' | 'page-time';
  /** The text above the chart. */
  readonly title: string;
  /**
   * What the winner did: `had the whole page first` in the sentence `In 71 of 100 runs SCTP had the whole page first;
   * …`.
   */
  readonly won: string;
  /** The value, ms; null if the event never happened. */
  readonly pick: (pane: PaneRow) => number | null;
}

/**
 * The measures that the rows contain; the first one shows most clearly what a reader sees. `pictures` is the number of
 * the page's pictures. `clock` is the time from which the scenario's page times count.
 */
export function measuresOf(rows: readonly SeedRow[], pictures: number, clock: Clock): readonly Measure[] {
  const isSeen = rows[0]?.panes.every(({values}) => values.length > METRICS.length) ?? false;
  return [
    ...(isSeen && pictures > 0 ? [recognisable(pictures)] : []),
    ...(isSeen ? [SPEED_INDEX] : []),
    WHOLE_PAGE[clock],
  ];
}

function recognisable(pictures: number): Measure {
  const all = pictures === 1 ? 'the picture' : `all ${countText(pictures)} pictures`;
  return {
    name: 'recognisable',
    title: `${all} recognisable`,
    won: `had ${all} recognisable first`,
    pick: pane => metricValue(pane, 'recognisableMs'),
  };
}

const SPEED_INDEX: Measure = {
  name: 'speed-index',
  title: 'Speed Index',
  won: 'had the lower Speed Index',
  pick: pane => metricValue(pane, 'speedIndexMs'),
};

const WHOLE_PAGE: {readonly [C in Clock]: Measure} = {
  navigation: {
    name: 'page-time',
    title: 'whole page, from navigation',
    won: 'had the whole page first',
    pick: pane => metricValue(pane, 'finishMs'),
  },
  'first-request': {
    name: 'page-time',
    title: 'whole page, T from the first request',
    won: 'had the shorter page time T',
    pick: pane => metricValue(pane, 'pageTimeMs'),
  },
};
