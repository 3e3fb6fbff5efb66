import {orderRow} from './claimRows.ts';
import {
  CHOSEN_VALUES_NOTE,
  concurrencyClaim,
  developingFigures,
  judged,
  lead,
  leadClaim,
  type NumberedFigure,
  pageTimes,
  recovery,
  SOUTH_ASIA,
  type Spot,
  STREAMS,
  spots,
  spotText,
  TWO_VSAT,
  TWO_VSAT_LEADS,
  VSAT,
} from './developing.ts';
import type {Claim, Paper} from './paper.ts';
import type {Range} from './verdict.ts';

const PATHS = [SOUTH_ASIA, VSAT, TWO_VSAT];

/** Which figure of N08 shows which path and metric (N08, figures 4–9). */
const FIGURES: readonly NumberedFigure[] = [
  ...PATHS.map((path, i): NumberedFigure => ({number: `${4 + i}`, path, count: 10, kind: 'pageTime'})),
  ...PATHS.map((path, i): NumberedFigure => ({number: `${7 + i}`, path, count: 10, kind: 'pPage'})),
];

const EIGHT_TO_TEN: readonly (readonly [Spot, Range])[] = spots([SOUTH_ASIA], [10_000, 15_000], [0.1]).map(spot => [
  spot,
  [8, 10],
]);

const CLAIMS: readonly Claim[] = [
  leadClaim(
    '350 ms: SCTP is sooner by 8 to 10 s at 10 % loss, for objects of 10 and 15 KB',
    'N08, figure 4',
    EIGHT_TO_TEN,
  ),
  leadClaim(
    '1100 ms: SCTP is sooner by about 6 s at 3 % loss and by up to about 15 s at 10 %, for objects of 10 and 15 KB',
    'N08, figure 6',
    TWO_VSAT_LEADS,
  ),
  concurrencyClaim(
    {
      text: 'Under loss, 25 %Page comes about 4 times and 50 %Page about 2 times sooner with concurrent rendering, for objects of 5 to 15 KB',
      source: 'N08, figures 7–9',
      theirs: {25: [4, 4], 50: [2, 2]},
    },
    PATHS,
  ),
  {
    text: 'Pages of 5 and 15 objects: under loss SCTP’s page time and 50 %Page are sooner, too',
    source: 'N08',
    rows: results =>
      [5, 15].flatMap(count =>
        spots(PATHS, [10_000], [0.03, 0.1], count).flatMap(spot =>
          (
            [
              ['page time', 'pageTimeMs'],
              ['50 %Page', 'p50PageMs'],
            ] as const
          ).map(([name, metric]) =>
            orderRow(`${name}, ${spotText(spot)}`, 'sooner', lead(results, spot, STREAMS, metric), 's'),
          ),
        ),
      ),
    why: () => [],
  },
];

export const n08: Paper = {
  name: 'n08',
  title: 'N08: Natarajan, Amer, Stewart: Multistreamed Web Transport for Developing Regions, 2008',
  notes: [
    'N08 gives a range of 0 to 10 % loss and no single values. We use 0 to 3 % in steps of 0.5 %, and above that steps of 1 %.',
    CHOSEN_VALUES_NOTE,
    'Some paths are also in N07 (The Case for Multistreamed Web Transport in High Latency Networks). The verdicts here use other seeds than the verdicts on N07, so that no load counts for both papers.',
  ],
  grids: [pageTimes(PATHS, [10]), judged(PATHS, 1), recovery([SOUTH_ASIA, TWO_VSAT], 1)],
  claims: CLAIMS,
  tables: () => [],
  figures: results => developingFigures('n08', results, FIGURES),
};
