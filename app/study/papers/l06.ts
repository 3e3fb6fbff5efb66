import type {Json} from '../../base/json.ts';
import type {Figure, LinePoint} from '../figures/figure.ts';
import {responseTimes} from '../model/responseTime.ts';
import {left, type ReportTable, right} from '../report/report.ts';
import {equalRow, meanRow, orderRow} from './claimRows.ts';
import type {Cell, Results} from './gridResults.ts';
import {L06_TABLES, type L06Table} from './l06Tables.ts';
import {inSeconds, type Measured, meanOf, minus, scaled} from './measured.ts';
import {WHOLE_PAGE} from './measures.ts';
import {leadText, measuredText} from './numberText.ts';
import {type Claim, JUDGED_SEEDS, type Paper, type PaperGrid, type Row} from './paper.ts';
import {besidePaper, linesOf} from './paperFigures.ts';
import {EQUAL, leastOf} from './verdict.ts';

// The panes, numbered from 1. `TCP` has no SACK, because we assume that L06's TCP has none. `SACK` is TCP with SACK.
const TCP = 1;
const STREAMS = 2;
const SINGLE = 3;
const SACK = 4;

const BASE = {
  page: 'l06',
  path: {rateBps: 40_000, rttMs: 256, loss: 0.01, mtuBytes: 576},
  panes: [
    {pipeline: 'tcp', profile: 'reno'},
    {pipeline: 'sctp', profile: 'classic', streams: 5},
    {pipeline: 'sctp', profile: 'classic', streams: 1},
    {pipeline: 'tcp', profile: 'classic'},
  ],
  discovery: 'complete',
} as const satisfies Json;

const METRICS = ['setupMs', 'pageTimeMs', 'holBlockedMs', 'retransmitted'];

/**
 * Response times, from the first packet to the end of the page: L06's response time includes the set-up (I_T of its
 * table I). They are measured in each run, because the separate summaries of set-up and page time do not show how the
 * two vary together.
 */
function responses({grid, number, key, values}: L06Table): PaperGrid {
  return {
    name: responsesOf(grid),
    about: `table ${number}: response times of the same loads, from the first packet to the end of the page`,
    base: {...BASE, panes: BASE.panes.slice(0, SINGLE)},
    axes: {[key]: values},
    kept: {measures: [WHOLE_PAGE]},
    moreSeeds: JUDGED_SEEDS,
  };
}

function responsesOf(grid: string): string {
  return `${grid}-responses`;
}

/** Page times without loss. They consist of serialisation and round trips. */
const CALM: PaperGrid = {
  name: 'no-loss',
  about: 'the paths of the tables without loss: the time for serialisation and round trips',
  base: BASE,
  axes: {
    'path.loss': [0],
    'path.rttMs': [55, 80, 256, 1000],
    'path.rateBps': [40_000, 400_000, 3_000_000, 10_000_000],
  },
  kept: {metrics: METRICS},
  mostSeeds: 2,
};

const [RENO_PANE] = BASE.panes;

/** The numbers of the panes of {@link DEPTHS}, by how many requests they have under way at the same time. */
const DEPTH = {all: 1, two: 2, one: 3} as const;

const DEPTHS: PaperGrid = {
  name: 'depth',
  about:
    'TCP without SACK with all five requests at once, with two at a time and with one: the effect of the pipeline’s depth',
  base: {...BASE, panes: [RENO_PANE, {...RENO_PANE, pipelineDepth: 2}, {...RENO_PANE, pipelineDepth: 1}]},
  axes: {'path.rateBps': [40_000, 10_000_000]},
  kept: {metrics: ['pageTimeMs']},
  moreSeeds: JUDGED_SEEDS,
};

/** The rates of table IV. */
const RATES = L06_TABLES.find(({key}) => key === 'path.rateBps')?.values ?? [];

function rateName(rateBps: number): string {
  return rateBps < 1e6 ? `${rateBps / 1e3} kbit/s` : `${rateBps / 1e6} Mbit/s`;
}

const NONE: Measured = {value: null, half: null, n: 0, runs: 0};

