import {correctedSilence, printedSilence} from '../model/silence.ts';
import {left, type ReportTable, right} from '../report/report.ts';
import type {Json} from '../scenario/document.ts';
import {numbered} from './figures.ts';
import {inSeconds, minus, scaled} from './measured.ts';
import type {Claim, Paper, PaperGrid} from './paper.ts';
import type {Results} from './results.ts';
import {openRow, orderRow} from './rows.ts';
import {leadText, lossText, measuredText} from './words.ts';

const LOSSES = [0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.15];

/** The pages, and which figure has them against loss. */
const PAGES = [
  {page: 'text-10k', figure: '11', text: '10 KB, tag distance 5 frames'},
  {page: 'text-50k', figure: '12', text: '50 KB, tag distance 20 frames'},
] as const;

const RTT_MS = 70;

const BASE = {
  page: 'text-10k',
  path: {rateBps: 80_000, rttMs: RTT_MS},
  panes: [
    {pipeline: 'tcp', profile: 'classic'},
    {pipeline: 'sctp', profile: 'classic', streams: 1},
    {pipeline: 'tcp', profile: 'modern'},
  ],
  discovery: 'complete',
} as const satisfies Json;

const SILENCE: PaperGrid = {
  name: 'silence',
  about: 'silence against loss: TCP (C03’s), one stream of SCTP, and TCP of today (RTO ≥ 200 ms, RACK-TLP)',
  base: BASE,
  axes: {page: PAGES.map(({page}) => page), 'path.loss': LOSSES},
  kept: {metrics: ['pageTimeMs', 'silentMs', 'longestWaitMs', 'retransmitted']},
};

/** Retransmission holds back what is behind the loss, and halves the window: with a path that loses data alone. */
const DATA_LOSS: PaperGrid = {
  name: 'data-loss',
  about: 'silence where data alone is lost, no acknowledgement and no handshake',
  base: {...BASE, path: {...BASE.path, loss: {rate: 0, applies: 'data'}}},
  axes: {page: PAGES.map(({page}) => page), 'path.loss.down.rate': [0.01, 0.1]},
  kept: {metrics: ['silentMs', 'longestWaitMs']},
};

/** In-order UDP and CATP, with TCP on the same seeds. */
const DATAGRAMS: PaperGrid = {
  name: 'datagrams',
  about: 'silence against loss: TCP, in-order UDP and CATP, and CATP with its abstract sent twice',
  base: {
    ...BASE,
    panes: [
      {pipeline: 'tcp', profile: 'classic'},
      {pipeline: 'udp'},
      {pipeline: 'catp'},
      {pipeline: 'catp', abstract: 'twice'},
    ],
  },
  axes: {page: PAGES.map(({page}) => page), 'path.loss': LOSSES},
  kept: {metrics: ['pageTimeMs', 'silentMs', 'longestWaitMs', 'retransmitted']},
};

/** Panes of {@link DATAGRAMS}, from 1. */
const [TCP, UDP, CATP, CATP_TWICE] = [1, 2, 3, 4];

const CLAIMS: readonly Claim[] = [
  {
    text: 'TCP’s silent time grows steeply with loss',
    source: 'C03, figures 11–13',
    rows: results =>
      PAGES.flatMap(({page, text}) =>
        (['longestWaitMs', 'silentMs'] as const).map(metric => {
          const [low, high] = [0.01, 0.1].map(loss => silenceAt(results, page, loss).mean(1, metric));
          if (low === undefined || high === undefined) return openRow(text, 'grows', 'no runs');
          const row = orderRow(
            `${text}, ${MEASURES[metric]}, 10 % over 1 %`,
            'longer',
            inSeconds(minus(high, low)),
            's',
          );
          return {
            ...row,
            ours: `${row.ours} (${[low, high].map(each => measuredText(inSeconds(each), 's')).join(' and ')})`,
          };
        }),
      ),
    why: results => [
      ...PAGES.map(({page, text}) => timeoutText(results, page, text)),
      ...PAGES.map(({page, text}) => dataText(results, page, text)),
    ],
  },
  {
    text: 'CATP’s silent time stays nearly flat as loss grows',
    source: 'C03, figures 11–13',
    rows: results =>
      PAGES.flatMap(({page, text}) => BOTH.map(measures => flatRow(results, page, text, measures))),
    why: results => PAGES.map(({page, text}) => abstractText(results, page, text)),
  },
  {
    text: 'In-order UDP lies between TCP and CATP',
    source: 'C03, figures 11–13',
    rows: results =>
      PAGES.flatMap(({page, text}) => BOTH.flatMap(measures => betweenRows(results, page, text, measures))),
    why: () => [],
  },
  {
    text: 'TCP is slightly ahead at low loss, as CATP’s server throttles its rate',
    source: 'C03, figures 11–13',
    rows: results =>
      PAGES.flatMap(({page, text}) =>
        (['silentMs', 'pageTimeMs'] as const).map(metric => {
          const cell = datagramsAt(results, page, 0);
          const behind = inSeconds(cell.difference(CATP, TCP, metric));
          return orderRow(`${text}, no loss, ${MEASURES[metric]}`, 'TCP ahead', behind, 's');
        }),
      ),
    why: () => [],
  },
  {
    text: 'A long tag distance makes in-order UDP’s silence longer (10 % loss)',
    source: 'C03, figure 14',
    rows: results =>
      BOTH.map(({udp: metric}) => {
        const [short, long] = PAGES.map(({page}) => datagramsAt(results, page, 0.1).mean(UDP, metric));
        const where = `20 frames of 50 KB over 5 of 10 KB, ${MEASURES[metric]}`;
        if (short === undefined || long === undefined) return openRow(where, 'longer', 'no runs');
        return orderRow(where, 'longer', inSeconds(minus(long, short)), 's');
      }),
    why: results => [tagText(results)],
  },
  openClaim(
    'Internet, 70 ms: most silences are about 130 ms; where over 1 s, UDP’s are often over 2 s, CATP’s 1 to 2 s',
    'C03, figure 15',
    '130 ms; 1 to 2 s',
    'neither rate nor loss of its path is given',
  ),
  openClaim(
    'Of 80,000 pages (25.5 KB on average) 45 % split a tag pair over several frames, over 10 % over more than 10',
    'C03',
    '45 %, over 10 %',
    'we have none of its pages',
  ),
];

