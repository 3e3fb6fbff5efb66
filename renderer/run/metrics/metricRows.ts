import {type Clock, onClock} from '../../../app/run/metrics/clock.ts';
import {type PaneMetrics, PERCENTS} from '../../../app/run/metrics/metrics.ts';
import type {Visual} from '../../../app/run/quality/visual.ts';
import {ASSUMPTIONS, type Prediction} from '../../../app/study/model/prediction.ts';

/** One line of the table: a value for each pane, and its ratio to the first pane's value. */
export interface MetricRow {
  readonly name: string;
  /** The event from which the metric's time is measured; empty if there is no such event. */
  readonly from: string;
  readonly title: string;
  /** Whether the row is left out if there is little room, because another row says nearly the same. */
  readonly isDetail: boolean;
  readonly cells: readonly {readonly text: string; readonly ratio: string}[];
}

/**
 * Returns the rows of the table: the times of the page, the papers' metrics (N07, C03), the visual metrics and the
 * numbers of packets, with a value for each pane. The time of the whole page and the times `%Page` count from the event
 * that `clock` names. `seen` has the visual metrics of each pane; an element is null until the page's pictures are
 * measured. There is a row for the predictions of the model of the paper L06 only if `predictions` is not empty.
 */
export function metricRows(
  metrics: readonly PaneMetrics[],
  clock: Clock,
  seen: readonly (Visual | null)[],
  predictions: readonly Prediction[] = [],
): readonly MetricRow[] {
  const all = ROWS[clock];
  const hasMarks = metrics.some(({marked}) => marked !== undefined);
  const rows = all.filter(row => (row.isModel !== true || predictions.length > 0) && (row !== MARKED || hasMarks));
  return rows.map(({name, from, title, isDetail, pick, unit}) => {
    const values = metrics.map((each, pane) => pick(each, seen[pane] ?? null, predictions[pane]));
    // the values of an incomplete load cannot be compared with those of a complete one
    const comparable = metrics.map(({outcome}, pane) => (outcome === 'complete' ? (values[pane] ?? null) : null));
    const [first] = comparable;
    return {
      name,
      from: from ?? '',
      title,
      isDetail: isDetail ?? false,
      cells: values.map((value, pane) => ({
        text:
          value === null || Number.isNaN(value) ? '–' : unit === 's' ? `${(value / 1000).toFixed(2)} s` : String(value),
        ratio: pane === 0 ? '' : ratioText(comparable[pane] ?? null, first ?? null),
      })),
    };
  });
}

function ratioText(value: number | null, first: number | null): string {
  return value === null || !first ? '' : `× ${(value / first).toFixed(2)}`;
}

interface Row {
  readonly name: string;
  readonly from?: string;
  readonly title: string;
  readonly isDetail?: true;
  /** Whether the row has the predictions of the model of the paper L06. */
  readonly isModel?: true;
  readonly unit: 's' | 'count';
  /** The value of a pane, in ms if the unit is `s`. */
  readonly pick: (metrics: PaneMetrics, seen: Visual | null, prediction: Prediction | undefined) => number | null;
}

const SET_UP: Row = {
  name: 'set-up',
  from: 'navigation',
  title: 'navigation to connected',
  unit: 's',
  pick: pane => pane.setupMs,
};

/** The packets that queues marked. The row is shown only if a pane uses ECN. */
const MARKED: Row = {
  name: 'marked',
  title: 'marked by the queues to signal congestion (ECN), both directions',
  unit: 'count',
  pick: ({marked}) => (marked === undefined ? null : marked.down + marked.up),
};

const PAGE_TIME: Row = {
  name: 'page time T',
  from: 'first request',
  title: 'first request to the last piece of the last object (N07)',
  unit: 's',
  pick: pane => pane.pageTimeMs,
};