const CLAIMS: readonly Claim[] = [
  ...L06_TABLES.map(printedClaim),
  ...L06_TABLES.slice(1).map(exchangedClaim),
  orderClaim(),
  {
    text: 'Head-of-line (HOL) blocking over TCP falls as the rate rises',
    source: 'L06, text on table IV',
    rows: results =>
      RATES.slice(1).map((rate, i) => {
        const blocked = ([RATES[i] ?? 0, rate] as const).map(rateBps =>
          inSeconds(results.at('table-4', {'path.rateBps': rateBps}).mean(TCP, 'holBlockedMs')),
        );
        const [slower = NONE, faster = NONE] = blocked;
        const where = `time with blocked data, ${rateName(RATES[i] ?? 0)} minus ${rateName(rate)}`;
        const row = orderRow(where, 'longer', minus(slower, faster), 's');
        return {...row, ours: `${row.ours} (${blocked.map(each => measuredText(each, 's')).join(' and ')})`};
      }),
    why: () => [],
  },
  {
    text: 'A pipeline with fewer requests (PI) than the page has objects (M) makes TCP slower: a round trip and the transfer of a batch (RTT + O_T) take place M / PI times',
    source: 'L06, table I',
    rows: results =>
      results.cells('depth').flatMap(cell =>
        (
          [
            ['PI = 2 minus all 5 requests at once', DEPTH.two, DEPTH.all],
            ['PI = 1 minus PI = 2', DEPTH.one, DEPTH.two],
          ] as const
        ).map(([name, deep, deeper]) =>
          orderRow(
            `${rateName(Number(cell.axes['path.rateBps']))}: ${name}`,
            'longer',
            inSeconds(cell.difference(deep, deeper, 'pageTimeMs')),
            's',
          ),
        ),
      ),
    why: () => [],
  },
  {
    text: 'SCTP’s mean response time is 20 % lower on average',
    source: 'L06',
    rows: results => {
      const cells = distinctCells(results);
      return [
        meanRow(
          'mean over the ten settings of the three tables',
          meanOf(cells.map(cell => gainOf(cell, STREAMS, TCP))),
          [20, 20],
          '%',
        ),
      ];
    },
    why: results => {
      const theirs = L06_TABLES.flatMap(({tcpExperiment, sctpExperiment}) =>
        tcpExperiment.map((tcp, i) => 100 * (1 - (sctpExperiment[i] ?? Number.NaN) / tcp)),
      );
      const mean = theirs.reduce((sum, each) => sum + each, 0) / theirs.length;
      return [
        `The experiments in L06’s own tables give ${mean.toFixed(1)} %.`,
        ...L06_TABLES.map(({number, grid}) => {
          const less = (first: number, second: number): string =>
            measuredText(meanOf(results.cells(responsesOf(grid)).map(cell => gainOf(cell, first, second))), '%');
          return (
            `Table ${number}: SCTP with 5 streams takes ${less(STREAMS, TCP)} less than TCP, and SCTP with 1 stream ` +
            `${less(SINGLE, TCP)} less than TCP. SCTP with 5 streams takes ${less(STREAMS, SINGLE)} less than with 1, which is ` +
            'the effect of head-of-line blocking.'
          );
        }),
      ];
    },
  },
];

/** Compares our response times with what a table prints as the experiment. */
function printedClaim(table: L06Table): Claim {
  const {number, tcpExperiment, sctpExperiment} = table;
  return {
    text: `Table ${number}: mean response times of the experiment`,
    source: `L06, table ${number}`,
    rows: results => tableRows(results, table, tcpExperiment, sctpExperiment),
    why: results => [...costTexts(results, table), repairText(results, table)],
  };
}

/**
 * Compares our response times with what a table prints as the model. Tables III and IV seem to have the rows of model
 * and experiment exchanged (see the paper's `notes`), so these times are probably those of the experiment.
 */
function exchangedClaim(table: L06Table): Claim {
  const {number, tcpModel, sctpModel} = table;
  return {
    text: `Table ${number} with the rows of model and experiment exchanged: mean response times (those that the table prints as the model)`,
    source: `L06, table ${number}; its model’s times for 40 kbps, 256 ms and 1 % are those of table II’s experiment`,
    rows: results => tableRows(results, table, tcpModel, sctpModel),
    why: () => [],
  };
}

function tableRows(results: Results, table: L06Table, tcp: readonly number[], sctp: readonly number[]): readonly Row[] {
  const {values, names} = table;
  return values.flatMap((value, i): readonly Row[] => {
    const cell = responseCell(results, table, value);
    return [['TCP', TCP, tcp[i]] as const, ['SCTP', STREAMS, sctp[i]] as const].map(
      ([name, pane, theirs = Number.NaN]) =>
        meanRow(`${names[i]}, ${name}`, cell.mean(pane, WHOLE_PAGE.name), [theirs, theirs], 's'),
    );
  });
}

function responseCell(results: Results, {grid, key}: L06Table, value: number): Cell {
  return results.at(responsesOf(grid), {[key]: value});
}

/**
 * The claim about which of TCP and SCTP is sooner in each setting. All three tables have one setting in common. Tables
 * III and IV print the same numbers for this setting, so the claim has one row for both tables. Table II prints
 * different numbers for this setting, so it has a row of its own.
 */
