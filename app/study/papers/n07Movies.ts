import {findPreset} from '../../run/scenario/presets.ts';
import type {Trace} from '../../run/trace/trace.ts';
import {oneRunRow} from './claimRows.ts';
import type {Cell, Results} from './gridResults.ts';
import {WHOLE_PAGE} from './measures.ts';
import {lossText, measuredText} from './numberText.ts';
import {type Claim, JUDGED_SEEDS, type Measure, type PaperGrid, type Row} from './paper.ts';
import {ABOUT} from './verdict.ts';

// The movies of N07 §5.3, figures 14 and 15: one run of TCP and one of SCTP at each of two loss rates.

/** The states of a picture in a still of a movie. A complete picture is also good, and a good picture is also shown. */
type Seen = 'shown' | 'good' | 'complete';

/**
 * A statement of N07 about one of its runs: at `atS` seconds, between `least` and `most` pictures have reached the
 * state `seen`.
 */
interface Still {
  readonly loss: number;
  readonly pane: 1 | 2;
  readonly atS: number;
  readonly seen: Seen;
  readonly least: number;
  readonly most: number;
}

const RATE_BPS = 56_000;
/** 56 KByte/s. This is the rate of the path if N07's "56 kbps" means kilobytes per second. */
const EIGHTFOLD_BPS = 8 * RATE_BPS;
const NO_LOSS = 0;
const LOSS = 0.043;

const STILLS: readonly Still[] = [
  ...([1, 2] as const).map((pane): Still => ({loss: NO_LOSS, pane, atS: 4, seen: 'complete', least: 1, most: 10})),
  {loss: NO_LOSS, pane: 1, atS: 7, seen: 'complete', least: 5, most: 5},
  {loss: NO_LOSS, pane: 2, atS: 7, seen: 'good', least: 10, most: 10},
  {loss: LOSS, pane: 1, atS: 6, seen: 'complete', least: 1, most: 1},
  {loss: LOSS, pane: 1, atS: 6, seen: 'good', least: 2, most: 2},
  {loss: LOSS, pane: 2, atS: 6, seen: 'complete', least: 1, most: 1},
  {loss: LOSS, pane: 1, atS: 7, seen: 'complete', least: 2, most: 2},
  {loss: LOSS, pane: 2, atS: 7, seen: 'shown', least: 7, most: 7},
  {loss: LOSS, pane: 2, atS: 7, seen: 'good', least: 4, most: 7},
  {loss: LOSS, pane: 1, atS: 12, seen: 'complete', least: 4, most: 4},
  {loss: LOSS, pane: 2, atS: 12, seen: 'good', least: 10, most: 10},
];

/** The times at which the pages in N07's movies were complete, as N07 gives them (approximately). */
const ENDS: readonly {readonly loss: number; readonly pane: 1 | 2; readonly endS: number}[] = [
  {loss: NO_LOSS, pane: 1, endS: 9},
  {loss: NO_LOSS, pane: 2, endS: 10},
  {loss: LOSS, pane: 1, endS: 26},
  {loss: LOSS, pane: 2, endS: 23},
];

/**
 * The percentage of its bytes that a picture needs to reach each state. N07 §5.3.1 calls a picture good at 25 to 50 %.
 */
const PERCENTS: {readonly [S in Seen]: number} = {shown: 1, good: 25, complete: 100};

/**
 * The verdicts on the movies use more seeds than other verdicts: 800 instead of 600, if the user gives 50. The claim
 * has 16 rows, for which Holm's correction makes the tests stricter: a value that none of 600 runs reaches may still be
 * chance, but a value that none of 800 runs reaches is significant.
 */
export const MOVIES: PaperGrid = {
  name: 'movies',
  about: 'the movies: pictures shown, good (25 % of their bytes) and complete at the times of N07’s stills',
  base: {...findPreset('n07-movie')?.scenario, seed: 1, typicalOf: null},
  axes: {'path.loss': [NO_LOSS, LOSS], 'path.rateBps': [RATE_BPS, EIGHTFOLD_BPS]},
  kept: {measures: eachOnce([...STILLS.flatMap(stillMeasures), ...endMeasures()])},
  moreSeeds: {...JUDGED_SEEDS, times: 16},
};

export const MOVIE_CLAIM: Claim = {
  text: 'The movies: how many pictures are complete, good and shown at 4 and 7 s (0 % loss) and at 6, 7 and 12 s (4.3 %), and when all are complete',
  source: 'N07 §5.3, figures 14 and 15: one run each, time from the first packet',
  rows: results => [...STILLS.map(still => stillRow(movieCell(results, still.loss), still)), ...endRows(results)],
  why: lineReasons,
};

function movieCell(results: Results, loss: number, rateBps = RATE_BPS): Cell {
  return results.at('movies', {'path.loss': loss, 'path.rateBps': rateBps});
}

