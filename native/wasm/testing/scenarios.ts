import type {Json} from '../../../app/base/json.ts';
import {PRESETS} from '../../../app/run/scenario/presets.ts';

/** A scenario as a document, with its name in tests. */
export interface NamedScenario {
  readonly name: string;
  readonly document: {readonly [key: string]: Json};
}

const SIZES = {indexBytes: 3000, objects: 8, objectBytes: 9000, headerBytes: 250, requestBytes: 200};
const SMALL = {synthetic: SIZES};
const LARGE = {synthetic: {...SIZES, objects: 60, objectBytes: 60_000}};
const PATH = {rateBps: 1_000_000, rttMs: 120, loss: 0.03};

/** One pane of each transport. */
const TRANSPORTS = [
  {pipeline: 'tcp', profile: 'modern'},
  {pipeline: 'sctp', profile: 'modern', streams: 8},
  {pipeline: 'h3', profile: 'modern'},
  {pipeline: 'udp'},
] as const;

/** Panes of every pipeline, with settings that change what the native core does. */
const PANES: Readonly<Record<string, {readonly [key: string]: Json}>> = {
  'tcp classic': {pipeline: 'tcp', profile: 'classic'},
  'tcp reno': {pipeline: 'tcp', profile: 'reno'},
  'tcp classic-quickack': {pipeline: 'tcp', profile: 'classic-quickack'},
  'tcp classic-iw10': {pipeline: 'tcp', profile: 'classic-iw10'},
  'tcp six connections with TLS': {pipeline: 'tcp', profile: 'modern', connections: 6, pipelining: false, tls: true},
  'tcp small send buffer': {pipeline: 'tcp', profile: 'modern', sendBuffer: {bytes: 8192}},
  'tcp at most two requests': {pipeline: 'tcp', profile: 'modern', pipelineDepth: 2},
  'sctp classic': {pipeline: 'sctp', profile: 'classic', streams: 8},
  'sctp reset streams': {pipeline: 'sctp', profile: 'modern', streams: 4, resetStreams: true},
  'sctp idata weighted': {pipeline: 'sctp', profile: 'modern', streams: 8, idata: true, scheduler: 'weighted'},
  'sctp first-come messages': {pipeline: 'sctp', profile: 'classic', scheduler: 'first-come', messageBytes: 1024},
  'sctp interleaving server': {pipeline: 'sctp', profile: 'modern', server: 'interleaving', fragmentation: false},
  'sctp over DTLS': {pipeline: 'sctp', profile: 'modern', tls: true},
  'h2 second visit': {pipeline: 'h2', profile: 'modern', visit: 'again'},
  'h2 with TLS': {pipeline: 'h2', profile: 'modern', tls: true},
  'h2 scan-aware': {pipeline: 'h2', profile: 'classic', scheduler: 'scan-aware'},
  'h2 first-come without TLS': {pipeline: 'h2', profile: 'modern', scheduler: 'first-come', tls: false},
  'h3 classic': {pipeline: 'h3', profile: 'classic'},
  'h3 zero RTT': {pipeline: 'h3', profile: 'modern', visit: 'again', scheduler: 'weighted'},
  'h3 large first window': {pipeline: 'h3', profile: 'modern', firstWindowPackets: 32, firstDatagramBytes: 1350},
  'h3 first-come': {pipeline: 'h3', profile: 'modern', scheduler: 'first-come'},
  udp: {pipeline: 'udp', ratePercent: 50},
  catp: {pipeline: 'catp', adapter: true, wiredLossPercent: 2},
  'catp with abstract on TCP': {pipeline: 'catp', abstract: 'tcp', frameBytes: 512},
  'catp second visit': {pipeline: 'catp', visit: 'again', abstract: 'twice'},
};

