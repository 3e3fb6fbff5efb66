import type {Figure} from '../figures/figure.ts';
import {meanRow, openClaim, orderRow} from './claimRows.ts';
import type {Cell, Results} from './gridResults.ts';
import {inSeconds, type Measured} from './measured.ts';
import {leadText, lossText, measuredText, sizeText} from './numberText.ts';
import {type Claim, JUDGED_SEEDS, type Paper, type PaperGrid} from './paper.ts';
import {numbered, onePanel} from './paperFigures.ts';
import {FILES, FILES_CLAIMS, filesTable, R02_BASE, RENO, SACK, SCTP, SINGLE} from './r02Files.ts';
import {leastOf} from './verdict.ts';

const PAGE_GRID: PaperGrid = {
  name: 'page',
  about: 'figure 7: the time until all eight files are complete, against loss',
  base: R02_BASE,
  axes: {'path.loss': [0, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.25]},
  kept: {metrics: ['pageTimeMs', 'retransmitted']},
  moreSeeds: JUDGED_SEEDS,
};

/**
 * Loss rates of figure 7 that no verdict uses: 0, because the claim is about loads under loss, and 10 and 15 %, because
 * R02 itself says that its times vary too much there.
 */
const UNJUDGED = [0, 0.1, 0.15];

const SINGLE_SIZES = [1000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000, 500_000] as const;
const RATES = [40_000, 400_000, 3_000_000, 10_000_000] as const;

const SINGLE_FILES: PaperGrid = {
  name: 'single-files',
  about:
    'figures 5 and 6: single files of growing size, no loss; SCTP with messages of 1024 B as in R02, and with full packets',
  base: {
    page: {synthetic: {indexBytes: 1000, objects: 0}},
    path: {rateBps: 40_000, rttMs: 80},
    panes: [
      {pipeline: 'tcp', profile: 'reno'},
      {pipeline: 'sctp', profile: 'classic', streams: 1, messageBytes: 1024},
      {pipeline: 'sctp', profile: 'classic', streams: 1},
    ],
  },
  axes: {'path.rateBps': [...RATES], 'page.synthetic.indexBytes': [...SINGLE_SIZES]},
  kept: {metrics: ['pageTimeMs', 'packetsDown']},
  mostSeeds: 2,
};

/**
 * R02's figures of single files. R02 prints figures 5 and 6, and mentions the other two rates only in its text; their
 * figures have our own numbers 5b and 6a.
 */
const SINGLE_FIGURES = [
  ['5', 'rate 0.04 Mbit/s'],
  ['5b', 'rate 0.4 Mbit/s'],
  ['6a', 'rate 3 Mbit/s'],
  ['6', 'rate 10 Mbit/s'],
] as const;

/**
 * Compares how the congestion windows grow in slow start. In SCTP's profile `classic`, each SACK opens the window by at
 * most one packet. In TCP's profile `reno`, each ACK does so. In the `modern` profiles, both windows grow by the
 * acknowledged bytes, but SCTP's window by at most two packets for each SACK. The rate of 40 kbit/s is left out: there,
 * the first ten packets of `modern` take longer than its initial RTO.
 */
const WINDOWS: PaperGrid = {
  name: 'windows',
  about: 'a file of 100 KB, no loss, profiles classic and modern: how the congestion windows grow',
  base: {
    page: {synthetic: {indexBytes: 100_000, objects: 0}},
    path: {rttMs: 80},
    panes: [
      {pipeline: 'tcp', profile: 'reno'},
      {pipeline: 'sctp', profile: 'classic', streams: 1},
      {pipeline: 'tcp', profile: 'modern'},
      {pipeline: 'sctp', profile: 'modern', streams: 1},
    ],
  },
  axes: {'path.rateBps': RATES.slice(1)},
  kept: {metrics: ['pageTimeMs']},
  mostSeeds: 2,
};

