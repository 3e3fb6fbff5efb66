import {correctedSilence, printedSilence} from '../model/silence.ts';
import {left, type ReportTable, right} from '../report/report.ts';
import {DATAGRAM_CLAIMS} from './c03Datagrams.ts';
import {ARRIVALS, CATP, DATA_LOSS, DATAGRAMS, LOSSES, MEASURES, PAGES, RTT_MS, SILENCE, TCP} from './c03Grids.ts';
import {openClaim, openRow, orderRow} from './claimRows.ts';
import type {Results} from './gridResults.ts';
import {inSeconds, minus, scaled} from './measured.ts';
import {BETWEEN_ARRIVALS} from './measures.ts';
import {leadText, lossText, measuredText} from './numberText.ts';
import type {Claim, Paper} from './paper.ts';
import {numbered} from './paperFigures.ts';

const CLAIMS: readonly Claim[] = [
  {
    text: 'TCP’s silent time grows steeply with loss (our measure: at 10 % it is more than twice that at 1 %)',
    source: 'C03, figures 11–13',
    rows: results =>
      PAGES.flatMap(({page, text}) =>
        (['longestWaitMs', 'silentMs'] as const).map(metric => {
          const [low, high] = [0.01, 0.1].map(loss => silenceAt(results, page, loss).mean(1, metric));
          if (low === undefined || high === undefined) return openRow(text, 'grows', 'no runs');
          const row = orderRow(
            `${text}, ${MEASURES[metric]}: at 10 %, less twice that at 1 %`,
            'above 0',
            inSeconds(minus(high, scaled(low, 2))),
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
    text: 'The expected silence of TCP is longer than CATP’s at any loss (ours: by C03’s measures, each load’s longest)',
    source: 'C03, figure 8',
    rows: results =>
      PAGES.flatMap(({page, text}) =>
        LOSSES.slice(1).map(loss => {
          const tcp = results.at(DATAGRAMS.name, {page, 'path.loss': loss}).mean(TCP, 'longestWaitMs');
          const catp = results.at(ARRIVALS.name, {page, 'path.loss': loss}).mean(1, BETWEEN_ARRIVALS);
          const row = orderRow(`${text}, ${lossText(loss)}`, 'longer', inSeconds(minus(tcp, catp)), 's');
          const times = [tcp, catp].map(each => measuredText(inSeconds(each), 's'));
          return {...row, ours: `${row.ours} (${times.join(' and ')})`};
        }),
      ),
    why: results => {
      const {tcpMs, catpMs} = printedSilence({lossRate: 0.01, delayMs: RTT_MS / 2, timeoutMs: 1000});
      const calm = results.at(DATAGRAMS.name, {page: PAGES[0].page, 'path.loss': 0.01});
      return [
        `At 1 % the formulas give ${tcpMs.toFixed(0)} ms over TCP and ${catpMs.toFixed(0)} ms over CATP, of a loss; most of our loads of ` +
          `10 KB have none there, and no wait (mean ${measuredText(inSeconds(calm.mean(TCP, 'longestWaitMs')), 's')}).`,
      ];
    },
  },
  ...DATAGRAM_CLAIMS,
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

function silenceAt(results: Results, page: string, loss: number) {
  return results.at('silence', {page, 'path.loss': loss});
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
        text,
        lossText(loss),
        ...[printed.tcpMs, corrected.tcpMs, printed.catpMs].map(ms => ms.toFixed(0)),
        ours(1, 'longestWaitMs'),
        ours(1, 'silentMs'),
        ours(2, 'longestWaitMs'),
        ours(2, 'silentMs'),
        measuredText(results.at(DATAGRAMS.name, {page, 'path.loss': loss}).mean(CATP, 'silentMs')),
        measuredText(results.at(ARRIVALS.name, {page, 'path.loss': loss}).mean(1, BETWEEN_ARRIVALS)),
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
        'loss',
        'TCP printed',
        'TCP corrected',
        'CATP (both)',
        'TCP: longest wait',
        'TCP: no change',
        'SCTP, 1 stream: longest wait',
        'SCTP, 1 stream: no change',
        'CATP: no change',
        'CATP: between arrivals',
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
    'Both silent times are given: C03’s measures, of TCP and UDP the longest time that data waits for earlier data, of CATP the longest between two arrivals; and the longest time in which nothing changes on the page.',
    'In-order UDP shows what lies between a tag and its end tag when both are there, by the innermost pair; CATP shows data where it belongs when the whole abstract is there. Their servers send at 90 % of the link’s rate: C03 does not say how far below it. No figure of its is of the adapter (its §5; here a setting of catp).',
  ],
  grids: [SILENCE, DATAGRAMS, ARRIVALS, DATA_LOSS],
  claims: CLAIMS,
  tables: results => [expectedTable(results)],
  figures: results => [
    numbered(results.figure('silence', 'longest-wait-for-earlier-data'), 'c03', '13'),
    {...results.figure('silence', 'longest-silent-time'), name: 'c03-silent-time'},
    {...results.figure('datagrams', 'longest-wait-for-earlier-data'), name: 'c03-datagrams-wait'},
    {...results.figure('datagrams', 'longest-silent-time'), name: 'c03-datagrams-silent-time'},
  ],
};
