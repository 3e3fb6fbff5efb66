import type {Json} from '../../base/json.ts';
import type {Figure} from '../figures/figure.ts';
import {meanRow, orderRow} from './claimRows.ts';
import type {Cell, Results} from './gridResults.ts';
import {inSeconds, type Measured, minus, scaled} from './measured.ts';
import {isClear, leadText, lossText, measuredText, rangeText, sizeText} from './numberText.ts';
import {type Claim, JUDGED_SEEDS, type PaperGrid, type Row} from './paper.ts';
import {numbered} from './paperFigures.ts';
import type {Range} from './verdict.ts';

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

/** What of {@link DEVELOPING_BASE} no paper has. */
export const OURS =
  'The HTML of 3 KB, headers of 250 B, GETs of 200 B and queues of 1,000 packets are ours: the paper gives none of them.';

/** Page time and PPage against loss, of so many objects. */
export function pageTimes(paths: readonly DevelopingPath[], counts: readonly number[]): PaperGrid {
  return {
    name: 'page-times',
    about: 'page time, PPage and PRen against loss: TCP, SCTP with a stream for each object, SCTP with one',
    base: DEVELOPING_BASE,
    axes: {
      path: paths.map(pathPoint),
      N: counts.map(count => {
        return {label: count, 'page.synthetic.objects': count, 'panes.1.streams': count};
      }),
      'page.synthetic.objectBytes': [...SIZES],
      'path.loss': LOSSES,
    },
    kept: {metrics: PAGE_METRICS},
  };
}

/** Objects of the cells that verdicts look at: all sizes of ten, and 10 KB of five and fifteen. */
const JUDGED = [...SIZES.map(bytes => ({count: 10, bytes})), {count: 5, bytes: 10_000}, {count: 15, bytes: 10_000}];
const JUDGED_LOSSES = [0.03, 0.1];

/** The cells under loss that verdicts look at, of seeds that no other paper is judged by. */
export function judged(paths: readonly DevelopingPath[], rowsBefore: number): PaperGrid {
  return {
    name: 'judged',
    about: 'page time and PPage where claims look, under loss, of more seeds',
    base: DEVELOPING_BASE,
    axes: {
      path: paths.map(pathPoint),
      objects: JUDGED.map(objects => {
        const {count, bytes} = objects;
        return {
          label: objectsText(objects),
          'page.synthetic.objects': count,
          'page.synthetic.objectBytes': bytes,
          'panes.1.streams': count,
        };
      }),
      'path.loss': JUDGED_LOSSES,
    },
    kept: {metrics: ['pageTimeMs', ...[25, 50, 75].map(percent => `p${percent}PageMs`)]},
    moreSeeds: {...JUDGED_SEEDS, rowsBefore},
  };
}

function pathPoint({preset, rttMs}: DevelopingPath) {
  return {label: preset, 'path.rateBps': 1_000_000, 'path.rttMs': rttMs};
}

function objectsText({count, bytes}: Pick<Spot, 'count' | 'bytes'>): string {
  return `${count} × ${sizeText(bytes)}`;
}

const PAGE_METRICS = [
  'pageTimeMs',
  ...[25, 50, 75, 100].map(percent => `p${percent}PageMs`),
  ...[25, 50, 75, 100].map(percent => `p${percent}RenMs`),
  'retransmitted',
];

/** How TCP repairs: without SACK, with it, and SCTP, which tells of all gaps, with all streams and with one. */
export function recovery(paths: readonly DevelopingPath[], rowsBefore: number): PaperGrid {
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
    moreSeeds: {...JUDGED_SEEDS, rowsBefore},
  };
}

/** Where a claim looks. */
export interface Spot {
  readonly path: DevelopingPath;
  /** N. */
  readonly count: number;
  readonly bytes: number;
  readonly loss: number;
}

/** Ten objects go without saying. */
export function spotText({path, count, bytes, loss}: Spot): string {
  const objects = count === 10 ? sizeText(bytes) : objectsText({count, bytes});
  return `${path.rttMs} ms, ${objects}, ${lossText(loss)}`;
}

export function spotCell(results: Results, {path, count, bytes, loss}: Spot): Cell {
  if (loss > 0)
    return results.at('judged', {path: path.preset, objects: objectsText({count, bytes}), 'path.loss': loss});
  return results.at('page-times', {
    path: path.preset,
    N: count,
    'page.synthetic.objectBytes': bytes,
    'path.loss': loss,
  });
}

