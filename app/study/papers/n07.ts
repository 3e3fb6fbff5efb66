import {meanRow, orderRow} from './claimRows.ts';
import {
  CHOSEN_VALUES_NOTE,
  concurrencyClaim,
  type DevelopingPath,
  developingFigures,
  growthRow,
  HSDPA,
  judged,
  lead,
  leadClaim,
  leadGrowthRow,
  leadRows,
  type NumberedFigure,
  pageTimes,
  percentLess,
  recovery,
  SINGLE,
  SIZES,
  SOUTH_ASIA,
  type Spot,
  STREAMS,
  spotCell,
  spots,
  spotText,
  stackOrStreams,
  TCP,
  TWO_VSAT,
  TWO_VSAT_LEADS,
  timeRatio,
  VSAT,
} from './developing.ts';
import {inSeconds, minus, scaled} from './measured.ts';
import {CONCURRENCY, CONCURRENCY_CLAIMS, pageSteps} from './n07Concurrency.ts';
import {
  ACKS,
  EXPLANATIONS,
  NO_LOSS,
  noLossReasons,
  ONE_LOSS,
  SCHEDULERS,
  TIMERS,
  timerReasons,
} from './n07Isolation.ts';
import {MOVIE_CLAIM, MOVIES} from './n07Movies.ts';
import {measuredText} from './numberText.ts';
import type {Claim, Paper} from './paper.ts';
import {leastOf, type Range} from './verdict.ts';

const PATHS = [HSDPA, SOUTH_ASIA, VSAT, TWO_VSAT];
const COUNTS = [5, 10, 15];

/** Which figure of N07 shows which path, number of objects and metric (N07, figures 6–13 and 16–31). */
export const N07_FIGURES: readonly NumberedFigure[] = [
  ...figuresFrom(6, 10, 'pageTime'),
  ...figuresFrom(10, 10, 'pPage'),
  ...figuresFrom(10, 10, 'pRen'),
  ...figuresFrom(16, 5, 'pageTime'),
  ...figuresFrom(20, 15, 'pageTime'),
  ...figuresFrom(24, 5, 'pPage'),
  ...figuresFrom(28, 15, 'pPage'),
];

/** Numbers consecutive figures of one kind, one for each path. */
function figuresFrom(first: number, count: number, kind: NumberedFigure['kind']): readonly NumberedFigure[] {
  const letter = first !== 10 ? '' : kind === 'pPage' ? 'a' : 'b';
  return PATHS.map((path, i) => ({number: `${first + i}${letter}`, path, count, kind}));
}

const LARGE: readonly number[] = [10_000, 15_000];
const SIX_TO_EIGHT: readonly (readonly [Spot, Range])[] = spots([HSDPA], LARGE, [0.1]).map(spot => [spot, [6, 8]]);

/**
 * Pairs of settings. According to N07, SCTP's lead is larger in the first setting of a pair. The settings of a pair
 * differ in the number of objects, their size, the loss or the RTT.
 */
const GROWING: readonly (readonly [larger: Spot, smaller: Spot])[] = [
  ...PATHS.flatMap(path => [
    [
      {path, count: 15, bytes: 10_000, loss: 0.1},
      {path, count: 5, bytes: 10_000, loss: 0.1},
    ] as const,
    [
      {path, count: 10, bytes: 15_000, loss: 0.1},
      {path, count: 10, bytes: 5000, loss: 0.1},
    ] as const,
    [
      {path, count: 10, bytes: 10_000, loss: 0.1},
      {path, count: 10, bytes: 10_000, loss: 0.03},
    ] as const,
  ]),
  ...LARGE.flatMap(bytes =>
    [0.03, 0.1].map(
      loss =>
        [
          {path: TWO_VSAT, count: 10, bytes, loss},
          {path: HSDPA, count: 10, bytes, loss},
        ] as const,
    ),
  ),
];

/**
 * By how many seconds SCTP is sooner than TCP at 50 %Page according to N07, at an RTT of 1100 ms, for small and large
 * objects. 50 %Page is the time when every object has half of its bytes.
 */
