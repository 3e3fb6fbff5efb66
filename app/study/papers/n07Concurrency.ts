import type {Json} from '../../base/json.ts';
import {measure} from '../../run/metrics/metrics.ts';
import type {Trace} from '../../run/trace/trace.ts';
import {meanRow, orderRow} from './claimRows.ts';
import {DEVELOPING_BASE, type DevelopingPath, STREAMS, TCP} from './developing.ts';
import type {Cell, Results} from './gridResults.ts';
import {inSeconds, minus} from './measured.ts';
import {lossText, measuredText} from './numberText.ts';
import {type Claim, JUDGED_SEEDS, type Measure, type PaperGrid, type Row} from './paper.ts';
import {leastAt} from './verdict.ts';

// How many objects are rendered at the same time, and which settings decide it (N07 §4 and §6).

const [TCP_PANE, STREAMS_PANE] = DEVELOPING_BASE.panes;

/**
 * The settings of the SCTP pane at each level of concurrency. `streams` is the number of streams that the client
 * requests.
 */
const LEVELS = {
  'one stream': {streams: 1},
  'three streams': {streams: 3},
  'a stream for each object': {streams: 10},
  '64 streams': {streams: 64},
  'client 10, server 3': {streams: 10, serverStreams: 3},
  'client 3, server 10': {streams: 3, serverStreams: 10},
  '10 streams, buffer of 3 objects': {streams: 10, sendBuffer: {objects: 3}},
  '2 streams, buffer of 3 objects': {streams: 2, sendBuffer: {objects: 3}},
  'whole responses': {streams: 10, fragmentation: false},
} as const satisfies {readonly [label: string]: {readonly [setting: string]: Json}};

/** The values of settings that a level does not mention. */
const USUAL = {serverStreams: null, sendBuffer: null, fragmentation: true} as const satisfies Json;

type Level = keyof typeof LEVELS;

/** The largest number of embedded objects that are partly received, and not complete, at the same time. */
const AT_ONCE: Measure = {
  name: 'atOnce',
  of: ({data}: Trace) => {
    if (data.outcome !== 'complete') return null;
    const [, ...objects] = data.objects;
    const counts = objects.map(({firstByteNs: nowNs}) =>
      nowNs === null
        ? 0
        : objects.filter(({firstByteNs, completeNs}) => {
            return firstByteNs !== null && firstByteNs <= nowNs && (completeNs ?? 0) > nowNs;
          }).length,
    );
    return Math.max(0, ...counts);
  },
};

export const CONCURRENCY: PaperGrid = {
  name: 'concurrency',
  about: 'no loss: how many objects are partly received at the same time, by streams, send buffer and fragmentation',
  base: {
    ...DEVELOPING_BASE,
    panes: [TCP_PANE, STREAMS_PANE],
    path: {rateBps: 1_000_000, rttMs: 350, loss: 0},
  },
  axes: {
    level: Object.entries(LEVELS).map(([label, level]) => {
      const settings = Object.entries({...USUAL, ...level});
      return {label, ...Object.fromEntries(settings.map(([key, value]) => [`panes.1.${key}`, value]))};
    }),
  },
  kept: {measures: [AT_ONCE]},
  mostSeeds: 2,
};

/**
 * The steps of PPage from one P to the next. PPage (N07 §5) is the time when every object has P % of its bytes. The
 * measure of a step is how much later PPage is for the second P than for the first in the same run.
 */
const STEPS = [
  [25, 50],
  [50, 75],
  [75, 100],
] as const;

function stepName([from, to]: (typeof STEPS)[number]): string {
  return `p${from}To${to}PageMs`;
}