/** Of ten objects, or so many. */
export function spots(
  paths: readonly DevelopingPath[],
  sizes: readonly number[],
  losses: readonly number[],
  count = 10,
): readonly Spot[] {
  return paths.flatMap(path => sizes.flatMap(bytes => losses.map(loss => ({path, count, bytes, loss}))));
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

/** How many times sooner 25 and 50 %Page are with streams than over TCP. */
export interface TimesSooner {
  readonly 25: Range;
  readonly 50: Range;
}

function fasterRows(results: Results, all: readonly Spot[], theirs: TimesSooner): readonly Row[] {
  return all.flatMap(spot =>
    ([25, 50] as const).map(percent => {
      const ratio = spotCell(results, spot).ratio(TCP, STREAMS, `p${percent}PageMs`);
      return meanRow(`${percent} %Page, ${spotText(spot)}`, ratio, theirs[percent], 'times');
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
function withoutSack(results: Results, spot: Spot, theirs: Range): string {
  const cell = recoveryCell(results, spot);
  const [reno, classic] = [1, 2].map(pane => inSeconds(cell.difference(pane, 3, 'pageTimeMs')));
  if (reno === undefined || classic === undefined) return '';
  const {verdict} = meanRow('', reno, theirs, 's');
  const end = {
    agrees: 'which is the paper’s',
    differs: `which is not the paper’s ${rangeText(theirs, 's')} either`,
    open: 'which may be the paper’s or not: more seeds can tell',
  }[verdict];
  return (
    `${spotText(spot)}: SCTP is ${leadText(classic)} than TCP with SACK, and ${leadText(reno)} than TCP without (reno), ` +
    `${end}.`
  );
}

export function recoveryCell(results: Results, {path, bytes, loss}: Spot): Cell {
  return results.at('recovery', {'path.rttMs': path.rttMs, 'page.synthetic.objectBytes': bytes, 'path.loss': loss});
}

/** TCP's page time / SCTP's with N streams. */
export function timeRatio(results: Results, spot: Spot): Measured {
  return spotCell(results, spot).ratio(TCP, STREAMS, 'pageTimeMs');
}

/** SCTP's lead is larger at one place than at another. */
export function leadGrowthRow(results: Results, larger: Spot, smaller: Spot): Row {
  const leadAt = (spot: Spot): Measured => lead(results, spot, STREAMS, 'pageTimeMs');
  const [more, less] = [leadAt(larger), leadAt(smaller)];
  const row = orderRow(`${spotText(larger)}, over ${spotText(smaller)}`, 'larger', minus(more, less), 's');
  return {...row, ours: `${row.ours} (${measuredText(more, 's')} and ${measuredText(less, 's')})`};
}

/** By how many percent SCTP's page time is below TCP's. */
export function percentLess(results: Results, spot: Spot): Measured {
  const {value, half, ...counts} = spotCell(results, spot).ratio(STREAMS, TCP, 'pageTimeMs');
  return scaled({value: value === null ? null : 1 - value, half, ...counts}, 100);
}

/** The ratio is larger on the path of the smaller RTT. */
export function growthRow(results: Results, near: Spot, far: Spot): Row {
  const growth = minus(timeRatio(results, near), timeRatio(results, far));
  const texts = [near, far].map(spot => measuredText(timeRatio(results, spot)));
  const row = orderRow(`${sizeText(near.bytes)}: ${near.path.rttMs} over ${far.path.rttMs} ms`, 'larger', growth);
  return {...row, ours: `${row.ours} (${texts.join(' and ')})`};
}

/** Streams show parts of everything early: 25 and 50 %Page; `text` says how many times sooner. */
export function concurrencyClaim(
  {text, source, theirs}: Pick<Claim, 'text' | 'source'> & {readonly theirs: TimesSooner},
  paths: readonly DevelopingPath[],
): Claim {
  const all = spots(paths, [5000, 10_000, 15_000], JUDGED_LOSSES);
  return {
    text,
    source,
    rows: results => fasterRows(results, all, theirs),
    why: results =>
      spots(paths, [10_000], [0.1]).map(spot => {
        const cell = spotCell(results, spot);
        const times = (first: number, second: number): string => measuredText(cell.ratio(first, second, 'p25PageMs'));
        return (
          `${spotText(spot)}: 25 %Page of TCP is ${times(TCP, STREAMS)} times that of ten streams and ` +
          `${times(TCP, SINGLE)} times that of one, which is ${times(SINGLE, STREAMS)} times that of ten.`
        );
      }),
  };
}

/** SCTP's lead at these places, with what of it is the stack's, and what TCP without SACK would have. */
export function leadClaim(text: string, source: string, expected: readonly (readonly [Spot, Range])[]): Claim {
  return {
    text,
    source,
    rows: results => leadRows(results, expected),
    why: results =>
      expected.flatMap(([spot, theirs]) => [stackOrStreams(results, spot), withoutSack(results, spot, theirs)]),
  };
}

/** Two satellites: about 6 s at 3 %, and at 10 % as high as about 15 s, which is with the larger objects. */
export const TWO_VSAT_LEADS: readonly (readonly [Spot, Range])[] = [
  ...spots([TWO_VSAT], [10_000, 15_000], [0.03]).map((spot): readonly [Spot, Range] => [spot, [6, 6]]),
  ...spots([TWO_VSAT], [15_000], [0.1]).map((spot): readonly [Spot, Range] => [spot, [15, 15]]),
];

/** A figure of N07 or N08: what it shows of the page times. */
export interface NumberedFigure {
  readonly number: string;
  readonly path: DevelopingPath;
  /** N. */
  readonly count: number;
  readonly kind: 'pageTime' | 'pPage' | 'pRen';
}

/** The paper's figures, of the grid's own. */
export function developingFigures(
  paper: string,
  results: Results,
  figures: readonly NumberedFigure[],
): readonly Figure[] {
  return figures.map(({number, path, count, kind}) => {
    const name = `${FILES[kind]}-${path.preset}-n-${count}`;
    return numbered(results.figure('page-times', name), paper, number);
  });
}

/** How the grid's figures of a kind begin. */
const FILES: {readonly [K in NumberedFigure['kind']]: string} = {
  pageTime: 'page-time-t',
  pPage: 'ppage',
  pRen: 'pren',
};