function orderClaim(): Claim {
  return {
    text: 'Tables II to IV: in the experiment, SCTP is sooner than TCP in each setting, or both are equal within 1 %',
    source: 'L06, tables II to IV',
    rows: results =>
      L06_TABLES.flatMap(table =>
        table.values.flatMap((value, i): readonly Row[] => {
          const {number, key, names, tcpExperiment, sctpExperiment} = table;
          if (key === 'path.rateBps' && value === BASE.path.rateBps) return [];
          const cell = responseCell(results, table, value);
          const later = cell.difference(TCP, STREAMS, WHOLE_PAGE.name);
          const least = leastOf(cell.mean(TCP, WHOLE_PAGE.name));
          const [tcp = Number.NaN, sctp = Number.NaN] = [tcpExperiment[i], sctpExperiment[i]];
          const where = `table ${number}, ${names[i]}`;
          if (Math.abs(tcp - sctp) < EQUAL * tcp) return [equalRow(where, later, least, 's')];
          const isSctp = tcp > sctp;
          const theirs = isSctp ? 'SCTP sooner' : 'TCP sooner';
          return [orderRow(where, theirs, isSctp ? later : scaled(later, -1), 's')];
        }),
      ),
    why: results => L06_TABLES.map(table => repairText(results, table)),
  };
}

/** The cells of all three tables. The setting that all of them have in common is included once. */
function distinctCells(results: Results): readonly Cell[] {
  const {rttMs, rateBps} = BASE.path;
  return L06_TABLES.flatMap(({grid, key}) =>
    results.cells(responsesOf(grid)).filter(({axes}) => {
      return key === 'path.loss' || axes[key] !== (key === 'path.rttMs' ? rttMs : rateBps);
    }),
  );
}

/** How much shorter the first pane's response time is, as a percentage of the second's. */
function gainOf(cell: Cell, first: number, second: number): Measured {
  const {value, half, ...counts} = cell.ratio(first, second, WHOLE_PAGE.name);
  return scaled({value: value === null ? null : 1 - value, half, ...counts}, 100);
}

/** Sentences with the page time of each setting without loss, the time that the losses add, and the set-up. */
function costTexts(results: Results, {grid, key, values, names}: L06Table): readonly string[] {
  const {rttMs, rateBps} = BASE.path;
  return values.map((value, i) => {
    const at = {'path.rttMs': rttMs, 'path.rateBps': rateBps, ...(key === 'path.loss' ? {} : {[key]: value})};
    const calm = results.at('no-loss', at);
    const [tcp, sctp] = [TCP, STREAMS].map(pane => {
      const whole = calm.mean(pane, 'pageTimeMs');
      const cost = minus(results.at(grid, {[key]: value}).mean(pane, 'pageTimeMs'), whole);
      const [wholeText, costText, setupText] = [whole, cost, calm.mean(pane, 'setupMs')].map(each => {
        return measuredText(inSeconds(each), 's');
      });
      return `the page takes ${wholeText} without loss, the losses add ${costText}, and the set-up takes ${setupText}`;
    });
    return `${names[i]}: over TCP ${tcp}. Over SCTP ${sctp}.`;
  });
}

/** Sentences about the part of SCTP's lead that its streams cause, in the last setting of the table. */
function repairText(results: Results, {grid, key, values, names}: L06Table): string {
  const last = values.length - 1;
  const cell = results.at(grid, {[key]: values[last] ?? null});
  const lead = (first: number, second: number): string =>
    leadText(inSeconds(cell.difference(first, second, 'pageTimeMs')));
  return (
    `${names[last]}: SCTP is ${lead(TCP, STREAMS)} than TCP without SACK. SCTP with a single stream is ${lead(TCP, SINGLE)} ` +
    `than TCP without SACK. SCTP with five streams is ${lead(SINGLE, STREAMS)} than with one. ` +
    `TCP with SACK is ${lead(TCP, SACK)} than TCP without SACK.`
  );
}

function modelTable(results: Results, table: L06Table): ReportTable {
  const {number, key, values, names} = table;
  const columns = ['L06 model', 'our model', 'L06 experiment', 'our runs'];
  const rows = ([TCP, STREAMS] as const).flatMap(pane =>
    values.map((value, i) => {
      const isTcp = pane === TCP;
      const model = (isTcp ? table.tcpModel : table.sctpModel)[i] ?? Number.NaN;
      const experiment = (isTcp ? table.tcpExperiment : table.sctpExperiment)[i] ?? Number.NaN;
      const ours = responseCell(results, table, value).mean(pane, WHOLE_PAGE.name);
      const own = ownModelS(key, value, isTcp);
      return [
        isTcp ? 'TCP' : 'SCTP',
        names[i] ?? '',
        model.toFixed(2),
        own.toFixed(2),
        experiment.toFixed(2),
        measuredText(ours),
      ];
    }),
  );
  return {
    caption: `Table ${number}: response times, from the first packet to the end of the page, s. No verdict uses the column “our model”: the formulas of L06 count a round trip for each packet beyond the initial threshold, and L06 prints neither this threshold nor the size of its HTML.`,
    columns: [...['', ''].map(left), ...columns.map(right)],
    rows,
  };
}

