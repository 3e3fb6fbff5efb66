import {
  concurrencyClaim,
  halfPageClaim,
  leadRows,
  pageTimes,
  recovery,
  SOUTH_ASIA,
  type Spot,
  spots,
  stackOrStreams,
  TWO_VSAT,
  VSAT,
  withoutSack,
} from './developing.ts';
import {developingFigures, type NumberedFigure} from './developingFigures.ts';
import type {Claim, Paper} from './paper.ts';
import type {Range} from './verdict.ts';

const PATHS = [SOUTH_ASIA, VSAT, TWO_VSAT];

/** Which figure shows what (PAPERS §10). */
const FIGURES: readonly NumberedFigure[] = [
  ...PATHS.map((path, i): NumberedFigure => ({number: `${4 + i}`, path, count: 10, kind: 'pageTime'})),
  ...PATHS.map((path, i): NumberedFigure => ({number: `${7 + i}`, path, count: 10, kind: 'pPage'})),
];

const EIGHT_TO_TEN: readonly (readonly [Spot, Range])[] = spots([SOUTH_ASIA], [10_000, 15_000], [0.1]).map(
  spot => [spot, [8, 10]],
);

const CLAIMS: readonly Claim[] = [
  {
    text: '350 ms: SCTP is sooner by 8 to 10 s at 10 % loss, objects of 10 and 15 KB',
    source: 'N08, figure 4',
    rows: results => leadRows(results, EIGHT_TO_TEN),
    why: results =>
      EIGHT_TO_TEN.flatMap(([spot, theirs]) => [
        stackOrStreams(results, spot),
        withoutSack(results, spot, theirs),
      ]),
  },
  concurrencyClaim('N08, figures 7–9', PATHS),
  halfPageClaim('N08, figure 9'),
];

/** Multistreamed Web Transport for Developing Regions, 2008. */
export const n08: Paper = {
  name: 'n08',
  title: 'N08: Natarajan, Amer, Stewart: Multistreamed Web Transport for Developing Regions, 2008',
  notes: ['N08 says 0 to 10 % and not which: ours are 0 to 3 % in steps of 0.5 %, then of 1 %.'],
  grids: [pageTimes(PATHS, [10]), recovery([SOUTH_ASIA])],
  claims: CLAIMS,
  tables: () => [],
  figures: results => developingFigures('n08', results, FIGURES),
};