/** The rows with the times of the whole page, for each clock. If the clock is navigation, FCP and LCP are added. */
const PAGE_ROWS: {readonly [C in Clock]: readonly Row[]} = {
  'first-request': [
    SET_UP,
    PAGE_TIME,
    {
      name: 'model T (L06)',
      from: 'first request',
      title: `page time T as L06 predicts it: ${ASSUMPTIONS}`,
      isModel: true,
      unit: 's',
      pick: (_, _seen, prediction) => (prediction?.ok ? prediction.pageTimeMs : null),
    },
  ],
  navigation: [
    SET_UP,
    {
      name: 'FCP',
      from: 'navigation',
      title: 'First Contentful Paint: the first text or picture is painted',
      unit: 's',
      pick: pane => pane.fcpMs,
    },
    {
      name: 'LCP',
      from: 'navigation',
      title: 'Largest Contentful Paint: the largest text or picture of the first screen is painted',
      unit: 's',
      pick: pane => pane.lcpMs,
    },
    {
      name: 'whole page',
      from: 'navigation',
      title: 'navigation to the last piece of the last object (finish)',
      unit: 's',
      pick: pane => pane.finishMs,
    },
    {
      name: 'model (L06)',
      from: 'navigation',
      title: `the time of the whole page as L06 predicts it: ${ASSUMPTIONS}`,
      isModel: true,
      unit: 's',
      pick: (_, _seen, prediction) => (prediction?.ok ? prediction.completeMs : null),
    },
    {...PAGE_TIME, isDetail: true},
  ],
};

const SEEN_ROWS: readonly Row[] = [
  {
    name: 'recognisable',
    from: 'navigation',
    title: 'every picture of the page can be recognised',
    unit: 's',
    pick: (_, seen) => seen?.recognisableMs ?? null,
  },
  {
    name: 'good',
    from: 'navigation',
    title: 'every picture of the page is good',
    unit: 's',
    pick: (_, seen) => seen?.goodMs ?? null,
  },
  {
    name: 'Speed Index',
    from: 'navigation',
    title: 'area above the visual progress of the first screen, as WebPageTest defines it, computed with SSIM',
    unit: 's',
    pick: (_, seen) => seen?.speedIndexMs ?? null,
  },
  ...([85, 100] as const).map(
    (percent): Row => ({
      name: `visually ${percent} %`,
      from: 'navigation',
      title: `${percent} % of the first screen can be seen (WebPageTest's visually complete)`,
      unit: 's',
      pick: (_, seen) => seen?.visuallyCompleteMs[percent] ?? null,
    }),
  ),
];

function shareRows(clock: Clock): readonly Row[] {
  const from = clock === 'navigation' ? 'navigation' : 'first request';
  return PERCENTS.filter(percent => percent < 100).map(percent => ({
    name: `${percent} %Page`,
    from,
    title: `${from} until every object is at least ${percent} % rendered (N07)`,
    unit: 's',
    pick: pane => onClock(pane.pPageMs[percent], pane, clock),
  }));
}

const OTHER_ROWS: readonly Row[] = [
  ...PERCENTS.map(
    (percent): Row => ({
      name: `${percent} %Ren`,
      from: 'second request',
      title: `as ${percent} %Page, from the first embedded object's request (N07)`,
      isDetail: true,
      unit: 's',
      pick: pane => pane.pRenMs[percent],
    }),
  ),
  {
    name: 'silent time',
    title: 'longest interval in which nothing on the page changed (C03)',
    unit: 's',
    pick: pane => pane.silentMs,
  },
  {
    name: 'HOL blocked',
    title: 'how long any data waited at the client behind lost data',
    unit: 's',
    pick: pane => pane.holBlockedMs,
  },
  {
    name: 'longest wait',
    title: 'longest time that a piece of data waited behind lost data (C03 measured this as silent time)',
    isDetail: true,
    unit: 's',
    pick: pane => pane.longestWaitMs,
  },
  {name: 'packets', title: 'both directions', unit: 'count', pick: ({packets}) => packets.down + packets.up},
  {
    name: 'lost',
    title: 'dropped by the path, both directions',
    unit: 'count',
    pick: ({lost}) => lost.down + lost.up,
  },
  MARKED,
  {
    name: 'retransmitted',
    title: 'packets whose data had been sent before',
    unit: 'count',
    pick: pane => pane.retransmitted,
  },
];

const ROWS: {readonly [C in Clock]: readonly Row[]} = {
  navigation: rowsOn('navigation'),
  'first-request': rowsOn('first-request'),
};

function rowsOn(clock: Clock): readonly Row[] {
  return [...PAGE_ROWS[clock], ...SEEN_ROWS, ...shareRows(clock), ...OTHER_ROWS];
}
