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
 * The papers' metrics (N07, C03) and the visual metrics, pane by pane. An element of `seen` is null until the page is
 * measured. There is a row for the model's predictions only if predictions are given.
 */
export function metricRows(
  metrics: readonly PaneMetrics[],
  seen: readonly (Visual | null)[],
  predictions: readonly Prediction[] = [],
): readonly MetricRow[] {
  const rows = predictions.length === 0 ? ROWS.filter(row => row !== MODEL_ROW) : ROWS;
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
  readonly unit: 's' | 'count';
  /** The value of a pane, in ms if the unit is `s`. */
  readonly pick: (metrics: PaneMetrics, seen: Visual | null, prediction: Prediction | undefined) => number | null;
}

const MODEL_ROW: Row = {
  name: 'model T (L06)',
  from: 'first GET',
  title: `page time T as L06 predicts it: ${ASSUMPTIONS}`,
  unit: 's',
  pick: (_, _seen, prediction) => (prediction?.ok ? prediction.pageTimeMs : null),
};

const ROWS: readonly Row[] = [
  {
    name: 'set-up',
    from: 'first packet',
    title: 'first packet to connected',
    unit: 's',
    pick: pane => pane.setupMs,
  },
  {
    name: 'page time T',
    from: 'first GET',
    title: 'first GET to the last piece of the last object (N07)',
    unit: 's',
    pick: pane => pane.pageTimeMs,
  },
  MODEL_ROW,
  {
    name: 'recognisable',
    from: 'first packet',
    title: 'every picture of the page can be recognised',
    unit: 's',
    pick: (_, seen) => seen?.recognisableMs ?? null,
  },
  {
    name: 'good',
    from: 'first packet',
    title: 'every picture of the page is good',
    unit: 's',
    pick: (_, seen) => seen?.goodMs ?? null,
  },
  {
    name: 'Speed Index',
    from: 'first packet',
    title: 'area above the visual progress of the first screen, as WebPageTest defines it, computed with SSIM',
    unit: 's',
    pick: (_, seen) => seen?.speedIndexMs ?? null,
  },
  ...([85, 100] as const).map(
    (percent): Row => ({
      name: `visually ${percent} %`,
      from: 'first packet',
      title: `${percent} % of the first screen can be seen (WebPageTest's visually complete)`,
      unit: 's',
      pick: (_, seen) => seen?.visuallyCompleteMs[percent] ?? null,
    }),
  ),
  ...PERCENTS.filter(percent => percent < 100).map(
    (percent): Row => ({
      name: `${percent} %Page`,
      from: 'first GET',
      title: `first GET until every object is at least ${percent} % rendered (N07)`,
      unit: 's',
      pick: pane => pane.pPageMs[percent],
    }),
  ),
  ...PERCENTS.map(
    (percent): Row => ({
      name: `${percent} %Ren`,
      from: 'second GET',
      title: `as ${percent} %Page, from the first embedded object's GET (N07)`,
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
    title: 'longest time that a piece of data waited behind lost data, which C03 measured as silent time',
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
  {
    name: 'retransmitted',
    title: 'packets whose data had been sent before',
    unit: 'count',
    pick: pane => pane.retransmitted,
  },
];
