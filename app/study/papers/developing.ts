import type {Json} from '../../base/json.ts';
import type {Figure} from '../figures/figure.ts';
import {meanRow, orderRow} from './claimRows.ts';
import type {Cell, Results} from './gridResults.ts';
import {inSeconds, type Measured, minus, scaled} from './measured.ts';
import {excludesZero, leadText, lossText, measuredText, rangeText, sizeText} from './numberText.ts';
import {type Claim, JUDGED_SEEDS, type PaperGrid, type Row} from './paper.ts';
import {numbered} from './paperFigures.ts';
import type {Range} from './verdict.ts';

// What N07 and N08 have in common: the same protocol stacks and pages, and paths of 1 Mbit/s.

/** A path of N07 or N08: the name of the preset that has this path, and its RTT. */
export interface DevelopingPath {
  readonly preset: string;
  readonly rttMs: number;
}

export const HSDPA: DevelopingPath = {preset: 'n07-hsdpa', rttMs: 120};
export const SOUTH_ASIA: DevelopingPath = {preset: 'n08-south-asia', rttMs: 350};
export const VSAT: DevelopingPath = {preset: 'n07-vsat', rttMs: 850};
export const TWO_VSAT: DevelopingPath = {preset: 'n07-2vsat', rttMs: 1100};

// The numbers of the panes of `DEVELOPING_BASE`. The grid `recovery` has other panes. SCTP with a single stream is the
// control: it differs from TCP only by its protocol stack.
export const TCP = 1;
export const STREAMS = 2;
export const SINGLE = 3;

/** Sizes of an object, bytes. */
export const SIZES = [3000, 5000, 10_000, 15_000] as const;
const LOSSES = [0, 0.005, 0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.1];

/** A page of ten objects of 10 KB, over TCP, over SCTP with ten streams, and over SCTP with one. */
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

/** The note on the settings of these grids that neither paper gives. */
export const CHOSEN_VALUES_NOTE =
  'The paper does not give the size of the HTML, of headers and of GET requests, nor the length of the queues. ' +
  'We chose 3 KB, 250 B, 200 B and 1,000 packets.';

