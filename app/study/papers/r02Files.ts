import type {Json} from '../../base/json.ts';
import type {Trace} from '../../run/trace/trace.ts';
import {left, type ReportTable, right} from '../report/report.ts';
import {equalRow, meanRow, orderRow} from './claimRows.ts';
import type {Cell, Results} from './gridResults.ts';
import {inSeconds} from './measured.ts';
import {lossText, measuredText, numberText} from './numberText.ts';
import {type Claim, JUDGED_SEEDS, type Measure, type PaperGrid, type Row} from './paper.ts';
import {EQUAL, leastAt, leastOf} from './verdict.ts';

// Table 1 of R02: the times of eight files.

/** Table 1 as printed: latencies of files 1 to 8 at 10 Mbps, µs, means of 20 runs. */
export const TABLE_1: readonly {
  readonly loss: number;
  readonly tcp: readonly number[];
  readonly sctp: readonly number[];
}[] = [
  {
    loss: 0,
    tcp: [679395, 768656, 3873273, 3910344, 3942401, 4243416, 4273269, 4708352],
    sctp: [802931, 888264, 4468128, 4507111, 4607180, 4834083, 4878979, 4887073],
  },
  {
    loss: 0.01,
    tcp: [4930718, 5595977, 29598318, 31047085, 31924275, 33460332, 34333089, 38222168],
    sctp: [4299919, 4775626, 24132252, 24536217, 25106516, 26678879, 27143072, 29628740],
  },
  {
    loss: 0.02,
    tcp: [5983277, 6725730, 35361679, 37232434, 38509110, 40681890, 42568811, 45179090],
    sctp: [5506176, 6098121, 31539786, 32164926, 32692426, 33117396, 33981264, 41551992],
  },
];

/** The moment from which a file's time is counted. */
interface Clock {
  readonly name: string;
  readonly text: string;
  /** Given a file's number, returns the number of the file with whose request the time begins. */
  readonly startOf: (file: number) => number;
}

/** R02 defines latency by the first of these clocks, but its numbers look like those of the second. */
const CLOCKS: readonly Clock[] = [
  {name: 'latency', text: 'from its own request', startOf: file => file},
  {name: 'arrival', text: 'from the first request', startOf: () => 1},
];

const FILE_NUMBERS = [1, 2, 3, 4, 5, 6, 7, 8] as const;
const LATER_FILES = FILE_NUMBERS.slice(1);

// The panes of R02's page, numbered from 1.
export const RENO = 1;
export const SCTP = 2;
export const SINGLE = 3;
export const SACK = 4;

const PANES = [
  {pipeline: 'tcp', profile: 'reno'},
  {pipeline: 'sctp', profile: 'classic', streams: 8, messageBytes: 1024},
  {pipeline: 'sctp', profile: 'classic', streams: 1, messageBytes: 1024},
  {pipeline: 'tcp', profile: 'classic'},
] as const satisfies Json;

export const R02_BASE = {
  page: 'r02',
  path: {rateBps: 10_000_000, rttMs: 80},
  panes: PANES,
  discovery: 'complete',
} as const satisfies Json;

export const FILES: PaperGrid = {
  name: 'files',
  about:
    'table 1: the latency of each of the eight files; TCP without SACK as in R02, SCTP with 8 streams and with 1, TCP with SACK',
  base: R02_BASE,
  axes: {'path.loss': TABLE_1.map(({loss}) => loss)},
  kept: {
    measures: CLOCKS.flatMap(clock => [
      ...FILE_NUMBERS.map(file => timeMeasure(file, clock)),
      ...LATER_FILES.map(file => stepMeasure(file, clock)),
    ]),
  },
  moreSeeds: JUDGED_SEEDS,
};

export const FILES_CLAIMS: readonly Claim[] = [...CLOCKS.map(ratioClaim), ...CLOCKS.map(orderClaim)];

function ratioClaim(clock: Clock): Claim {
  return {
    text: `Table 1: each file’s time ${clock.text}, SCTP / TCP`,
    source: 'R02, table 1',
    rows: results =>
      TABLE_1.flatMap(({loss, tcp, sctp}) =>
        FILE_NUMBERS.map((file, i) => {
          const theirs = round((sctp[i] ?? Number.NaN) / (tcp[i] ?? Number.NaN));
          const ours = filesCell(results, loss).ratio(SCTP, RENO, timeName(file, clock));
          return meanRow(`${lossText(loss)}, file ${file}`, ours, [theirs, theirs]);
        }),
      ),
    why: results => TABLE_1.map(({loss}) => stackText(results, loss, clock)),
  };
}