/** Both measures: ours, and what C03 measured as TCP's. */
const MEASURES = {
  longestWaitMs: 'longest wait for earlier data (C03’s measure)',
  silentMs: 'longest time without a change',
  pageTimeMs: 'page time',
} as const;

/**
 * C03 measured TCP and UDP by the wait for earlier data, and CATP, which has none, by the time between two arrivals: each
 * changes the page, so that is the time without a change. Ours is that for all.
 */
const BOTH = [
  {name: 'C03’s measures', tcp: 'longestWaitMs', udp: 'longestWaitMs', catp: 'silentMs'},
  {name: MEASURES.silentMs, tcp: 'silentMs', udp: 'silentMs', catp: 'silentMs'},
] as const;

type Measures = (typeof BOTH)[number];

/** Nearly flat: from 1 to 10 % it grows by less than half of what TCP's does. */
function flatRow(results: Results, page: string, text: string, {name, tcp, catp}: Measures) {
  const growth = (pane: number, metric: string) => {
    const [low, high] = [0.01, 0.1].map(loss => datagramsAt(results, page, loss).mean(pane, metric));
    return low === undefined || high === undefined ? undefined : inSeconds(minus(high, low));
  };
  const [tcps, catps] = [growth(TCP, tcp), growth(CATP, catp)];
  const where = `${text}, ${name}: half of TCP’s growth from 1 to 10 %, less CATP’s`;
  if (tcps === undefined || catps === undefined) return openRow(where, 'flat', 'no runs');
  const row = orderRow(where, 'above 0', minus(scaled(tcps, 0.5), catps), 's');
  return {...row, ours: `${row.ours} (TCP ${measuredText(tcps, 's')}, CATP ${measuredText(catps, 's')})`};
}

function betweenRows(results: Results, page: string, text: string, {name, tcp, udp, catp}: Measures) {
  const cell = datagramsAt(results, page, 0.1);
  const of = (pane: number, metric: string) => inSeconds(cell.mean(pane, metric));
  const lead = (slower: number, faster: number, [a, b]: readonly [string, string]) =>
    a === b ? inSeconds(cell.difference(slower, faster, a)) : minus(of(slower, a), of(faster, b));
  return [
    orderRow(`${text}, 10 %, ${name}: TCP over UDP`, 'longer', lead(TCP, UDP, [tcp, udp]), 's'),
    orderRow(`${text}, 10 %, ${name}: UDP over CATP`, 'longer', lead(UDP, CATP, [udp, catp]), 's'),
  ];
}

function openClaim(text: string, source: string, theirs: string, why: string): Claim {
  return {text, source, rows: () => [openRow('', theirs, why)], why: () => []};
}

function silenceAt(results: Results, page: string, loss: number) {
  return results.at('silence', {page, 'path.loss': loss});
}

function datagramsAt(results: Results, page: string, loss: number) {
  return results.at('datagrams', {page, 'path.loss': loss});
}

/** What the abstract's own losses make of it: without it no data is shown. */
function abstractText(results: Results, page: string, text: string): string {
  const cell = datagramsAt(results, page, 0.1);
  const [once, twice] = [CATP, CATP_TWICE].map(pane =>
    measuredText(inSeconds(cell.mean(pane, 'silentMs')), 's'),
  );
  return `${text}, 10 %: CATP’s page stands still for ${once}; with each frame of its abstract sent twice, ${twice}.`;
}

