import type {Json} from '../scenario/document.ts';
import {inSeconds, type Measured, minus} from './measured.ts';
import type {Claim, PaperGrid, Row} from './paper.ts';
import type {Cell, Results} from './results.ts';
import {meanRow, orderRow} from './rows.ts';
import type {Range} from './verdict.ts';
import {isClear, leadText, lossText, measuredText, sizeText} from './words.ts';

/** N07 and N08: the same stacks, pages and paths of 1 Mbps. */
export interface DevelopingPath {
  readonly preset: string;
  readonly rttMs: number;
}

export const HSDPA: DevelopingPath = {preset: 'n07-hsdpa', rttMs: 120};
export const SOUTH_ASIA: DevelopingPath = {preset: 'n08-south-asia', rttMs: 350};
export const VSAT: DevelopingPath = {preset: 'n07-vsat', rttMs: 850};
export const TWO_VSAT: DevelopingPath = {preset: 'n07-2vsat', rttMs: 1100};

/** The panes of {@link pageTimes}: SCTP with a single stream is the control, which differs from TCP by its stack alone. */
export const TCP = 1;
export const STREAMS = 2;
export const SINGLE = 3;

/** Bytes of an object. */
export const SIZES = [3000, 5000, 10_000, 15_000] as const;
const LOSSES = [0, 0.005, 0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.1];

/** A page of ten objects of 10 KB over TCP, N streams and one. */
export const DEVELOPING_BASE = {
  page: {
    synthetic: {indexBytes: 3000, objects: 10, objectBytes: 10_000, headerBytes: 250, requestBytes: 200},
  },
  path: {rateBps: 1_000_000},
  panes: [
    {pipeline: 'tcp', profile: 'classic'},
    {pipeline: 'sctp', profile: 'classic', streams: 10},
    {pipeline: 'sctp', profile: 'classic', streams: 1},
  ],
  discovery: 'complete',
} as const satisfies Json;

/** Page time and PPage against loss, of so many objects. */
export function pageTimes(paths: readonly DevelopingPath[], counts: readonly number[]): PaperGrid {
  return {
    name: 'page-times',
    about: 'page time, PPage and PRen against loss: TCP, SCTP with a stream for each object, SCTP with one',
    base: DEVELOPING_BASE,
    axes: {
      path: paths.map(({preset, rttMs}) => {
        return {label: preset, 'path.rateBps': 1_000_000, 'path.rttMs': rttMs};
      }),
      N: counts.map(count => {
        return {label: count, 'page.synthetic.objects': count, 'panes.1.streams': count};
      }),
      'page.synthetic.objectBytes': [...SIZES],
      'path.loss': LOSSES,
    },
    kept: {metrics: PAGE_METRICS},
  };
}

const PAGE_METRICS = [
  'pageTimeMs',
  ...[25, 50, 75, 100].map(percent => `p${percent}PageMs`),
  ...[25, 50, 75, 100].map(percent => `p${percent}RenMs`),
  'retransmitted',
];

/** How TCP repairs: without SACK, with it, and SCTP, which tells of all gaps, with all streams and with one. */
export function recovery(paths: readonly DevelopingPath[]): PaperGrid {
  const [tcp, ...sctp] = DEVELOPING_BASE.panes;
  return {
    name: 'recovery',
    about: 'TCP without SACK, with it, and SCTP: what the repair of losses is worth',
    base: {...DEVELOPING_BASE, panes: [{...tcp, profile: 'reno'}, tcp, ...sctp]},
    axes: {
      'path.rttMs': paths.map(({rttMs}) => rttMs),
      'page.synthetic.objectBytes': [10_000, 15_000],
      'path.loss': [0.03, 0.1],
    },
    kept: {metrics: ['pageTimeMs', 'p50PageMs', 'retransmitted']},
  };
}

/** Where a claim looks: N = 10. */
export interface Spot {
  readonly path: DevelopingPath;
  readonly bytes: number;
  readonly loss: number;
}

export function spotText({path, bytes, loss}: Spot): string {
  return `${path.rttMs} ms, ${sizeText(bytes)}, ${lossText(loss)}`;
}

function spotCell(results: Results, {path, bytes, loss}: Spot): Cell {
  return results.at('page-times', {
    ...{path: path.preset, N: 10},
    ...{'page.synthetic.objectBytes': bytes, 'path.loss': loss},
  });
}

export function spots(
  paths: readonly DevelopingPath[],
  sizes: readonly number[],
  losses: readonly number[],
): readonly Spot[] {
  return paths.flatMap(path => sizes.flatMap(bytes => losses.map(loss => ({path, bytes, loss}))));
}

/** How much sooner SCTP's pane has it than TCP, s. */
export function lead(results: Results, spot: Spot, pane: number, metric: string): Measured {
  return inSeconds(spotCell(results, spot).difference(TCP, pane, metric));
}

/** SCTP is sooner by so many seconds. */
export function leadRows(
  results: Results,
  expected: readonly (readonly [spot: Spot, theirs: Range])[],
  metric = 'pageTimeMs',
): readonly Row[] {
  return expected.map(([spot, theirs]) => {
    return meanRow(spotText(spot), lead(results, spot, STREAMS, metric), theirs, 's');
  });
}

