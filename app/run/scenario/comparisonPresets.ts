import type {Json} from '../../base/json.ts';
import {findPipeline} from '../../pipelines/index.ts';
import {DEFAULT_PATH} from './path.ts';
import type {Preset} from './presets.ts';

type PaneDocument = {readonly pipeline: string; readonly [key: string]: Json};

/**
 * Makes a preset with the path of a paper and all pipelines that the path's MTU permits. `page` replaces the paper's
 * page, for example if that page has no pictures.
 */
export function withAllPipelines(
  paper: Preset,
  {name, title, page}: {readonly name: string; readonly title: string; readonly page?: string},
): Preset {
  const {scenario, source, varies} = paper;
  const {mtuBytes = DEFAULT_PATH.mtuBytes} = scenario['path'] as {readonly mtuBytes?: number};
  const panes = ALL_PANES.filter(({pipeline}) => (findPipeline(pipeline)?.leastMtuBytes ?? 0) <= mtuBytes);
  const why = panes.length < ALL_PANES.length ? ' HTTP/3 is left out, because QUIC needs larger packets.' : '';
  return {
    name,
    title,
    group: 'A paper’s path, all pipelines',
    source: `The path of ${paper.name}. ${source} We added the other pipelines for comparison.${why}`,
    // Only variations of the path apply, because this preset has other panes and may have another page.
    varies: varies.filter(range => range.startsWith('path.')),
    scenario: {
      ...(page === undefined ? {page: scenario['page'] ?? null} : {page}),
      path: scenario['path'] ?? null,
      panes,
      discovery: 'complete',
    },
  };
}

/**
 * Makes a preset with the transports that browsers use today, and SCTP, which they do not use, on a path of today. The
 * page, the browser and the server are like those of today, too.
 */
export function todaysWeb(path: Preset, {name, title}: {readonly name: string; readonly title: string}): Preset {
  return {
    name,
    title,
    group: 'Today’s web',
    source:
      `${path.source} Browsers open six connections to a host with HTTP/1.1. The first three panes have TLS 1.3, ` +
      'because browsers use HTTP/2 and HTTP/3 only with it. SCTP, which no browser uses for pages, has DTLS 1.3 ' +
      'as in WebRTC, and a stream for each object. Browser and server are models of Chromium 156 and Caddy 2.6 (docs/browsers.md, ' +
      'docs/servers.md). The page is ours: 60 objects of three hosts, 1 MB.',
    varies: [],
    scenario: {
      page: 'today',
      path: path.scenario['path'] ?? null,
      browser: 'chromium',
      server: 'caddy',
      panes: [
        {pipeline: 'tcp', profile: 'modern', connections: 6, pipelining: false, tls: true},
        {pipeline: 'h2', profile: 'modern'},
        {pipeline: 'h3', profile: 'modern'},
        {pipeline: 'sctp', profile: 'modern', streams: 60, tls: true},
      ],
    },
  };
}

/**
 * Each of six panes loses one packet in the middle of the pictures. This shows which objects wait, and for how long.
 */
export const ONE_LOST_PACKET: Preset = {
  name: 'one-lost-packet',
  title: 'One lost packet, six transports: 1 Mbit/s, 350 ms',
  group: 'One picture',
  source:
    'The path of n08-south-asia without its loss. We chose to lose one packet: number 40 of those with data, counted ' +
    'from 0, is in the middle of the pictures in every pane. Only HTTP/3 has TLS, because TLS is a part of QUIC.',
  varies: ['path.loss.down={"packets":[30],"applies":"data"}|{"packets":[50],"applies":"data"}'],
  scenario: {
    page: 'gallery',
    path: {
      rateBps: 1_000_000,
      rttMs: 350,
      loss: {down: {packets: [40], applies: 'data'}, up: 0},
    },
    panes: [
      {pipeline: 'tcp'},
      {pipeline: 'tcp', connections: 6, pipelining: false},
      {pipeline: 'h2', tls: false},
      {pipeline: 'h3'},
      {pipeline: 'sctp', streams: 11},
      {pipeline: 'catp'},
    ],
    discovery: 'complete',
  },
};

/**
 * {@link ONE_LOST_PACKET} with two panes. The lost packet stops all later pictures over HTTP/2, and one picture over
 * SCTP.
 */
export const ONE_LOST_PACKET_IN_SHORT: Json = {
  ...ONE_LOST_PACKET.scenario,
  panes: [
    {pipeline: 'h2', tls: false},
    {pipeline: 'sctp', streams: 11},
  ],
};

/** Two panes: one with the gateway that the paper N07 (§6) proposes, and one without it. */
export const THROUGH_A_GATEWAY: Preset = {
  name: 'through-a-gateway',
  title: 'As served, and through a gateway: 1 Mbit/s, 350 ms, 3 % loss',
  group: 'A gateway on the way',
  source:
    'Natarajan, Amer, Stewart: TR 2007-342 (N07) §6 proposes gateways that make pictures progressive. The path is ' +
    'that of n08-south-asia, with SCTP in both panes. We chose baseline JPEGs of 10 KB, because most JPEGs are ' +
    'served as baseline.',
  varies: ['panes.1.conversion=progressive|webp|avif', 'path.loss=0 … 0.1'],
  scenario: {
    page: 'gallery-baseline',
    path: {rateBps: 1_000_000, rttMs: 350, loss: 0.03},
    panes: [
      {pipeline: 'sctp', streams: 11},
      {pipeline: 'sctp', streams: 11, conversion: 'progressive'},
    ],
    discovery: 'complete',
  },
};

const ALL_PANES: readonly PaneDocument[] = [
  {pipeline: 'tcp'},
  {pipeline: 'sctp', streams: 11},
  {pipeline: 'h2'},
  {pipeline: 'h3'},
  {pipeline: 'udp'},
  {pipeline: 'catp'},
];
