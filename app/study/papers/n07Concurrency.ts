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

// N07 §4 and §6: how many objects are rendered at once, and by what.

const [TCP_PANE, STREAMS_PANE] = DEVELOPING_BASE.panes;

/** How SCTP is set up; `streams` are the client's. */
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

/** What a level does not set. */
const USUAL = {serverStreams: null, sendBuffer: null, fragmentation: true} as const satisfies Json;

type Level = keyof typeof LEVELS;

/** The largest number of embedded objects that have begun to come, and are not complete, at one time. */
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
  about: 'no loss: how many objects are partly there at once, by streams, buffer and fragmentation',
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

/** From one P to the next: how much later its PPage is, in the same run. */
const STEPS = [
  [25, 50],
  [50, 75],
  [75, 100],
] as const;

function stepName([from, to]: (typeof STEPS)[number]): string {
  return `p${from}To${to}PageMs`;
}

/** PPage's steps, so that how a lead changes with P is known in each run. */
export function pageSteps(paths: readonly DevelopingPath[]): PaperGrid {
  return {
    name: 'page-steps',
    about: 'from 25 to 50, 75 and 100 %Page: how the lead of concurrent rendering changes with P',
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
    text: 'The concurrency level is the number of streams: one is sequential, as TCP; of three, three objects are partly there at t1; N is the most, and more change nothing',
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
    text: 'With a send buffer that holds K objects the level is min(L, K)',
    source: 'N07 §6',
    rows: results => [
      levelRow(results, '10 streams, buffer of 3 objects', 3),
      levelRow(results, '2 streams, buffer of 3 objects', 2),
    ],
    why: () => [
      'As the buffer is acknowledged, the server writes the next object’s first messages into the room, while the last ' +
        'messages of those before are on their way: so more than K objects are partly there.',
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
          : [orderRow('objects at once, fragmented over whole', 'more', minus(cut, whole))]),
        ...[0, 0.03].map(loss => {
          const cell = results.at('schedulers', {'path.loss': loss});
          const later = inSeconds(cell.difference(4, 2, 'p25PageMs'));
          const where = `25 %Page, whole over fragmented, 1100 ms, ${lossText(loss)}`;
          const least = leastAt(loss, inSeconds(cell.mean(2, 'p25PageMs')));
          return orderRow(where, 'later', later, 's', least);
        }),
      ];
    },
    why: results => [
      `Of whole responses ${measuredText(levelCell(results, 'whole responses').mean(STREAMS, AT_ONCE.name))} are partly ` +
        'there at once: a message is delivered when it is whole.',
    ],
  },
  {
    text: 'The difference of PPage between concurrent and sequential rendering grows as P falls',
    source: 'N07 §5, figures 10–13',
    rows: results =>
      results.cells('page-steps').flatMap(cell =>
        STEPS.map(step => {
          const [from, to] = step;
          const more = inSeconds(cell.difference(STREAMS, TCP, stepName(step)));
          const where = `${String(cell.axes['path.rttMs'])} ms, 10 KB, 10 %: the lead at ${from} over that at ${to} %Page`;
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
