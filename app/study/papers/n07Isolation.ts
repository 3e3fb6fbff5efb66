import {openRow, orderRow} from './claimRows.ts';
import {DEVELOPING_BASE, HSDPA, recoveryCell, SOUTH_ASIA, spots, spotText, TWO_VSAT, VSAT} from './developing.ts';
import type {Cell, Results} from './gridResults.ts';
import {inSeconds, type Measured, meanOf, minus} from './measured.ts';
import {leadText, lossText, measuredText} from './numberText.ts';
import {type Claim, JUDGED_SEEDS, type PaperGrid, type Row} from './paper.ts';
import {leastAt, leastOf} from './verdict.ts';

// N07's own explanations of its results. Each is tested by runs in which only one thing differs.

const [TCP_PANE, STREAMS_PANE] = DEVELOPING_BASE.panes;

/**
 * The factor by which RTT and serialisation time of a path are scaled. Scaling changes nothing in a load except the
 * effect of timers, because nothing else in a load has an absolute duration.
 */
const SLOWED = TWO_VSAT.rttMs / HSDPA.rttMs;

/**
 * Tests the effect of timers on the N07 paths with the smallest and the largest RTT. Each is also scaled to the RTT of
 * the other.
 */
export const TIMERS: PaperGrid = {
  name: 'timers',
  about: 'the paths of 120 and 1100 ms, and each scaled to the RTT of the other: the effect of the timers (RTO ≥ 1 s)',
  base: {...DEVELOPING_BASE, panes: [TCP_PANE, STREAMS_PANE]},
  axes: {
    path: [
      {label: '120 ms', 'path.rttMs': HSDPA.rttMs, 'path.rateBps': 1_000_000},
      {label: '120 ms slowed down', 'path.rttMs': TWO_VSAT.rttMs, 'path.rateBps': Math.round(1e6 / SLOWED)},
      {label: '1100 ms', 'path.rttMs': TWO_VSAT.rttMs, 'path.rateBps': 1_000_000},
      {label: '1100 ms sped up', 'path.rttMs': HSDPA.rttMs, 'path.rateBps': Math.round(1e6 * SLOWED)},
    ],
    'path.loss': [0.1],
  },
  kept: {metrics: ['pageTimeMs', 'retransmitted']},
  moreSeeds: JUDGED_SEEDS,
};

/**
 * Loads without loss, on paths where congestion windows limit the load and on paths where they never do. At 56 kbit/s
 * and 120 ms, for example, a single packet fills the path. The path with an RTT of 1100 ms is left out, because the
 * initial RTO of the modern profiles is 1 s and would expire before an answer can arrive.
 */
export const NO_LOSS: PaperGrid = {
  name: 'no-loss',
  about:
    'no loss: paths where congestion windows limit the load, and paths where the rate does; profiles classic and modern',
  base: {
    ...DEVELOPING_BASE,
    panes: [TCP_PANE, STREAMS_PANE, {...TCP_PANE, profile: 'modern'}, {...STREAMS_PANE, profile: 'modern'}],
  },
  axes: {
    path: [
      {label: '850 ms, 1 Mbit/s', 'path.rttMs': VSAT.rttMs, 'path.rateBps': 1_000_000},
      {label: '350 ms, 1 Mbit/s', 'path.rttMs': SOUTH_ASIA.rttMs, 'path.rateBps': 1_000_000},
      {label: '120 ms, 56 kbit/s', 'path.rttMs': HSDPA.rttMs, 'path.rateBps': 56_000},
      // with this rate from the client, it hardly matters that TCP packs several GETs into a segment and SCTP does not
      {
        label: '120 ms, 56 kbit/s down, 1 Mbit/s up',
        'path.rttMs': HSDPA.rttMs,
        'path.rateBps': {down: 56_000, up: 1_000_000},
      },
    ],
    'path.loss': [0],
  },
  kept: {metrics: ['pageTimeMs', 'packetsDown', 'packetsUp']},
  mostSeeds: 2,
};

/** Tests the effect of TCP's acknowledgements and of its initial window, without loss. */
export const ACKS: PaperGrid = {
  name: 'acks',
  about:
    'no loss: TCP, TCP whose receiver acknowledges every segment, TCP with an initial window of 10 segments, and SCTP',
  base: {
    ...DEVELOPING_BASE,
    panes: [TCP_PANE, {...TCP_PANE, profile: 'classic-quickack'}, {...TCP_PANE, profile: 'classic-iw10'}, STREAMS_PANE],
    path: {rateBps: 1_000_000, loss: 0},
  },
  axes: {'path.rttMs': [HSDPA, SOUTH_ASIA, VSAT, TWO_VSAT].map(({rttMs}) => rttMs)},
  kept: {metrics: ['pageTimeMs', 'packetsUp']},
  mostSeeds: 2,
};

/** The numbers of the panes of {@link ACKS}. */
const [DELAYED, EACH, WIDE, ACKS_SCTP] = [1, 2, 3, 4] as const;

/**
 * The numbers of 16 data packets, spread over the whole page. In each cell of {@link ONE_LOSS} except the first, one of
 * them is lost.
 */
