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
    text: 'TCP’s silent time grows steeply with loss (we take "steeply" as: at 10 % it is more than twice that at 1 %)',
    source: 'C03, figures 11–13',
    rows: results =>
      PAGES.flatMap(({page, text}) =>
        (['longestWaitMs', 'silentMs'] as const).map(metric => {
          const [low, high] = [0.01, 0.1].map(loss => silenceAt(results, page, loss).mean(1, metric));
          if (low === undefined || high === undefined) return openRow(text, 'grows', 'no runs');
          const row = orderRow(
            `${text}, ${MEASURES[metric]}: at 10 % minus twice that at 1 %`,
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
    text: 'The expected silent time of TCP is longer than CATP’s at any loss (we compare the longest silent time of each load, by C03’s measures)',
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
        `At 1 % loss the formulas give ${tcpMs.toFixed(0)} ms over TCP and ${catpMs.toFixed(0)} ms over CATP for the silent time of one ` +
          'loss. Most of our loads of 10 KB lose nothing at this rate and have no wait at all ' +
          `(the mean is ${measuredText(inSeconds(calm.mean(TCP, 'longestWaitMs')), 's')}).`,
      ];
    },
  },
  ...DATAGRAM_CLAIMS,
  openClaim(
    'Internet, 70 ms: most silent times are about 130 ms; of those above 1 s, UDP’s are often above 2 s and CATP’s are 1 to 2 s',
    'C03, figure 15',
    '130 ms; 1 to 2 s',
    'C03 gives neither the rate nor the loss of this path',
  ),
  openClaim(
    '45 % of 80,000 pages (25.5 KB on average) split a tag pair over several frames, and over 10 % of them over more than 10 frames',
    'C03',
    '45 %, over 10 %',
    'we have none of these pages',
  ),
];

function silenceAt(results: Results, page: string, loss: number) {
  return results.at('silence', {page, 'path.loss': loss});
}

/** Sentences about the longest wait over TCP with an RTO of at least 1 s, over today's TCP, and over SCTP. */
function timeoutText(results: Results, page: string, text: string): string {
  const cell = silenceAt(results, page, 0.1);
  const [tcp, sctp, modern] = [1, 2, 3].map(pane => inSeconds(cell.mean(pane, 'longestWaitMs')));
  if (tcp === undefined || sctp === undefined || modern === undefined) return '';
  const shorter = inSeconds(cell.difference(1, 3, 'longestWaitMs'));
  return (
    `${text}, 10 %: the longest wait is ${measuredText(tcp, 's')} over TCP with RTO ≥ 1 s. Over today’s TCP with ` +
    `RTO ≥ 200 ms and RACK-TLP it is ${measuredText(modern, 's')} (${leadText(shorter, ['shorter', 'longer'])}), and over SCTP with one stream ` +
    `${measuredText(sctp, 's')}.`
  );
}

/** A sentence about the effect of losses if only data packets are lost. */
function dataText(results: Results, page: string, text: string): string {
  const [low, high] = [0.01, 0.1].map(rate => {
    const cell = results.at('data-loss', {page, 'path.loss.down.rate': rate});
    return measuredText(inSeconds(cell.mean(1, 'longestWaitMs')), 's');
  });
  return `${text}: if only data packets of the server are lost, TCP’s longest wait is ${low} at 1 % and ${high} at 10 %.`;
}

/** C03's figure 8, computed for our path. Its link delay D is half of the RTT. */
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
      'Figure 8: expected silent times, ms, by the formulas as printed and as corrected by us (link delay D = 35 ms, ' +
      'retransmission timeout TO = 1 s), beside the means of the longest silent time of each load. The formulas give the silent ' +
      'time of one loss, but a load can have several losses, or none. No verdict uses this table.',
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

export const c03: Paper = {
  name: 'c03',
  title:
    'C03: Chen, Mohapatra: A Context-Aware HTML/XML Document Transmission Process for Mobile Wireless Clients, 2003',
  notes: [
    'C03 gives no RTT for its figures 11 to 14; we use the 70 ms of its figure 15. Its pages are not available; ours have the same size and tag distance.',
    'We report two silent times. The first is C03’s measure: for TCP and UDP the longest time that data waits for earlier data, for CATP the longest time between two arrivals. The second is the longest time in which nothing changes on the page.',
    'In-order UDP shows the text between a tag and its end tag when both have arrived. If pairs of tags are nested, the innermost pair counts. CATP first sends an abstract frame, which describes the structure of the page. Once this whole frame has arrived, CATP shows data at its position in the page. Both servers send at 90 % of the link’s rate, because C03 only says that the rate is below the link’s. C03 also describes an adapter, which fetches the page from the server over TCP (C03 §5). None of C03’s figures is about it; here it is a setting of the pipeline catp.',
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