const HALF_PAGES: readonly (readonly [Spot, Range])[] = (
  [
    [5000, 0.03, 5],
    [5000, 0.1, 9],
    [15_000, 0.03, 14],
    [15_000, 0.1, 27],
  ] as const
).flatMap(([bytes, loss, seconds]) =>
  spots([TWO_VSAT], [bytes], [loss]).map((spot): readonly [Spot, Range] => [spot, [seconds, seconds]]),
);

const HALF_PAGE_CLAIM: Claim = {
  text: '1100 ms: 50 %Page comes sooner over SCTP: for objects of 5 KB by about 5 s (3 % loss) to 9 s (10 %), for 15 KB by 14 s to 27 s',
  source: 'N07 §5, figure 13',
  rows: results => leadRows(results, HALF_PAGES, 'p50PageMs'),
  why: results => HALF_PAGES.map(([spot]) => stackOrStreams(results, spot, 'p50PageMs')),
};

const CLAIMS: readonly Claim[] = [
  {
    text: 'Without loss TCP’s and SCTP’s page times are about equal',
    source: 'N07 §5, figures 6–9',
    rows: results =>
      spots(PATHS, SIZES, [0]).map(spot => meanRow(`TCP / SCTP, ${spotText(spot)}`, timeRatio(results, spot), [1, 1])),
    why: noLossReasons,
  },
  {
    text: 'Without loss TCP is slightly ahead of SCTP',
    source: 'N07 §5, figures 6–9',
    rows: results =>
      spots(PATHS, SIZES, [0]).map(spot => {
        const behind = scaled(lead(results, spot, STREAMS, 'pageTimeMs'), -1);
        const whole = inSeconds(spotCell(results, spot).mean(TCP, 'pageTimeMs'));
        return orderRow(spotText(spot), 'SCTP later', behind, 's', leastOf(whole));
      }),
    why: noLossReasons,
  },
  leadClaim(
    '1100 ms: SCTP is sooner by about 6 s at 3 % loss and by up to about 15 s at 10 %, for objects of 10 and 15 KB',
    'N07 §5, figure 9',
    TWO_VSAT_LEADS,
  ),
  leadClaim('120 ms: SCTP is sooner by 6 to 8 s at 10 % loss', 'N07 §5, figure 6', SIX_TO_EIGHT),
  {
    text: 'SCTP’s lead grows with the number of objects N, with their size, with RTT and with loss',
    source: 'N07 §5, figures 6–9, 16–23',
    rows: results => GROWING.map(([larger, smaller]) => leadGrowthRow(results, larger, smaller)),
    why: () => [],
  },
  {
    text: 'Objects of 10 KB: SCTP’s page time is about 20 % shorter (N07 does not say where; we compare 1100 ms at 3 and 10 % loss)',
    source: 'N07 §5',
    rows: results =>
      spots([TWO_VSAT], [10_000], [0.03, 0.1]).map(spot =>
        meanRow(spotText(spot), percentLess(results, spot), [20, 20], '%'),
      ),
    why: results => [
      `On the other paths SCTP’s page time is shorter by ${spots([HSDPA, SOUTH_ASIA, VSAT], [10_000], [0.03, 0.1])
        .map(spot => `${measuredText(percentLess(results, spot), '%')} (${spotText(spot)})`)
        .join(', ')}.`,
    ],
  },
  {
    text: 'Page times do not depend on the concurrency level',
    source: 'N07 §5',
    rows: results =>
      spots(PATHS, LARGE, [0, 0.03, 0.1]).map(spot =>
        meanRow(
          `page time with one stream / with a stream for each object, ${spotText(spot)}`,
          spotCell(results, spot).ratio(SINGLE, STREAMS, 'pageTimeMs'),
          [1, 1],
        ),
      ),
    why: () => [],
  },
  {
    text: 'At 10 % loss TCP takes about 1.8 times as long as SCTP at 120 ms, and about 1.3 times as long at 1100 ms',
    source: 'N07 §5',
    rows: results => [
      ...ratioRows(HSDPA, [1.8, 1.8]).map(([spot, theirs]) =>
        meanRow(spotText(spot), timeRatio(results, spot), theirs),
      ),
      ...ratioRows(TWO_VSAT, [1.3, 1.3]).map(([spot, theirs]) =>
        meanRow(spotText(spot), timeRatio(results, spot), theirs),
      ),
    ],
    why: results => spots([HSDPA, TWO_VSAT], [10_000], [0.1]).map(spot => stackOrStreams(results, spot)),
  },
  {
    text: 'The ratio of the page times, TCP / SCTP, grows as RTT falls',
    source: 'N07 §5',
    rows: results =>
      LARGE.map(bytes =>
        growthRow(results, {path: HSDPA, count: 10, bytes, loss: 0.1}, {path: TWO_VSAT, count: 10, bytes, loss: 0.1}),
      ),
    why: timerReasons,
  },
  concurrencyClaim(
    {
      text: 'Under loss, 25 %Page and 50 %Page come about 2 times sooner with concurrent rendering, for objects of 5 to 15 KB',
      source: 'N07 §5, figures 10–13',
      theirs: {25: [2, 2], 50: [2, 2]},
    },
    PATHS,
  ),
  HALF_PAGE_CLAIM,
  {
    text: '75 %Page comes sooner with concurrent rendering under loss, on all paths and for all object sizes',
    source: 'N07 §5, figures 10–13',
    rows: results =>
      spots(PATHS, SIZES, [0.03, 0.1]).map(spot =>
        orderRow(spotText(spot), 'sooner', lead(results, spot, STREAMS, 'p75PageMs'), 's'),
      ),
    why: results => spots(PATHS, [10_000], [0.1]).map(spot => stackOrStreams(results, spot, 'p75PageMs')),
  },
  {
    text: 'Without loss, 25 %Page is slightly sooner with concurrent rendering (we take "slightly" to mean: by less than a fifth of TCP’s 25 %Page)',
    source: 'N07 §5, figures 10–13',
    rows: results =>
      spots(PATHS, SIZES, [0]).flatMap(spot => {
        const whole = inSeconds(spotCell(results, spot).mean(TCP, 'p25PageMs'));
        const least = leastOf(whole);
        const sooner = lead(results, spot, STREAMS, 'p25PageMs');
        const rest = minus(scaled(whole, 0.2), sooner);
        return [
          orderRow(spotText(spot), 'sooner', sooner, 's', least),
          orderRow(`${spotText(spot)}: a fifth of TCP’s 25 %Page, minus the lead`, 'above 0', rest, 's', least),
        ];
      }),
    why: results => spots(PATHS, [10_000], [0]).map(spot => stackOrStreams(results, spot, 'p25PageMs')),
  },
  ...CONCURRENCY_CLAIMS,
  MOVIE_CLAIM,
  ...EXPLANATIONS,
];