function tagText(results: Results): string {
  const texts = PAGES.map(({page, text}) => {
    const ms = datagramsAt(results, page, 0).mean(UDP, 'silentMs');
    return `${measuredText(inSeconds(ms), 's')} (${text})`;
  });
  return `Without any loss in-order UDP shows nothing new for ${texts.join(' and ')}: until the first end tag comes.`;
}

/** What a shorter RTO makes of it. */
function timeoutText(results: Results, page: string, text: string): string {
  const cell = silenceAt(results, page, 0.1);
  const [tcp, sctp, modern] = [1, 2, 3].map(pane => inSeconds(cell.mean(pane, 'longestWaitMs')));
  if (tcp === undefined || sctp === undefined || modern === undefined) return '';
  const shorter = inSeconds(cell.difference(1, 3, 'longestWaitMs'));
  return (
    `${text}, 10 %: the longest wait is ${measuredText(tcp, 's')} over TCP with RTO ≥ 1 s, ${measuredText(modern, 's')} over today’s ` +
    `with RTO ≥ 200 ms and RACK-TLP (${leadText(shorter)}), ${measuredText(sctp, 's')} over one stream of SCTP.`
  );
}

function dataText(results: Results, page: string, text: string): string {
  const [low, high] = [0.01, 0.1].map(rate => {
    const cell = results.at('data-loss', {page, 'path.loss.down.rate': rate});
    return measuredText(inSeconds(cell.mean(1, 'longestWaitMs')), 's');
  });
  return `${text}: where data alone is lost, on its way down, TCP’s longest wait is ${low} at 1 % and ${high} at 10 %.`;
}

/** C03's figure 8, for this path: the link's delay is half of its RTT. */
function expectedTable(results: Results): ReportTable {
  const rows = PAGES.flatMap(({page, text}) =>
    LOSSES.map(loss => {
      const path = {lossRate: loss, delayMs: RTT_MS / 2, timeoutMs: 1000};
      const [printed, corrected] = [printedSilence(path), correctedSilence(path)];
      const cell = silenceAt(results, page, loss);
      const ours = (pane: number, metric: string): string => measuredText(cell.mean(pane, metric));
      return [
        ...[text, lossText(loss)],
        ...[printed.tcpMs, corrected.tcpMs, printed.catpMs].map(ms => ms.toFixed(0)),
        ...[ours(1, 'longestWaitMs'), ours(1, 'silentMs')],
        ...[ours(2, 'longestWaitMs'), ours(2, 'silentMs')],
        measuredText(datagramsAt(results, page, loss).mean(CATP, 'silentMs')),
      ];
    }),
  );
  return {
    caption:
      'Figure 8: expected silent times, ms, as printed and corrected (D 35 ms, TO 1 s), beside the means of each load’s longest. ' +
      'Expected is the silence of any one loss, so the longest of a load is longer: shown, not judged.',
    columns: [
      left('page'),
      ...[
        ...['loss', 'TCP printed', 'TCP corrected', 'CATP (both)'],
        ...[
          'TCP: longest wait',
          'TCP: no change',
          'SCTP, 1 stream: longest wait',
          'SCTP, 1 stream: no change',
          'CATP: no change',
        ],
      ].map(right),
    ],
    rows,
  };
}

/** A Context-Aware HTML/XML Document Transmission Process for Mobile Wireless Clients (CATP), 2003. */
export const c03: Paper = {
  name: 'c03',
  title:
    'C03: Chen, Mohapatra: A Context-Aware HTML/XML Document Transmission Process for Mobile Wireless Clients, 2003',
  notes: [
    'C03 gives no RTT for its figures 11 to 14; ours is the 70 ms of its figure 15. Its pages are ours of the same size and tag distance.',
    'Both silent times are given: C03’s measure of TCP, the longest time that data waits for earlier data, and the longest time in which nothing changes on the page.',
    'In-order UDP shows what lies between a tag and its end tag when both are there, by the innermost pair; CATP shows data where it belongs when the whole abstract is there. Their servers send at 90 % of the link’s rate: C03 does not say how far below it. Its adapter is not built: a scenario has one path.',
  ],
  grids: [SILENCE, DATAGRAMS, DATA_LOSS],
  claims: CLAIMS,
  tables: results => [expectedTable(results)],
  figures: results => [
    numbered(results.figure('silence', 'longest-wait-for-earlier-data'), 'c03', '13'),
    {...results.figure('silence', 'longest-silent-time'), name: 'c03-silent-time'},
    {...results.figure('datagrams', 'longest-wait-for-earlier-data'), name: 'c03-datagrams-wait'},
    {...results.figure('datagrams', 'longest-silent-time'), name: 'c03-datagrams-silent-time'},
  ],
};
