import {openRow, orderRow} from './claimRows.ts';
import {DEVELOPING_BASE, HSDPA, recoveryCell, SOUTH_ASIA, spots, spotText, TWO_VSAT, VSAT} from './developing.ts';
import type {Cell, Results} from './gridResults.ts';
import {inSeconds, type Measured, meanOf, minus} from './measured.ts';
import {leadText, lossText, measuredText} from './numberText.ts';
import {type Claim, JUDGED_SEEDS, type PaperGrid, type Row} from './paper.ts';
import {leastAt, leastOf} from './verdict.ts';

// N07's own explanations, each by runs in which one thing differs.

const [TCP_PANE, STREAMS_PANE] = DEVELOPING_BASE.panes;

/**
 * A path that is slower in all it does, RTT and serialisation alike, is the same but for the timers: nothing else in a
 * load has a time of its own.
 */
const SLOWED = TWO_VSAT.rttMs / HSDPA.rttMs;

/** Both papers' ends, and each in the time of the other. */
export const TIMERS: PaperGrid = {
  name: 'timers',
  about: 'the paths of 120 and 1100 ms, and each in the time of the other: what the timers (RTO ≥ 1 s) are worth',
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
 * Where windows limit the load, and where they never do: on 56 kbit/s and 120 ms a packet is more than the path holds.
 * Not 1100 ms: the modern profiles' first RTO of 1 s would end before an answer can be there.
 */
export const NO_LOSS: PaperGrid = {
  name: 'no-loss',
  about: 'no loss: where windows limit the load, and where the line does; profiles classic and modern',
  base: {
    ...DEVELOPING_BASE,
    panes: [TCP_PANE, STREAMS_PANE, {...TCP_PANE, profile: 'modern'}, {...STREAMS_PANE, profile: 'modern'}],
  },
  axes: {
    path: [
      {label: '850 ms, 1 Mbit/s', 'path.rttMs': VSAT.rttMs, 'path.rateBps': 1_000_000},
      {label: '350 ms, 1 Mbit/s', 'path.rttMs': SOUTH_ASIA.rttMs, 'path.rateBps': 1_000_000},
      {label: '120 ms, 56 kbit/s', 'path.rttMs': HSDPA.rttMs, 'path.rateBps': 56_000},
      // GETs, which TCP sends in full segments and SCTP one by one, take no time worth telling
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

/** No loss: what TCP's acknowledgements and its first window are worth. */
export const ACKS: PaperGrid = {
  name: 'acks',
  about: 'no loss: TCP, TCP whose receiver acknowledges every segment, TCP with a first window of 10, and SCTP',
  base: {
    ...DEVELOPING_BASE,
    panes: [TCP_PANE, {...TCP_PANE, profile: 'classic-quickack'}, {...TCP_PANE, profile: 'classic-iw10'}, STREAMS_PANE],
    path: {rateBps: 1_000_000, loss: 0},
  },
  axes: {'path.rttMs': [HSDPA, SOUTH_ASIA, VSAT, TWO_VSAT].map(({rttMs}) => rttMs)},
  kept: {metrics: ['pageTimeMs', 'packetsUp']},
  mostSeeds: 2,
};

/** The panes of {@link ACKS}. */
const [DELAYED, EACH, WIDE, ACKS_SCTP] = [1, 2, 3, 4] as const;

/** Of the data packets down, each by itself: both ends of the page, and between. */
const LOST_ONE = Array.from({length: 16}, (_, i) => 4 * (i + 1));

/** One gap is all there is to tell, which TCP's SACK tells as well as SCTP's. */
export const ONE_LOSS: PaperGrid = {
  name: 'one-loss',
  about: 'one packet of data lost, at 16 places, and none: the lead that no number of gaps explains',
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

/** What concurrency comes from. */
export const SCHEDULERS: PaperGrid = {
  name: 'schedulers',
  about:
    'SCTP with messages in turn, first come first sent, and responses as one message each: where concurrency is from',
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
    text: 'At 0 % TCP is ahead because its receiver sends extra ACKs, which open the window faster',
    source: 'N07 §5, its explanation',
    rows: results =>
      results.cells('acks').flatMap(cell => {
        const behind = (pane: number): Measured => inSeconds(cell.difference(pane, EACH, 'pageTimeMs'));
        const path = `${String(cell.axes['path.rttMs'])} ms`;
        const least = leastOf(inSeconds(cell.mean(EACH, 'pageTimeMs')));
        return [
          orderRow(
            `TCP with every other segment acknowledged, over TCP with each, ${path}`,
            'later',
            behind(DELAYED),
            's',
            least,
          ),
          orderRow(`SCTP, over TCP with each segment acknowledged, ${path}`, 'later', behind(ACKS_SCTP), 's', least),
        ];
      }),
    why: ackReasons,
  },
  {
    text: 'Under loss SCTP is ahead because its SACKs tell of all gaps, TCP’s of 3 to 4, and because of Multiple Fast Retransmit',
    source: 'N07 §5, its explanation',
    rows: gapRows,
    why: gapReasons,
  },
  {
    text: 'The ratio grows as RTT falls because the minimum RTO of 1 s is far above a small RTT',
    source: 'N07 §5, its explanation',
    rows: results => {
      const [near, slowed, far, sped] = TIMER_PATHS.map(path => ratioOf(results, path));
      if (near === undefined || slowed === undefined || far === undefined || sped === undefined) return [];
      return [
        orderRow('the 120 ms path, over itself slowed down until the RTO is short', 'larger', minus(near, slowed)),
        orderRow('the 1100 ms path sped up until the RTO is long, over itself', 'larger', minus(sped, far)),
      ];
    },
    why: timerReasons,
  },
  {
    text: 'At 0 % concurrency comes from how the server’s writes and the stream scheduler interact',
    source: 'N07 §5, its explanation',
    rows: results =>
      [0, 0.03].map(loss => {
        const cell = results.at('schedulers', {'path.loss': loss});
        const later = inSeconds(cell.difference(3, 2, 'p25PageMs'));
        return orderRow(
          `25 %Page, first come over in turn, 1100 ms, 10 KB, ${lossText(loss)}`,
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
        return `${lossText(loss)}: 25 %Page of TCP ${texts[0]}; SCTP in turn ${texts[1]}, first come ${texts[2]}, responses as one message each ${texts[3]}.`;
      }),
  },
];

/** That one stream is ahead is what both causes need; it tells neither from any other difference of the two stacks. */
function gapRows(results: Results): readonly Row[] {
  const rows = spots([HSDPA, TWO_VSAT], [10_000], [0.03, 0.1]).map(spot => {
    const later = inSeconds(recoveryCell(results, spot).difference(2, 4, 'pageTimeMs'));
    return orderRow(`what both need: TCP with SACK, over one stream of SCTP, ${spotText(spot)}`, 'later', later, 's');
  });
  return [
    ...rows,
    openRow('all gaps, not 3 to 4', 'sooner', 'no setting has SCTP tell of fewer gaps, or TCP of more'),
    openRow('Multiple Fast Retransmit', 'fewer timeouts', 'no setting turns it off or on'),
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
    return `${spotText(spot)}: TCP with SACK is ${leadText(sooner)} than without; packets with data sent again: without ${reno}, with it ${tcp}, SCTP with one stream ${sctp}.`;
  });
  const calm = sooner(none, 2, 3);
  return [
    `One packet of data lost at 1100 ms, mean over ${places.length} places, so that one gap is all there is to tell: SCTP with one ` +
      `stream is ${leadText(gaps)} than TCP with SACK, without the loss ${leadText(calm)}; what the loss adds, ` +
      `${measuredText(minus(gaps, calm), 's')}, no number of gaps explains. TCP with SACK is ${leadText(sack)} than without.`,
    ...counts,
  ];
}

const TIMER_PATHS = ['120 ms', '120 ms slowed down', '1100 ms', '1100 ms sped up'];

/** The ratios of the two paths, each in its own time and in the other's. */
export function timerReasons(results: Results): readonly string[] {
  const texts = TIMER_PATHS.map(path => `${path} ${measuredText(ratioOf(results, path))}`);
  return [`T of TCP / T of SCTP at 10 %: ${texts.join(', ')}. Slowed down or sped up, only the timers differ.`];
}

function ratioOf(results: Results, path: string) {
  return results.at('timers', {path}).ratio(1, 2, 'pageTimeMs');
}

/** What acknowledgements and the first window are worth. */
function ackReasons(results: Results): readonly string[] {
  return results.cells('acks').map(cell => {
    const lead = (behind: number, ahead: number): string =>
      leadText(inSeconds(cell.difference(behind, ahead, 'pageTimeMs')));
    const [delayed, each] = [DELAYED, EACH].map(pane => measuredText(cell.mean(pane, 'packetsUp')));
    return (
      `${String(cell.axes['path.rttMs'])} ms: with every segment acknowledged (${each} packets up, not ${delayed}) TCP is ` +
      `${lead(DELAYED, EACH)} than with delayed ACKs, and ${lead(ACKS_SCTP, EACH)} than SCTP; with a first window of 10 ` +
      `segments ${lead(DELAYED, WIDE)} than with that of 2007.`
    );
  });
}

/** Why the two differ without loss. */
export function noLossReasons(results: Results): readonly string[] {
  const windows = results.cells('no-loss').map(cell => {
    const lead = (tcp: number, sctp: number) => inSeconds(cell.difference(tcp, sctp, 'pageTimeMs'));
    return (
      `${String(cell.axes['path'])}: SCTP is ${leadText(lead(1, 2))} than TCP with classic profiles ` +
      `(${acks(cell)}), ${leadText(lead(3, 4))} with modern ones.`
    );
  });
  return [...windows, ...ackReasons(results)];
}

function acks(cell: Cell): string {
  const [tcp, sctp] = [1, 2].map(pane => measuredText(cell.mean(pane, 'packetsUp')));
  return `${tcp} packets up over TCP, ${sctp} over SCTP`;
}
