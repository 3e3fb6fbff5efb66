import type {Json} from '../../base/json.ts';
import {BETWEEN_ARRIVALS, betweenArrivalsMs} from './measures.ts';
import {JUDGED_SEEDS, type PaperGrid} from './paper.ts';

export const LOSSES = [0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.15];

/** The pages: C03's figures 11 and 12 show their silent times against loss. */
export const PAGES = [
  {page: 'text-10k', text: '10 KB, tag distance 5 frames'},
  {page: 'text-50k', text: '50 KB, tag distance 20 frames'},
] as const;

export const RTT_MS = 70;

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

export const SILENCE: PaperGrid = {
  name: 'silence',
  about: 'silent time against loss: TCP as in C03, SCTP with one stream, and today’s TCP (RTO ≥ 200 ms, RACK-TLP)',
  base: BASE,
  axes: {page: PAGES.map(({page}) => page), 'path.loss': LOSSES},
  kept: {metrics: ['pageTimeMs', 'silentMs', 'longestWaitMs', 'retransmitted']},
  moreSeeds: JUDGED_SEEDS,
};

/**
 * When TCP loses a data packet, the data behind it waits and the window is halved. This grid isolates these effects
 * from those of lost acknowledgements and handshakes: its path loses only data packets.
 */
export const DATA_LOSS: PaperGrid = {
  name: 'data-loss',
  about: 'silent time if only data packets are lost, and neither acknowledgements nor handshakes',
  base: {...BASE, path: {...BASE.path, loss: {rate: 0, applies: 'data'}}},
  axes: {page: PAGES.map(({page}) => page), 'path.loss.down.rate': [0.01, 0.1]},
  kept: {metrics: ['silentMs', 'longestWaitMs']},
  moreSeeds: JUDGED_SEEDS,
};

/** Loads over in-order UDP and CATP, and over TCP in the same cells. */
export const DATAGRAMS: PaperGrid = {
  name: 'datagrams',
  about:
    'silent time against loss: TCP, in-order UDP, CATP, and CATP that sends its abstract frame (page structure) twice',
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
  moreSeeds: JUDGED_SEEDS,
};

/** Loads over CATP alone, with the same seeds as the other grids. */
export const ARRIVALS: PaperGrid = {
  name: 'arrivals',
  about: 'the longest time between two arrivals, which is C03’s silent time of CATP',
  base: {...BASE, panes: [{pipeline: 'catp'}]},
  axes: {page: PAGES.map(({page}) => page), 'path.loss': LOSSES},
  kept: {measures: [{name: BETWEEN_ARRIVALS, of: betweenArrivalsMs}]},
  moreSeeds: JUDGED_SEEDS,
};

/** The numbers of the panes of {@link DATAGRAMS}, from 1. */
export const [TCP, UDP, CATP, CATP_TWICE] = [1, 2, 3, 4] as const;

/** The names of both measures of silent time, and of the page time, in reports. */
export const MEASURES = {
  longestWaitMs: 'longest wait for earlier data (C03’s measure)',
  silentMs: 'longest time without a change',
  pageTimeMs: 'page time',
} as const;
