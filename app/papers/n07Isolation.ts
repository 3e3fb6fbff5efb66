import {DEVELOPING_BASE, HSDPA, SOUTH_ASIA, TWO_VSAT, VSAT} from './developing.ts';
import {inSeconds, minus} from './measured.ts';
import type {Claim, PaperGrid} from './paper.ts';
import type {Cell, Results} from './results.ts';
import {openRow, orderRow} from './rows.ts';
import {leadText, lossText, measuredText} from './words.ts';

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
  about:
    'the paths of 120 and 1100 ms, and each in the time of the other: what the timers (RTO ≥ 1 s) are worth',
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
    ],
    'path.loss': [0],
  },
  kept: {metrics: ['pageTimeMs', 'packetsDown', 'packetsUp']},
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
};

export const EXPLANATIONS: readonly Claim[] = [
  {
    text: 'At 0 % TCP is ahead because its receiver sends extra ACKs, which open the window faster',
    source: 'N07 §5.1, its explanation',
    rows: () => [
      openRow(
        'extra ACKs',
        'window updates',
        'our TCP sends none, and no setting makes it: windows are all that is told',
      ),
    ],
    why: noLossReasons,
  },
  {
    text: 'Under loss SCTP is ahead because its SACKs tell of all gaps, TCP’s of 3 to 4',
    source: 'N07 §5.1, its explanation',
    rows: results =>
      [HSDPA, TWO_VSAT].flatMap(({rttMs}) =>
        [0.03, 0.1].flatMap(loss => {
          const cell = results.at('recovery', {
            ...{'path.rttMs': rttMs, 'page.synthetic.objectBytes': 10_000, 'path.loss': loss},
          });
          const at = `${rttMs} ms, 10 KB, ${lossText(loss)}`;
          return [
            orderRow(
              `no gaps told over three, ${at}`,
              'later',
              inSeconds(cell.difference(1, 2, 'pageTimeMs')),
              's',
            ),
            orderRow(
              `three gaps over all (one stream), ${at}`,
              'later',
              inSeconds(cell.difference(2, 4, 'pageTimeMs')),
              's',
            ),
          ];
        }),
      ),
    why: results => [
      ...[HSDPA, TWO_VSAT].map(({rttMs}) => {
        const cell = results.at('recovery', {
          ...{'path.rttMs': rttMs, 'page.synthetic.objectBytes': 10_000, 'path.loss': 0.1},
        });
        const counts = [1, 2, 4].map(pane => measuredText(cell.mean(pane, 'retransmitted')));
        return `${rttMs} ms, 10 KB, 10 %: packets with data sent again: TCP without SACK ${counts[0]}, with it ${counts[1]}, SCTP with one stream ${counts[2]}.`;
      }),
      'TCP and SCTP of one stream differ in more than the number of gaps: in how ACKs open the window, in bursts and in fast retransmits. No setting separates these.',
    ],
  },
  {
    text: 'The ratio grows as RTT falls because the minimum RTO of 1 s is far above a small RTT',
    source: 'N07 §5.1, its explanation',
    rows: results => {
      const [near, slowed, far, sped] = TIMER_PATHS.map(path => ratioOf(results, path));
      if (near === undefined || slowed === undefined || far === undefined || sped === undefined) return [];
      return [
        orderRow(
          'the 120 ms path, over itself slowed down until the RTO is short',
          'larger',
          minus(near, slowed),
        ),
        orderRow('the 1100 ms path sped up until the RTO is long, over itself', 'larger', minus(sped, far)),
      ];
    },
    why: results => {
      const texts = TIMER_PATHS.map(path => `${path} ${measuredText(ratioOf(results, path))}`);
      return [
        `T of TCP / T of SCTP at 10 %: ${texts.join(', ')}. Slowed down or sped up, only the timers differ.`,
      ];
    },
  },
  {
    text: 'At 0 % concurrency comes from how the server’s writes and the stream scheduler interact',
    source: 'N07 §5.2, its explanation',
    rows: results =>
      [0, 0.03].map(loss => {
        const cell = results.at('schedulers', {'path.loss': loss});
        const later = inSeconds(cell.difference(3, 2, 'p25PageMs'));
        return orderRow(
          `25 %Page, first come over in turn, 1100 ms, 10 KB, ${lossText(loss)}`,
          'later',
          later,
          's',
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

const TIMER_PATHS = ['120 ms', '120 ms slowed down', '1100 ms', '1100 ms sped up'];

function ratioOf(results: Results, path: string) {
  return results.at('timers', {path}).ratio(1, 2, 'pageTimeMs');
}

/** Why the two differ without loss. */
export function noLossReasons(results: Results): readonly string[] {
  return results.cells('no-loss').map(cell => {
    const lead = (tcp: number, sctp: number) => inSeconds(cell.difference(tcp, sctp, 'pageTimeMs'));
    return (
      `${String(cell.axes['path'])}: SCTP is ${leadText(lead(1, 2))} than TCP with classic profiles ` +
      `(${acks(cell)}), ${leadText(lead(3, 4))} with modern ones.`
    );
  });
}

function acks(cell: Cell): string {
  const [tcp, sctp] = [1, 2].map(pane => measuredText(cell.mean(pane, 'packetsUp')));
  return `${tcp} packets up over TCP, ${sctp} over SCTP`;
}