/** Page time, PPage and PRen against loss, for pages with each of these numbers of objects. */
export function pageTimes(paths: readonly DevelopingPath[], counts: readonly number[]): PaperGrid {
  return {
    name: 'page-times',
    about: 'page time, PPage and PRen against loss: TCP, SCTP with a stream for each object, SCTP with one stream',
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

/**
 * The numbers and sizes of objects in the cells by which claims are judged: ten objects of every size, and five or
 * fifteen objects of 10 KB.
 */
const JUDGED = [...SIZES.map(bytes => ({count: 10, bytes})), {count: 5, bytes: 10_000}, {count: 15, bytes: 10_000}];
const JUDGED_LOSSES = [0.03, 0.1];

/**
 * The cells with loss by which claims are judged. N07 and N08 have some of them in common. `rowsBefore` gives the two
 * papers different seeds (see `MoreSeeds`), so that no load is judged twice.
 */
export function judged(paths: readonly DevelopingPath[], rowsBefore: number): PaperGrid {
  return {
    name: 'judged',
    about: 'page time and PPage under loss, with more seeds, in the cells by which claims are judged',
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

/**
 * The grid that shows the effect of loss recovery. Its panes are TCP without SACK, TCP with SACK, SCTP with ten
 * streams, and SCTP with one. SCTP's SACKs report all gaps.
 */
export function recovery(paths: readonly DevelopingPath[], rowsBefore: number): PaperGrid {
  const [tcp, ...sctp] = DEVELOPING_BASE.panes;
  return {
    name: 'recovery',
    about: 'TCP without SACK, TCP with SACK, and SCTP: the effect of loss recovery',
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

/** One combination of settings that a claim is about. */
export interface Spot {
  readonly path: DevelopingPath;
  /** N, the number of embedded objects. */
  readonly count: number;
  readonly bytes: number;
  readonly loss: number;
}

/** The settings in words. The number of objects is left out if it is ten. */
export function spotText({path, count, bytes, loss}: Spot): string {
  const objects = count === 10 ? sizeText(bytes) : objectsText({count, bytes});
  return `${path.rttMs} ms, ${objects}, ${lossText(loss)}`;
}

/** The cell with these settings. */
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

/** Every combination of these paths, sizes and losses, for pages of `count` objects. */
export function spots(
  paths: readonly DevelopingPath[],
  sizes: readonly number[],
  losses: readonly number[],
  count = 10,
): readonly Spot[] {
  return paths.flatMap(path => sizes.flatMap(bytes => losses.map(loss => ({path, count, bytes, loss}))));
}

/** How much sooner an SCTP pane reaches an event than TCP does, s. */
export function lead(results: Results, spot: Spot, pane: number, metric: string): Measured {
  return inSeconds(spotCell(results, spot).difference(TCP, pane, metric));
}

/** Rows that compare SCTP's lead over TCP in our runs, in s, with its lead in the paper. */
export function leadRows(
  results: Results,
  expected: readonly (readonly [spot: Spot, theirs: Range])[],
  metric = 'pageTimeMs',
): readonly Row[] {
  return expected.map(([spot, theirs]) => {
    return meanRow(spotText(spot), lead(results, spot, STREAMS, metric), theirs, 's');
  });
}

/** TCP's 25 and 50 %Page divided by those of SCTP with streams, as a paper gives them. */
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

/**
 * Divides SCTP's lead between the protocol stack and the streams: the lead of SCTP with one stream comes from the stack
 * alone, and the difference between a stream for each object and a single one comes from the streams.
 */
export function stackOrStreams(results: Results, spot: Spot, metric = 'pageTimeMs'): string {
  const whole = lead(results, spot, STREAMS, metric);
  const stack = lead(results, spot, SINGLE, metric);
  const streams = inSeconds(spotCell(results, spot).difference(SINGLE, STREAMS, metric));
  return (
    `${spotText(spot)}: SCTP is ${leadText(whole)} than TCP. SCTP with a single stream is ${leadText(stack)} than TCP` +
    `${excludesZero(stack) ? ', which is due to the protocol stack alone' : ''}. ` +
    `SCTP with a stream for each object is ${leadText(streams)} than with a single stream.` +
    (excludesZero(whole)
      ? ''
      : ' With these seeds it is not certain that SCTP has a lead, so its causes are not certain either. More seeds can decide.')
  );
}

/**
 * Sentences with SCTP's leads over TCP with and without SACK. They say whether the lead over TCP without SACK agrees
 * with the paper.
 */
function withoutSack(results: Results, spot: Spot, theirs: Range): string {
  const cell = recoveryCell(results, spot);
  const [reno, classic] = [1, 2].map(pane => inSeconds(cell.difference(pane, 3, 'pageTimeMs')));
  if (reno === undefined || classic === undefined) return '';
  const {verdict} = meanRow('', reno, theirs, 's');
  const end = {
    agrees: 'which agrees with the paper',
    differs: `which does not agree with the paper’s ${rangeText(theirs, 's')}`,
    open: 'which may or may not agree with the paper: more seeds can decide',
  }[verdict];
  return (
    `${spotText(spot)}: SCTP is ${leadText(classic)} than TCP with SACK. It is ${leadText(reno)} than TCP without SACK (Reno), ` +
    `${end}.`
  );
}

export function recoveryCell(results: Results, {path, bytes, loss}: Spot): Cell {
  return results.at('recovery', {'path.rttMs': path.rttMs, 'page.synthetic.objectBytes': bytes, 'path.loss': loss});
}

/** TCP's page time divided by that of SCTP with a stream for each object. */
export function timeRatio(results: Results, spot: Spot): Measured {
  return spotCell(results, spot).ratio(TCP, STREAMS, 'pageTimeMs');
}

/** Tests whether SCTP's lead is larger with the first settings than with the second. */
export function leadGrowthRow(results: Results, larger: Spot, smaller: Spot): Row {
  const leadAt = (spot: Spot): Measured => lead(results, spot, STREAMS, 'pageTimeMs');
  const [more, less] = [leadAt(larger), leadAt(smaller)];
  const row = orderRow(
    `lead at ${spotText(larger)}, minus lead at ${spotText(smaller)}`,
    'larger',
    minus(more, less),
    's',
  );
  return {...row, ours: `${row.ours} (${measuredText(more, 's')} and ${measuredText(less, 's')})`};
}

/** By what percentage SCTP's page time is below TCP's. */
export function percentLess(results: Results, spot: Spot): Measured {
  const {value, half, ...counts} = spotCell(results, spot).ratio(STREAMS, TCP, 'pageTimeMs');
  return scaled({value: value === null ? null : 1 - value, half, ...counts}, 100);
}

/** Tests whether the ratio of the page times is larger on the path with the smaller RTT. */
export function growthRow(results: Results, near: Spot, far: Spot): Row {
  const growth = minus(timeRatio(results, near), timeRatio(results, far));
  const texts = [near, far].map(spot => measuredText(timeRatio(results, spot)));
  const row = orderRow(
    `${sizeText(near.bytes)}: ratio at ${near.path.rttMs} ms minus ratio at ${far.path.rttMs} ms`,
    'larger',
    growth,
  );
  return {...row, ours: `${row.ours} (${texts.join(' and ')})`};
}

/**
 * The claim that 25 and 50 %Page come several times sooner with streams. `theirs` has the ratios that the paper gives.
 */
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
          `${spotText(spot)}: TCP’s 25 %Page is ${times(TCP, STREAMS)} times that of SCTP with ten streams, and ` +
          `${times(TCP, SINGLE)} times that of SCTP with one stream. The 25 %Page of one stream is ` +
          `${times(SINGLE, STREAMS)} times that of ten.`
        );
      }),
  };
}

/**
 * The claim about SCTP's lead with these settings. Two possible reasons for the lead are examined: SCTP's protocol
 * stack, and a TCP without SACK in the paper.
 */
export function leadClaim(text: string, source: string, expected: readonly (readonly [Spot, Range])[]): Claim {
  return {
    text,
    source,
    rows: results => leadRows(results, expected),
    why: results =>
      expected.flatMap(([spot, theirs]) => [stackOrStreams(results, spot), withoutSack(results, spot, theirs)]),
  };
}

/**
 * The papers' leads of SCTP on the path over two satellite links, for objects of 10 and 15 KB: about 6 s at 3 % loss,
 * and up to about 15 s at 10 % loss. We compare the 15 s with our lead for objects of 15 KB, where the lead is largest.
 */
export const TWO_VSAT_LEADS: readonly (readonly [Spot, Range])[] = [
  ...spots([TWO_VSAT], [10_000, 15_000], [0.03]).map((spot): readonly [Spot, Range] => [spot, [6, 6]]),
  ...spots([TWO_VSAT], [15_000], [0.1]).map((spot): readonly [Spot, Range] => [spot, [15, 15]]),
];

/** A figure of N07 or N08: its number, and which of our figures shows the same. */
export interface NumberedFigure {
  readonly number: string;
  readonly path: DevelopingPath;
  /** N, the number of embedded objects. */
  readonly count: number;
  readonly kind: 'pageTime' | 'pPage' | 'pRen';
}

/** Our figures of the grid `page-times`, with the numbers of the paper's figures. */
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

/** How the file names of the grid's figures begin, by kind. */
const FILES: {readonly [K in NumberedFigure['kind']]: string} = {
  pageTime: 'page-time-t',
  pPage: 'ppage',
  pRen: 'pren',
};