const CLAIMS: readonly Claim[] = [
  ...FILES_CLAIMS,
  {
    text: 'Single files, no loss: SCTP takes longer than TCP',
    source: 'R02, figures 5 and 6',
    rows: results =>
      results.cells('single-files').map(cell => {
        const later = inSeconds(cell.difference(2, 1, 'pageTimeMs'));
        return orderRow(singleText(cell), 'later', later, 's', leastOf(inSeconds(cell.mean(1, 'pageTimeMs'))));
      }),
    why: results => RATES.map(rate => singleReason(results, rate)),
  },
  {
    text: 'With messages of 1024 B SCTP sends nearly twice as many packets as TCP',
    source: 'R02, beside figures 5 and 6',
    rows: results =>
      [50_000, 100_000, 500_000].map(bytes => {
        const cell = results.at('single-files', {'path.rateBps': 10_000_000, 'page.synthetic.indexBytes': bytes});
        return meanRow(singleText(cell), cell.ratio(2, 1, 'packetsDown'), [2, 2], 'times');
      }),
    why: results => {
      const cell = results.at('single-files', {'path.rateBps': 10_000_000, 'page.synthetic.indexBytes': 100_000});
      return [
        `100 KB at 10 Mbit/s: SCTP with full packets sends ${measuredText(cell.ratio(3, 1, 'packetsDown'))} times as many packets as TCP.`,
      ];
    },
  },
  {
    text: 'Figure 7: under loss all eight files are complete sooner over SCTP',
    source: 'R02, figure 7 and table 1, file 8',
    rows: results =>
      results
        .cells('page')
        .filter(({axes}) => !UNJUDGED.includes(Number(axes['path.loss'])))
        .map(cell => {
          const lead = inSeconds(cell.difference(RENO, SCTP, 'pageTimeMs'));
          return orderRow(lossText(Number(cell.axes['path.loss'])), 'sooner', lead, 's');
        }),
    why: results =>
      [0.02, 0.05].map(loss => {
        const cell = results.at('page', {'path.loss': loss});
        const lead = (pane: number): Measured => inSeconds(cell.difference(RENO, pane, 'pageTimeMs'));
        return (
          `At ${lossText(loss)} loss SCTP is ${leadText(lead(SCTP))} than TCP without SACK. SCTP with a single stream is ` +
          `${leadText(lead(SINGLE))} than TCP without SACK, and TCP with SACK is ${leadText(lead(SACK))} than TCP without SACK.`
        );
      }),
  },
  openClaim(
    'SCTP’s initial window is two packets, TCP’s is one',
    'R02 §3',
    'SCTP’s is larger',
    'no setting has the initial windows of 2002; our profiles of 2007 have 3 packets for both',
  ),
  openClaim(
    'SCTP retransmits at the fourth gap report, TCP at the third duplicate ACK',
    'R02 §3',
    'one report later',
    'no setting makes SCTP wait for the fourth report: RFC 4960 has three, like TCP',
  ),
];

/** Sentences about the effects of small messages and of how the congestion windows grow. */
function singleReason(results: Results, rate: number): string {
  const cell = results.at('single-files', {'path.rateBps': rate, 'page.synthetic.indexBytes': 100_000});
  const lead = (of: Cell, tcp: number, sctp: number): string =>
    leadText(inSeconds(of.difference(tcp, sctp, 'pageTimeMs')));
  const counts = [1, 2, 3].map(pane => measuredText(cell.mean(pane, 'packetsDown')));
  const windows = results.cells('windows').find(({axes}) => axes['path.rateBps'] === rate);
  const modern =
    windows === undefined
      ? ''
      : ` With the modern profiles, whose congestion windows grow alike, SCTP is ${lead(windows, 3, 4)} than TCP.`;
  return (
    `100 KB at ${rateText(rate)}: SCTP with messages of 1024 B is ${lead(cell, 1, 2)} than TCP, and SCTP with full packets is ` +
    `${lead(cell, 1, 3)} than TCP. They send ${counts[0]} (TCP), ${counts[1]} (messages of 1024 B) and ${counts[2]} ` +
    `(full packets) packets down.${modern}`
  );
}

function singleText(cell: Cell): string {
  const bytes = Number(cell.axes['page.synthetic.indexBytes']);
  return `${rateText(Number(cell.axes['path.rateBps']))}, ${sizeText(bytes)}`;
}

function rateText(rateBps: number): string {
  return rateBps < 1e6 ? `${rateBps / 1e3} kbit/s` : `${rateBps / 1e6} Mbit/s`;
}

export const r02: Paper = {
  name: 'r02',
  title:
    'R02: Rajamani, Kumar, Gupta: SCTP versus TCP: Comparing the Performance of Transport Protocols for Web Traffic, 2002',
  notes: [
    'R02’s TCP is Reno without SACK. Its absolute times are not plausible for 10 Mbps and 80 ms: it reports 4.7 s for 78 KB without loss. We compare orders and ratios.',
    'The file of 50 KB is the page’s HTML, which names the seven other files. R02 does not print the sizes of its single files; we chose 1 to 500 KB.',
    'R02 says that its times vary too much at 10 and 15 % loss. Our figures show these two rates, but no verdict uses them.',
  ],
  grids: [FILES, PAGE_GRID, SINGLE_FILES, WINDOWS],
  claims: CLAIMS,
  tables: results => [filesTable(results)],
  figures: results => [
    ...SINGLE_FIGURES.map(([number, panel]) =>
      numbered(onePanel(results.figure('single-files', 'page-time-t'), panel), 'r02', number),
    ),
    overDecades(numbered(results.figure('page', 'page-time-t'), 'r02', '7')),
  ],
};

/** Returns the figure with a logarithmic y axis, because the times range from a second to minutes. */
function overDecades(figure: Figure): Figure {
  return {...figure, y: {...figure.y, isLogarithmic: true}};
}