function orderClaim(clock: Clock): Claim {
  return {
    text: `Table 1: each file’s time ${clock.text} is longer than that of the file before it (or equal within 1 %)`,
    source: 'R02, table 1',
    rows: results =>
      TABLE_1.flatMap(({loss, tcp, sctp}) =>
        ([RENO, SCTP] as const).flatMap(pane =>
          LATER_FILES.map(file =>
            stepRow(filesCell(results, loss), {file, pane, clock, loss, printed: pane === RENO ? tcp : sctp}),
          ),
        ),
      ),
    why: results => {
      const cell = filesCell(results, 0);
      const [first, second] = [1, 2].map(file => inSeconds(cell.mean(RENO, timeName(file, clock))));
      if (first === undefined || second === undefined) return [];
      return [
        'File 1 has 50 KB. The others have 4 KB each and are requested when file 1 is complete. Over TCP without loss file 1 ' +
          `takes ${measuredText(first, 's')} and file 2 ${measuredText(second, 's')} ${clock.text}; R02 reports 0.68 and 0.77 s.`,
      ];
    },
  };
}

function timeMeasure(file: number, {name, startOf}: Clock): Measure {
  return {
    name: timeName(file, {name}),
    of: ({data}: Trace) => {
      const requestNs = data.objects[startOf(file) - 1]?.requestNs ?? null;
      const completeNs = data.objects[file - 1]?.completeNs ?? null;
      return requestNs === null || completeNs === null ? null : (completeNs - requestNs) / 1e6;
    },
  };
}

/** Measures by how much the time of a file is longer than that of the file before it in the same run. */
function stepMeasure(file: number, clock: Clock): Measure {
  const [own, before] = [timeMeasure(file, clock), timeMeasure(file - 1, clock)];
  return {
    name: stepName(file, clock),
    of: trace => {
      const [ownMs, beforeMs] = [own.of(trace), before.of(trace)];
      return ownMs === null || beforeMs === null ? null : ownMs - beforeMs;
    },
  };
}

function stepName(file: number, {name}: Pick<Clock, 'name'>): string {
  return `${name}StepTo${file}Ms`;
}

function timeName(file: number, {name}: Pick<Clock, 'name'>): string {
  return `${name}${file}Ms`;
}

function filesCell(results: Results, loss: number): Cell {
  return results.at('files', {'path.loss': loss});
}

function stepRow(
  cell: Cell,
  {
    file,
    pane,
    clock,
    loss,
    printed,
  }: {
    readonly file: number;
    readonly pane: typeof RENO | typeof SCTP;
    readonly clock: Clock;
    readonly loss: number;
    readonly printed: readonly number[];
  },
): Row {
  const name = pane === RENO ? 'TCP' : 'SCTP';
  const step = inSeconds(cell.mean(pane, stepName(file, clock)));
  const where = `${lossText(loss)}, ${name}: file ${file} minus file ${file - 1}`;
  const whole = inSeconds(cell.mean(pane, timeName(file - 1, clock)));
  const [before = Number.NaN, own = Number.NaN] = printed.slice(file - 2, file);
  if (Math.abs(own - before) < EQUAL * before) return equalRow(where, step, leastOf(whole), 's');
  return orderRow(where, 'longer', step, 's', leastAt(loss, whole));
}

/**
 * A sentence about the effects of SCTP's streams and of TCP's SACK. It gives the last file's time relative to TCP
 * without SACK.
 */
function stackText(results: Results, loss: number, clock: Clock): string {
  const cell = filesCell(results, loss);
  const ratio = (first: number, second: number): string => measuredText(cell.ratio(first, second, timeName(8, clock)));
  return (
    `At ${lossText(loss)} loss, the time of file 8 relative to TCP without SACK is ${ratio(SCTP, RENO)} for SCTP with 8 streams, ` +
    `${ratio(SINGLE, RENO)} for SCTP with 1 stream, and ${ratio(SACK, RENO)} for TCP with SACK.`
  );
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** R02's table 1 as it is printed, beside our times. */
export function filesTable(results: Results): ReportTable {
  return {
    caption:
      'Table 1: times of the eight files, ms. Each of our cells has two means over seeds with 95 % confidence intervals: ' +
      'the time from the file’s own request / the time from the first request.',
    columns: [left('loss'), ...['file', 'R02 TCP', 'TCP without SACK', 'R02 SCTP', 'SCTP'].map(right)],
    rows: TABLE_1.flatMap(({loss, tcp, sctp}) =>
      FILE_NUMBERS.map((file, i) => {
        const cell = filesCell(results, loss);
        const ours = (pane: number): string =>
          CLOCKS.map(clock => measuredText(cell.mean(pane, timeName(file, clock)))).join(' / ');
        const theirs = (values: readonly number[]): string => numberText((values[i] ?? Number.NaN) / 1000);
        return [lossText(loss), `${file}`, theirs(tcp), ours(RENO), theirs(sctp), ours(SCTP)];
      }),
    ),
  };
}