/** The grid that measures the steps of PPage in each run, to show how the lead changes with P. */
export function pageSteps(paths: readonly DevelopingPath[]): PaperGrid {
  return {
    name: 'page-steps',
    about: 'the times from 25 to 50, 50 to 75 and 75 to 100 %Page: how the lead of concurrent rendering changes with P',
    base: {...DEVELOPING_BASE, panes: [TCP_PANE, STREAMS_PANE]},
    axes: {'path.rttMs': paths.map(({rttMs}) => rttMs), 'path.loss': [0.1]},
    kept: {
      measures: STEPS.map(step => {
        const [from, to] = step;
        return {
          name: stepName(step),
          of: ({data}: Trace) => {
            const {pPageMs} = measure(data);
            const [fromMs, toMs] = [pPageMs[from], pPageMs[to]];
            return fromMs == null || toMs == null ? null : toMs - fromMs;
          },
        };
      }),
    },
    moreSeeds: JUDGED_SEEDS,
  };
}

export const CONCURRENCY_CLAIMS: readonly Claim[] = [
  {
    text: 'The concurrency level is the number of streams: one stream is sequential, like TCP; with three streams three objects are partly received at the same time; N streams are the maximum, and more change nothing',
    source: 'N07 §4',
    rows: results => [
      meanRow('TCP', levelCell(results, 'one stream').mean(TCP, AT_ONCE.name), [1, 1]),
      levelRow(results, 'one stream', 1),
      levelRow(results, 'three streams', 3),
      levelRow(results, 'a stream for each object', 10),
      levelRow(results, '64 streams', 10),
    ],
    why: () => [],
  },
  {
    text: 'Where the client asks for m streams and the server offers n, the level is min(m, n)',
    source: 'N07 §4',
    rows: results => [levelRow(results, 'client 10, server 3', 3), levelRow(results, 'client 3, server 10', 3)],
    why: () => [],
  },
  {
    text: 'With a send buffer that holds K objects, the level falls from L to min(L, K)',
    source: 'N07 §6',
    rows: results => [
      levelRow(results, '10 streams, buffer of 3 objects', 3),
      levelRow(results, '2 streams, buffer of 3 objects', 2),
    ],
    why: () => [
      'Acknowledgements free room in the send buffer, and the server fills it with the first messages of the next object. ' +
        'The last messages of earlier objects are then still in flight, so more than K objects are partly received.',
    ],
  },
  {
    text: 'Responses that are not fragmented reduce concurrent rendering',
    source: 'N07 §4',
    rows: results => {
      const [cut, whole] = (['a stream for each object', 'whole responses'] as const).map(level =>
        levelCell(results, level).mean(STREAMS, AT_ONCE.name),
      );
      return [
        ...(cut === undefined || whole === undefined
          ? []
          : [
              orderRow(
                'objects partly received at the same time: fragmented minus whole responses',
                'more',
                minus(cut, whole),
              ),
            ]),
        ...[0, 0.03].map(loss => {
          const cell = results.at('schedulers', {'path.loss': loss});
          const later = inSeconds(cell.difference(4, 2, 'p25PageMs'));
          const where = `25 %Page of whole responses minus that of fragmented ones, 1100 ms, ${lossText(loss)}`;
          const least = leastAt(loss, inSeconds(cell.mean(2, 'p25PageMs')));
          return orderRow(where, 'later', later, 's', least);
        }),
      ];
    },
    why: results => [
      'A message is delivered only when it is whole. If each response is a single message, the number of objects that are ' +
        `partly received at the same time is ${measuredText(levelCell(results, 'whole responses').mean(STREAMS, AT_ONCE.name))}.`,
    ],
  },
  {
    text: 'The difference of PPage between concurrent and sequential rendering is larger for smaller P',
    source: 'N07 §5, figures 10–13',
    rows: results =>
      results.cells('page-steps').flatMap(cell =>
        STEPS.map(step => {
          const [from, to] = step;
          const more = inSeconds(cell.difference(STREAMS, TCP, stepName(step)));
          const where = `${String(cell.axes['path.rttMs'])} ms, 10 KB, 10 %: the lead at ${from} %Page minus that at ${to} %Page`;
          return orderRow(where, 'larger', more, 's');
        }),
      ),
    why: () => [],
  },
];

function levelCell(results: Results, level: Level): Cell {
  return results.at('concurrency', {level});
}

function levelRow(results: Results, level: Level, theirs: number): Row {
  return meanRow(level, levelCell(results, level).mean(STREAMS, AT_ONCE.name), [theirs, theirs], 'objects');
}