function ownModelS(key: L06Table['key'], value: number, isTcp: boolean): number {
  const {rateBps, rttMs, loss} = BASE.path;
  const at = {
    rateBps: key === 'path.rateBps' ? value : rateBps,
    rttMs: key === 'path.rttMs' ? value : rttMs,
    lossRate: key === 'path.loss' ? value : loss,
  };
  const times = responseTimes({...at, mssBytes: 536}, {htmlBytes: 1000, objects: 5, objectBytes: 5 * 13_500});
  return (isTcp ? times.tcpMs : times.sctpMs) / 1000;
}

/** The numbers of the panes that the figures show. */
const SHOWN = [TCP, STREAMS] as const;

function tableFigure(results: Results, table: L06Table): Figure {
  const {number, grid, values, factor, tcpExperiment, sctpExperiment} = table;
  const figure = besidePaper(
    results.figure(grid, 'page-time-t'),
    SHOWN.map(pane => pane - 1),
    [
      {name: 'L06, TCP', beside: TCP - 1, points: pointsOf(values, factor, tcpExperiment)},
      {name: 'L06, SCTP', beside: STREAMS - 1, points: pointsOf(values, factor, sctpExperiment)},
    ],
  );
  return {
    ...withSetUp(results, grid, figure),
    name: `l06-table-${grid.slice(-1)}`,
    title: `L06 table ${number}: response time against ${figure.x.label}`,
  };
}

/** Replaces the page times in a figure by the response times, which include the set-up. */
function withSetUp(results: Results, grid: string, figure: Figure): Figure {
  // both grids have the same axes, so their cells have the same numbers
  const cells = new Map(results.cells(responsesOf(grid)).map(cell => [cell.number, cell]));
  const points = linesOf(figure).map((point): LinePoint => {
    const cell = point.cell === null ? undefined : cells.get(point.cell);
    const {value, half} = cell === undefined ? NO_RESPONSE : cell.mean(SHOWN[point.series] ?? TCP, WHOLE_PAGE.name);
    if (value === null) return point;
    return {...point, y: value, interval: half === null ? null : [value - half, value + half]};
  });
  return {...figure, y: {label: 'response time', unit: 's'}, marks: {kind: 'lines', points}};
}

const NO_RESPONSE = {value: null, half: null};

function pointsOf(values: readonly number[], factor: number, times: readonly number[]) {
  return values.map((value, i) => [Number((value * factor).toPrecision(12)), times[i] ?? Number.NaN] as const);
}

export const l06: Paper = {
  name: 'l06',
  title:
    'L06: Lee, Atiquzzaman, Sivagurunathan: Mean Response Time Estimation for HTTP over SCTP in Wireless Environment, 2006',
  notes: [
    'Tables III and IV seem to have the rows of model and experiment exchanged. At 40 kbps, 256 ms and 1 % they print 18.73 and 18.64 s as the model and 21.84 and 21.33 s as the experiment. Table II prints 21.33 and 20.81 s as the model and 18.73 and 18.64 s as the experiment. We show them as printed, and compare them both as printed and exchanged.',
    'L06 gives neither the size of its HTML, nor its initial threshold, nor its RTO. We use 1 KB, 64 segments (in the model) and 1 s.',
    'We assume that L06’s TCP is Reno without SACK.',
    'We tried three readings of L06’s formulas. None of them gives the times that its tables print for the model.',
    'In table IV’s experiment TCP and SCTP are 0.51 s apart in all four columns, from 21.84 s at 40 kbps to 4.40 s at 10 Mbps. The difference of two measurements hardly ever stays the same.',
    'The model is not monotone, because it counts whole losses: with our values TCP takes 23.40 s at 1 % and 21.41 s at 2 %.',
  ],
  grids: [
    ...L06_TABLES.map(({grid, number, key, values}): PaperGrid => {
      return {
        name: grid,
        about: `table ${number}: TCP without SACK as in L06, SCTP with 5 streams and with 1, TCP with SACK`,
        base: BASE,
        axes: {[key]: values},
        kept: {metrics: METRICS},
        moreSeeds: JUDGED_SEEDS,
      };
    }),
    ...L06_TABLES.map(responses),
    CALM,
    DEPTHS,
  ],
  claims: CLAIMS,
  tables: results => L06_TABLES.map(table => modelTable(results, table)),
  figures: results => L06_TABLES.map(table => tableFigure(results, table)),
};