/**
 * Compares N07's times without loss with two of ours: the time that transmission alone takes at 56 kbit/s, and the page
 * times at 56 KByte/s. The faster path only helps to explain the difference. All verdicts assume 56 kbit/s.
 */
function lineReasons(results: Results): readonly string[] {
  const [html, all] = ['lineHtmlS', 'lineAllS'].map(name => {
    return measuredText(movieCell(results, NO_LOSS).mean(1, name), 's');
  });
  const [tcp, sctp] = ([1, 2] as const).map(pane => {
    return measuredText(movieCell(results, NO_LOSS, EIGHTFOLD_BPS).mean(pane, WHOLE_PAGE.name), 's');
  });
  return [
    `At 56 kbit/s transmission of the HTML takes ${html} and that of the whole page ${all}, without ` +
      `headers, set-up and waiting. N07’s movies are complete after 9 and 10 s. At 448 kbit/s, which is 56 KByte/s, our page is complete after ${tcp} (TCP) ` +
      `and ${sctp} (SCTP). So N07’s times without loss fit this rate, but it is not known whether its path had it.`,
  ];
}

/** Removes duplicates. Several stills may need the same measure. */
function eachOnce(measures: readonly Measure[]): readonly Measure[] {
  return measures.filter(({name}, i) => measures.findIndex(other => other.name === name) === i);
}

function stillMeasures(still: Still): readonly Measure[] {
  const count = (trace: Trace): number => countAt(trace, still.atS, still.seen);
  return [
    {name: countName(still), of: count},
    {name: shareName(still, 'least'), of: trace => Number(count(trace) >= still.least)},
    {name: shareName(still, 'most'), of: trace => Number(count(trace) <= still.most)},
  ];
}

function countName({atS, seen}: Pick<Still, 'atS' | 'seen'>): string {
  return `${seen}At${atS}s`;
}

function shareName(still: Still, side: 'least' | 'most'): string {
  return `${countName(still)}${side === 'least' ? 'AtLeast' : 'AtMost'}${still.least}to${still.most}`;
}

/** Counts the page's pictures that have reached a state. The logo is not counted. */
function countAt(trace: Trace, atS: number, seen: Seen): number {
  return trace.objects.filter(({url}, i) => url.endsWith('.jpg') && trace.percentAt(i, atS * 1e9) >= PERCENTS[seen])
    .length;
}

function endMeasures(): readonly Measure[] {
  const times = [...new Set(ENDS.map(({endS}) => endS))];
  const shares = times.flatMap(endS => [
    {
      name: `endsFrom${endS}s`,
      of: (trace: Trace) => share(WHOLE_PAGE.of(trace), end => end >= endS * (1 - ABOUT)),
    },
    {
      name: `endsBy${endS}s`,
      of: (trace: Trace) => share(WHOLE_PAGE.of(trace), end => end <= endS * (1 + ABOUT)),
    },
  ]);
  return [
    WHOLE_PAGE,
    ...shares,
    {name: 'lineHtmlS', of: trace => lineS(trace.objects[0]?.bytes ?? 0)},
    {name: 'lineAllS', of: trace => lineS(trace.objects.reduce((sum, {bytes}) => sum + bytes, 0))},
  ];
}

function lineS(bytes: number): number {
  return (bytes * 8) / RATE_BPS;
}

function share(endS: number | null, isSo: (endS: number) => boolean): number | null {
  return endS === null ? null : Number(isSo(endS));
}

function stillRow(cell: Cell, still: Still): Row {
  const {loss, pane, atS, seen, least, most} = still;
  const theirs = least === most ? `${least}` : `${least} to ${most}`;
  return oneRunRow(
    `${lossText(loss)}, ${atS} s, ${paneName(pane)}: pictures ${seen}`,
    theirs,
    cell.mean(pane, countName(still)),
    {
      atLeast: cell.mean(pane, shareName(still, 'least')),
      atMost: cell.mean(pane, shareName(still, 'most')),
    },
  );
}

function endRows(results: Results): readonly Row[] {
  return ENDS.map(({loss, pane, endS}) => {
    const cell = movieCell(results, loss);
    const row = oneRunRow(
      `${lossText(loss)}, ${paneName(pane)}: complete`,
      `about ${endS} s`,
      cell.mean(pane, WHOLE_PAGE.name),
      {atLeast: cell.mean(pane, `endsFrom${endS}s`), atMost: cell.mean(pane, `endsBy${endS}s`), unit: 's'},
    );
    return {...row, ours: measuredText(cell.mean(pane, WHOLE_PAGE.name), 's')};
  });
}

function paneName(pane: 1 | 2): string {
  return pane === 1 ? 'TCP' : 'SCTP';
}