function ratioRows(path: DevelopingPath, theirs: Range): readonly (readonly [Spot, Range])[] {
  return spots([path], LARGE, [0.1]).map(spot => [spot, theirs]);
}

export const n07: Paper = {
  name: 'n07',
  title: 'N07: Natarajan, Amer, Stewart: The Case for Multistreamed Web Transport in High Latency Networks, 2007',
  notes: [
    'N07 gives a range of 0 to 10 % loss and no single values. We use 0 to 3 % in steps of 0.5 %, and above that steps of 1 %.',
    CHOSEN_VALUES_NOTE,
    'Figures 14 and 15 are stills of the movies. Figure 15 is made by: npx interleave filmstrip --scenario n07-movie --at 6s,7s,12s --out figure-15.png. Figure 14 is made by the same command with --set path.loss=0 --at 4s,7s.',
    'TCP renders sequentially, and SCTP with a stream for each object renders concurrently. SCTP with a single stream is our control.',
  ],
  grids: [
    pageTimes(PATHS, COUNTS),
    judged(PATHS, 0),
    recovery([HSDPA, TWO_VSAT], 0),
    TIMERS,
    ONE_LOSS,
    NO_LOSS,
    ACKS,
    SCHEDULERS,
    CONCURRENCY,
    pageSteps(PATHS),
    MOVIES,
  ],
  claims: CLAIMS,
  tables: () => [],
  figures: results => developingFigures('n07', results, N07_FIGURES),
};
