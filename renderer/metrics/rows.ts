import {type PaneMetrics, PERCENTS} from '../../app/metrics/metrics.ts';

/** One line of the table: a value per pane, and each pane's share of the first one's. */
export interface MetricRow {
  readonly name: string;
  /** From when its times count; empty for what has no beginning. */
  readonly from: string;
  readonly title: string;
  readonly cells: readonly {readonly text: string; readonly ratio: string}[];
}

/** What the papers measure, pane beside pane (PAPERS §2). */
export function metricRows(metrics: readonly PaneMetrics[]): readonly MetricRow[] {
  return ROWS.map(({name, from, title, pick, unit}) => {
    const values = metrics.map(pick);
    // what a load that ended early counted is no share of what a complete one did
    const comparable = metrics.map(({outcome}, pane) =>
      outcome === 'complete' ? (values[pane] ?? null) : null,
    );
    const [first] = comparable;
    return {
      name,
      from: from ?? '',
      title,
      cells: values.map((value, pane) => ({
        text: value === null ? '–' : unit === 's' ? `${(value / 1000).toFixed(2)} s` : String(value),
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
  readonly unit: 's' | 'count';
  /** `s` rows in ms. */
  readonly pick: (metrics: PaneMetrics) => number | null;
}

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
