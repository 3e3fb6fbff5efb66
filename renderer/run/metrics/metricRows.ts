import {type PaneMetrics, PERCENTS} from '../../../app/run/metrics/metrics.ts';
import type {Visual} from '../../../app/run/quality/visual.ts';
import {ASSUMPTIONS, type Prediction} from '../../../app/study/model/prediction.ts';

/** One line of the table: a value per pane, and each pane's share of the first one's. */
export interface MetricRow {
  readonly name: string;
  /** From when its times count; empty for what has no beginning. */
  readonly from: string;
  readonly title: string;
  /** Left out where there is little room: near to what another row tells. */
  readonly isDetail: boolean;
  readonly cells: readonly {readonly text: string; readonly ratio: string}[];
}

/**
 * What the papers measure, pane beside pane (PAPERS §2), and what the eye gets; null where that is not known yet. What
 * a model predicts has a row where that is given.
 */
export function metricRows(
  metrics: readonly PaneMetrics[],
  seen: readonly (Visual | null)[],
  predictions: readonly Prediction[] = [],
): readonly MetricRow[] {
  const rows = predictions.length === 0 ? ROWS.filter(row => row !== MODEL_ROW) : ROWS;
  return rows.map(({name, from, title, isDetail, pick, unit}) => {
    const values = metrics.map((each, pane) => pick(each, seen[pane] ?? null, predictions[pane]));
    // what a load that ended early counted is no share of what a complete one did
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
  /** `s` rows in ms. */
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
    title: 'area above the visual progress of the first screen, as WebPageTest defines it; of SSIM',
    unit: 's',
    pick: (_, seen) => seen?.speedIndexMs ?? null,
  },
  ...([85, 100] as const).map(
    (percent): Row => ({
      name: `visually ${percent} %`,
      from: 'first packet',
      title: `so much of the first screen is to be seen (WebPageTest's visually complete)`,
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
    title: 'how long some data waited at the client behind lost data',
    unit: 's',
    pick: pane => pane.holBlockedMs,
  },
  {
    name: 'longest wait',
    title: 'of a piece of data behind lost data: what C03 measured as silent time',
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
    title: 'packets with data sent before',
    unit: 'count',
    pick: pane => pane.retransmitted,
  },
];