/** PPage is so many times sooner with streams than over TCP. */
function fasterRows(results: Results, all: readonly Spot[], theirs: Range): readonly Row[] {
  return all.flatMap(spot =>
    [25, 50].map(percent => {
      const ratio = spotCell(results, spot).ratio(TCP, STREAMS, `p${percent}PageMs`);
      return meanRow(`${percent} %Page, ${spotText(spot)}`, ratio, theirs, 'times');
    }),
  );
}

/** What of a lead the stack alone has, which SCTP with one stream shows, and what the streams add. */
export function stackOrStreams(results: Results, spot: Spot, metric = 'pageTimeMs'): string {
  const whole = lead(results, spot, STREAMS, metric);
  const stack = lead(results, spot, SINGLE, metric);
  const streams = inSeconds(spotCell(results, spot).difference(SINGLE, STREAMS, metric));
  return (
    `${spotText(spot)}: SCTP is ${leadText(whole)} than TCP, with a single stream ${leadText(stack)}` +
    `${isClear(stack) ? ', which is the stack’s' : ''}; ten streams are ${leadText(streams)} than one.` +
    (isClear(whole) ? '' : ' More seeds can tell what it comes from.')
  );
}

/** Whether the repair of losses explains what a lead lacks. */
export function withoutSack(results: Results, spot: Spot, theirs: Range): string {
  const cell = recoveryCell(results, spot);
  const [reno, classic] = [1, 2].map(pane => inSeconds(cell.difference(pane, 3, 'pageTimeMs')));
  if (reno === undefined || classic === undefined) return '';
  const {verdict} = meanRow('', reno, theirs, 's');
  const end = {
    agrees: 'which is the paper’s',
    differs: `which is not the paper’s ${theirs.join(' to ')} s either`,
    open: 'which may be the paper’s or not: more seeds can tell',
  }[verdict];
  return (
    `${spotText(spot)}: SCTP is ${leadText(classic)} than TCP with SACK, and ${leadText(reno)} than TCP without (reno), ` +
    `${end}.`
  );
}

export function recoveryCell(results: Results, {path, bytes, loss}: Spot): Cell {
  return results.at('recovery', {
    ...{'path.rttMs': path.rttMs, 'page.synthetic.objectBytes': bytes, 'path.loss': loss},
  });
}

/** TCP's page time / SCTP's with N streams. */
export function timeRatio(results: Results, spot: Spot): Measured {
  return spotCell(results, spot).ratio(TCP, STREAMS, 'pageTimeMs');
}

/** The ratio is larger on the path of the smaller RTT. */
export function growthRow(results: Results, near: Spot, far: Spot): Row {
  const growth = minus(timeRatio(results, near), timeRatio(results, far));
  const texts = [near, far].map(spot => measuredText(timeRatio(results, spot)));
  const row = orderRow(
    `${sizeText(near.bytes)}: ${near.path.rttMs} over ${far.path.rttMs} ms`,
    'larger',
    growth,
  );
  return {...row, ours: `${row.ours} (${texts.join(' and ')})`};
}

/** Streams show parts of everything early: 25 and 50 %Page. */
export function concurrencyClaim(source: string, paths: readonly DevelopingPath[]): Claim {
  const all = spots(paths, [5000, 10_000, 15_000], [0.03, 0.1]);
  return {
    text: '25 %Page and 50 %Page come 2 to 4 times sooner with concurrent rendering, objects of 5 to 15 KB, under loss',
    source,
    rows: results => fasterRows(results, all, [2, 4]),
    why: results =>
      spots(paths, [10_000], [0.1]).map(spot => {
        const cell = spotCell(results, spot);
        const times = (first: number, second: number): string =>
          measuredText(cell.ratio(first, second, 'p25PageMs'));
        return (
          `${spotText(spot)}: 25 %Page of TCP is ${times(TCP, STREAMS)} times that of ten streams and ` +
          `${times(TCP, SINGLE)} times that of one, which is ${times(SINGLE, STREAMS)} times that of ten.`
        );
      }),
  };
}

/** 50 %Page at 1100 ms, of small and large objects. */
export function halfPageClaim(source: string): Claim {
  const expected: readonly (readonly [Spot, Range])[] = [
    [{path: TWO_VSAT, bytes: 5000, loss: 0.03}, [5, 5]],
    [{path: TWO_VSAT, bytes: 5000, loss: 0.1}, [9, 9]],
    [{path: TWO_VSAT, bytes: 15_000, loss: 0.03}, [14, 14]],
    [{path: TWO_VSAT, bytes: 15_000, loss: 0.1}, [27, 27]],
  ];
  return {
    text: '1100 ms: 50 %Page comes sooner by about 5 s (3 %) to 9 s (10 %) for 5 KB, by 14 s to 27 s for 15 KB',
    source,
    rows: results => leadRows(results, expected, 'p50PageMs'),
    why: results => expected.map(([spot]) => stackOrStreams(results, spot, 'p50PageMs')),
  };
}