const LOST_ONE = Array.from({length: 16}, (_, i) => 4 * (i + 1));

/** Loads with a single loss. There is then only one gap, which the SACKs of both TCP and SCTP can report. */
export const ONE_LOSS: PaperGrid = {
  name: 'one-loss',
  about:
    'runs that lose one data packet, at 16 places, and a run without loss: how much of SCTP’s lead does not come from the number of reported gaps',
  base: {
    ...DEVELOPING_BASE,
    panes: [{...TCP_PANE, profile: 'reno'}, TCP_PANE, {...STREAMS_PANE, streams: 1}],
    path: {rateBps: 1_000_000, rttMs: TWO_VSAT.rttMs},
  },
  axes: {
    'path.loss.down': [[], ...LOST_ONE.map(packet => [packet])].map(packets => ({packets, applies: 'data'})),
  },
  kept: {metrics: ['pageTimeMs']},
  mostSeeds: 2,
};

/** Tests the causes of concurrent rendering: the stream scheduler and fragmentation. */
export const SCHEDULERS: PaperGrid = {
  name: 'schedulers',
  about:
    'SCTP with a round-robin scheduler, with a first-come scheduler, and with one message for each response: the causes of concurrent rendering',
  base: {
    ...DEVELOPING_BASE,
    panes: [
      TCP_PANE,
      STREAMS_PANE,
      {...STREAMS_PANE, scheduler: 'first-come'},
      {...STREAMS_PANE, fragmentation: false},
    ],
    path: {rateBps: 1_000_000, rttMs: TWO_VSAT.rttMs},
  },
  axes: {'path.loss': [0, 0.03]},
  kept: {metrics: ['pageTimeMs', 'p25PageMs', 'p50PageMs']},
  moreSeeds: JUDGED_SEEDS,
};

export const EXPLANATIONS: readonly Claim[] = [
  {
    text: 'At 0 % loss, TCP is ahead because its receiver sends extra ACKs, which open the congestion window faster',
    source: 'N07 §5, its explanation',
    rows: results =>
      results.cells('acks').flatMap(cell => {
        const behind = (pane: number): Measured => inSeconds(cell.difference(pane, EACH, 'pageTimeMs'));
        const path = `${String(cell.axes['path.rttMs'])} ms`;
        const least = leastOf(inSeconds(cell.mean(EACH, 'pageTimeMs')));
        return [
          orderRow(
            `TCP with delayed ACKs minus TCP with every segment acknowledged, ${path}`,
            'later',
            behind(DELAYED),
            's',
            least,
          ),
          orderRow(`SCTP minus TCP with every segment acknowledged, ${path}`, 'later', behind(ACKS_SCTP), 's', least),
        ];
      }),
    why: ackReasons,
  },
  {
    text: 'Under loss, SCTP is ahead because its SACKs report all gaps, whereas TCP’s report 3 to 4, and because of Multiple Fast Retransmit',
    source: 'N07 §5, its explanation',
    rows: gapRows,
    why: gapReasons,
  },
  {
    text: 'The ratio of the page times, TCP / SCTP, grows as RTT falls, because the minimum RTO of 1 s is far above a small RTT',
    source: 'N07 §5, its explanation',
    rows: results => {
      const [near, slowed, far, sped] = TIMER_PATHS.map(path => ratioOf(results, path));
      if (near === undefined || slowed === undefined || far === undefined || sped === undefined) return [];
      return [
        orderRow(
          'ratio on the 120 ms path, minus that on the same path slowed down, where the RTO is shorter relative to the RTT',
          'larger',
          minus(near, slowed),
        ),
        orderRow(
          'ratio on the 1100 ms path sped up, where the RTO is longer relative to the RTT, minus that on the path itself',
          'larger',
          minus(sped, far),
        ),
      ];
    },
    why: timerReasons,
  },
  {
    text: 'At 0 % loss, rendering is concurrent because of how the server’s writes and the stream scheduler interact',
    source: 'N07 §5, its explanation',
    rows: results =>
      [0, 0.03].map(loss => {
        const cell = results.at('schedulers', {'path.loss': loss});
        const later = inSeconds(cell.difference(3, 2, 'p25PageMs'));
        return orderRow(
          `25 %Page with a first-come scheduler minus that with round-robin, 1100 ms, 10 KB, ${lossText(loss)}`,
          'later',
          later,
          's',
          leastAt(loss, inSeconds(cell.mean(2, 'p25PageMs'))),
        );
      }),
    why: results =>
      [0, 0.03].map(loss => {
        const cell = results.at('schedulers', {'path.loss': loss});
        const texts = [1, 2, 3, 4].map(pane => measuredText(inSeconds(cell.mean(pane, 'p25PageMs')), 's'));
        return (
          `At ${lossText(loss)} loss, 25 %Page is ${texts[0]} over TCP. Over SCTP it is ${texts[1]} with a round-robin scheduler, ` +
          `${texts[2]} with a first-come scheduler, and ${texts[3]} with one message for each response.`
        );
      }),
  },
];