const PATHS: Readonly<Record<string, {readonly [key: string]: Json}>> = {
  'no loss': {loss: 0},
  'much loss': {loss: 0.2},
  bursts: {loss: {p: 0.02, r: 0.25}},
  'loss of data at the exit': {loss: {down: {rate: 0.05, applies: 'data', at: 'exit'}, up: {rate: 0.05}}},
  'listed losses': {loss: {packets: [2, 5, 9, 30, 31, 32]}},
  'short queue': {rateBps: 3_000_000, queuePackets: 5},
  'fast, other MTU': {rateBps: 1_000_000_000, rttMs: 3, mtuBytes: 9000},
  'other traffic': {
    queuePackets: 40,
    traffic: [
      {kind: 'tcp', direction: 'up', startMs: -2000},
      {kind: 'tcp', direction: 'down', congestion: 'reno', flows: 2, endMs: 3000},
      {kind: 'cbr', direction: 'down', rateBps: 200_000, packetBytes: 200},
    ],
  },
  CoDel: {queue: {down: {kind: 'codel', targetMs: 3}, up: {kind: 'fq_codel', flows: 4, packets: 50}}},
  'PIE and DualPI2': {queue: {down: {kind: 'pie', ms: 200}, up: {kind: 'dualpi2'}}, rateBps: 300_000},
  'delays of netem, and a policer': {
    jitter: {ms: 20, distribution: 'normal', correlation: 0.25, inOrder: false},
    reorder: {rate: 0.1, gap: 3},
    duplicate: {down: 0.05},
    policer: {down: {rateBps: 900_000, burstBytes: 20_000}},
  },
  'traces of rate and delay': {down: {trace: 'lte-driving'}, up: {trace: 'starlink', delayTrace: 'starlink'}},
  asymmetric: {rateBps: {down: 8_000_000, up: 200_000}, rttMs: {down: 10.7, up: 600.3}},
};

/** Changes of the path during a run: other losses, other rates, and a longer delay. */
const CHANGES = [
  {atMs: 300, path: {loss: 0.2}},
  {atMs: 900.25, path: {rateBps: 100_000, rttMs: 700}},
  {atMs: 2500, path: {loss: {p: 0.1, r: 0.5}, rateBps: 5_000_000}},
];

/** For each pane of {@link TRANSPORTS}: the packets that only this pane loses. */
const DROPS = [
  {down: {packets: [4, 5, 20], applies: 'data'}},
  {up: {packets: [3]}},
  {down: {packets: [8]}, up: {packets: [2], applies: 'data'}},
  {down: {packets: [0, 6]}},
] as const;

const OWN: readonly NamedScenario[] = [
  ...Object.entries(PANES).map(([name, pane]) => ({
    name,
    document: {page: SMALL, path: PATH, panes: [pane, {...pane}], seed: 11},
  })),
  ...Object.entries(PATHS).map(([name, path]) => ({
    name,
    document: {page: SMALL, path: {...PATH, ...path}, panes: [...TRANSPORTS], seed: 12},
  })),
  {name: 'changes', document: {page: SMALL, path: PATH, panes: [...TRANSPORTS], changes: CHANGES, seed: 13}},
  {
    name: 'a hand-over',
    document: {
      page: SMALL,
      path: PATH,
      panes: TRANSPORTS.slice(0, 3),
      changes: [{atMs: 400, path: {rateBps: 2_000_000, rttMs: 50, handover: {noticeMs: 100}}}],
      seed: 18,
    },
  },
  {
    name: 'drops of single panes',
    document: {
      page: SMALL,
      path: PATH,
      panes: TRANSPORTS.map((pane, i) => ({...pane, drop: DROPS[i] ?? {}})),
      seed: 17,
    },
  },
  {
    name: 'a large page',
    document: {page: LARGE, path: {...PATH, rateBps: 20_000_000, loss: 0.01}, panes: [...TRANSPORTS], seed: 14},
  },
  {
    name: 'thinking server, late objects',
    document: {page: SMALL, path: PATH, panes: [...TRANSPORTS], serverThinkMs: 40.5, discovery: 'complete', seed: 15},
  },
  {name: 'time limit', document: {page: LARGE, path: PATH, panes: [...TRANSPORTS], timeLimitMs: 4000, seed: 16}},
];

/** The scenarios whose bytes `sameBytes.test.ts` compares: those that were made for this test, then the presets. */
export const SCENARIOS: readonly NamedScenario[] = [
  ...OWN,
  ...PRESETS.map(({name, scenario}) => ({name: `preset ${name}`, document: {seed: 5, ...scenario}})),
];