/**
 * Rows that compare the page times of SCTP with a single stream and of TCP with SACK. If one of the two causes that N07
 * names is right, SCTP must be sooner. But any other difference between the two stacks could have the same effect.
 */
function gapRows(results: Results): readonly Row[] {
  const rows = spots([HSDPA, TWO_VSAT], [10_000], [0.03, 0.1]).map(spot => {
    const later = inSeconds(recoveryCell(results, spot).difference(2, 4, 'pageTimeMs'));
    return orderRow(
      `follows from both causes: page time of TCP with SACK minus that of SCTP with one stream, ${spotText(spot)}`,
      'later',
      later,
      's',
    );
  });
  return [
    ...rows,
    openRow('all gaps instead of 3 to 4', 'sooner', 'no setting makes SCTP report fewer gaps, or TCP more'),
    openRow('Multiple Fast Retransmit', 'fewer timeouts', 'no setting turns it on or off'),
  ];
}

function gapReasons(results: Results): readonly string[] {
  const [none, ...places] = results.cells('one-loss');
  const sooner = (cell: Cell, first: number, second: number): Measured =>
    inSeconds(cell.difference(first, second, 'pageTimeMs'));
  const [gaps, sack] = [
    [2, 3],
    [1, 2],
  ].map(([first = 0, second = 0]) => meanOf(places.map(cell => sooner(cell, first, second))));
  if (none === undefined || gaps === undefined || sack === undefined) return [];
  const counts = spots([HSDPA, TWO_VSAT], [10_000], [0.1]).map(spot => {
    const [reno, tcp, sctp] = [1, 2, 4].map(pane =>
      measuredText(recoveryCell(results, spot).mean(pane, 'retransmitted')),
    );
    const sooner = inSeconds(recoveryCell(results, spot).difference(1, 2, 'pageTimeMs'));
    return (
      `${spotText(spot)}: TCP with SACK is ${leadText(sooner)} than TCP without SACK. The number of retransmitted data packets is ` +
      `${reno} for TCP without SACK, ${tcp} for TCP with SACK, and ${sctp} for SCTP with one stream.`
    );
  });
  const calm = sooner(none, 2, 3);
  return [
    `In these runs, at an RTT of 1100 ms, a single data packet is lost, so there is one gap to report; the numbers are means over ${places.length} ` +
      `places of the loss. SCTP with one stream is ${leadText(gaps)} than TCP with SACK. Without the loss it is ${leadText(calm)}. ` +
      `The loss adds ${measuredText(minus(gaps, calm), 's')} to the lead, which the number of reported gaps cannot explain. ` +
      `TCP with SACK is ${leadText(sack)} than TCP without SACK.`,
    ...counts,
  ];
}

const TIMER_PATHS = ['120 ms', '120 ms slowed down', '1100 ms', '1100 ms sped up'];

/**
 * A sentence with the ratios of the page times on four paths: those with the smallest and the largest RTT, and each of
 * these two, scaled to the RTT of the other.
 */
export function timerReasons(results: Results): readonly string[] {
  const texts = TIMER_PATHS.map(path => `${path} ${measuredText(ratioOf(results, path))}`);
  return [
    `The ratio of the page times, TCP / SCTP, at 10 % loss: ${texts.join(', ')}. ` +
      'A path that is slowed down or sped up differs from the original only by the effect of the timers.',
  ];
}

function ratioOf(results: Results, path: string) {
  return results.at('timers', {path}).ratio(1, 2, 'pageTimeMs');
}

/** Sentences about the effect of acknowledgements and of the initial window. */
function ackReasons(results: Results): readonly string[] {
  return results.cells('acks').map(cell => {
    const lead = (behind: number, ahead: number): string =>
      leadText(inSeconds(cell.difference(behind, ahead, 'pageTimeMs')));
    const [delayed, each] = [DELAYED, EACH].map(pane => measuredText(cell.mean(pane, 'packetsUp')));
    return (
      `${String(cell.axes['path.rttMs'])} ms: TCP with every segment acknowledged (${each} packets up instead of ${delayed}) is ` +
      `${lead(DELAYED, EACH)} than with delayed ACKs, and ${lead(ACKS_SCTP, EACH)} than SCTP. TCP with an initial window of ` +
      `10 segments is ${lead(DELAYED, WIDE)} than with the initial window of the year 2007.`
    );
  });
}

/** Sentences about the reasons why TCP and SCTP differ without loss. */
export function noLossReasons(results: Results): readonly string[] {
  const windows = results.cells('no-loss').map(cell => {
    const lead = (tcp: number, sctp: number) => inSeconds(cell.difference(tcp, sctp, 'pageTimeMs'));
    return (
      `${String(cell.axes['path'])}: SCTP is ${leadText(lead(1, 2))} than TCP with the classic profiles ` +
      `(${acks(cell)}), and ${leadText(lead(3, 4))} with the modern ones.`
    );
  });
  return [...windows, ...ackReasons(results)];
}

function acks(cell: Cell): string {
  const [tcp, sctp] = [1, 2].map(pane => measuredText(cell.mean(pane, 'packetsUp')));
  return `${tcp} packets up over TCP, ${sctp} over SCTP`;
}
