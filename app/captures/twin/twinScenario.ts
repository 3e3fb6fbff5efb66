import type {Json} from '../../base/json.ts';
import {BROWSERS, type BrowserName} from '../../browsers/list.ts';
import {CERTIFICATES, type Certificate, isShared} from '../../page/origins.ts';
import {originOf} from '../../page/url.ts';
import {pipelineOf} from '../../pipelines/index.ts';
import {SERVERS, type ServerName} from '../../servers/list.ts';
import type {CapturedExchange, CapturedLoad} from '../capturedLoad.ts';
import {fieldOf} from '../httpRead.ts';
import type {PathFit} from './pathFit.ts';
import type {PolicerFit} from './policerFit.ts';

/** What is known of a captured load. A twin is a computed load that is fitted to it. */
export interface TwinParts {
  readonly load: CapturedLoad;
  readonly page: TwinPage;
  readonly path: PathFit;
  /**
   * The think time: how long the server waits between the arrival of a request and the start of its response, ns. The
   * time that the model of the server needs anyway is not included. 0 if the think time is too short to be seen.
   */
  readonly thinkNs: number;
  readonly models: TwinModels;
}

/** The models that stand for the browser and the servers of a load. See {@link modelsOf}. */
export interface TwinModels {
  readonly browser: BrowserName;
  readonly server: ServerName;
  readonly certificate: Certificate;
}

/** The page of a twin. */
export interface TwinPage {
  /** The page as a scenario names it. */
  readonly source: Json;
  /** For each object of the page, the exchange that loaded it. Undefined if there is none. */
  readonly exchanges: readonly (number | undefined)[];
}

/** Assumptions about the path and the server. Several of them may explain a capture. */
export interface Assumed {
  readonly congestion: string;
  readonly policer: PolicerFit | null;
  /**
   * The limit of the queue in the direction from the server to the client, in packets. Null for the default limit of a
   * scenario.
   */
  readonly queuePackets: number | null;
  /** The most bytes that the server has under way at a time. Null if only the congestion window limits them. */
  readonly windowBytes: number | null;
}

/** Numbers of the packets that a twin loses in each direction. */
export interface Losses {
  readonly down: ReadonlySet<number>;
  readonly up: ReadonlySet<number>;
}

/** Returns the document of a twin's scenario. */
export function twinDocument({load, page, path, thinkNs, models}: TwinParts, assumed: Assumed, losses: Losses): Json {
  const {policer, queuePackets} = assumed;
  const down = Math.round(path.downBps);
  const up = path.upBps === null ? down : Math.round(path.upBps);
  return {
    page: page.source,
    path: {
      rateBps: up === down ? down : {down, up},
      rttMs: Math.round(path.rttNs / 1e4) / 100,
      loss: {down: listOf(losses.down), up: listOf(losses.up)},
      ...(queuePackets === null ? {} : {queuePackets: {down: queuePackets}}),
      ...(policer === null ? {} : {policer: {down: {rateBps: policer.rateBps, burstBytes: policer.burstBytes}}}),
    },
    panes: [paneOf(load, assumed, models.server)],
    ...models,
    serverThinkMs: thinkNs / 1e6,
  };
}

function listOf(numbers: ReadonlySet<number>): Json {
  return numbers.size === 0 ? 0 : {packets: [...numbers].sort((a, b) => a - b)};
}

function paneOf({pipeline, connections}: CapturedLoad, {congestion, windowBytes}: Assumed, server: ServerName): Json {
  const {settings} = pipelineOf(pipeline);
  const wanted: {readonly [key: string]: Json} = {
    profile: 'modern',
    congestion,
    tls: connections.some(({hasTls}) => hasTls),
    sendBuffer: windowBytes === null ? null : {bytes: windowBytes},
    ...(pipeline === 'tcp' && {connections: MOST_CONNECTIONS, pipelining: false}),
    ...(server.startsWith('caddy') && QUIC_GO),
  };
  const own = Object.entries(wanted).filter(([key]) => Object.hasOwn(settings, key));
  return {pipeline, ...Object.fromEntries(own)};
}

/**
 * The first window of quic-go, on which Caddy is built, has 32 packets. The model of Caddy also has this window, but
 * only for the server. The setting here applies to the client, too, which is right for Chromium: its first window is as
 * large.
 */
const QUIC_GO = {firstWindowPackets: 32} as const;

/** The most connections that browsers open to a host over HTTP/1.1. */
const MOST_CONNECTIONS = 6;

/**
 * Returns the models of the browser and of the server that the HTTP fields of the load name, and a certificate that
 * explains how hosts shared connections.
 */
export function modelsOf(load: CapturedLoad): TwinModels {
  return {browser: browserNamed(load), server: serverNamed(load), certificate: certificateOf(load)};
}

/**
 * Returns the model of the browser that the requests name. Chromium also sends Safari's name, but Chromium comes first
 * in `BROWSERS`.
 */
function browserNamed({exchanges}: CapturedLoad): BrowserName {
  const name = firstField(exchanges, 'requestFields', 'user-agent');
  const words = {firefox: /Firefox\//, chromium: /Chrom(e|ium)\//, safari: /Safari\//} as const;
  const found = BROWSERS.find(each => each.name !== 'plain' && words[each.name].test(name));
  return found?.name ?? 'plain';
}

/**
 * Returns the model of the server that the responses name. `plain` if there is none, or if it lacks the load's
 * protocol.
 */
function serverNamed({exchanges, pipeline}: CapturedLoad): ServerName {
  const name = firstField(exchanges, 'responseFields', 'server').toLowerCase();
  const found = SERVERS.find(each => each.name !== 'plain' && name.startsWith(each.name));
  const lacks = found !== undefined && pipelineOf(pipeline).lackOfServer?.(found) !== undefined;
  return found === undefined || lacks ? 'plain' : found.name;
}

/** Returns the first value of a field in the requests or responses. Empty if none has the field. */
function firstField(
  exchanges: readonly CapturedExchange[],
  of: 'requestFields' | 'responseFields',
  name: string,
): string {
  return exchanges.map(each => fieldOf(each[of], name)).find(value => value !== undefined) ?? '';
}

/** Returns a certificate that lets hosts share connections as they did in the capture. */
function certificateOf({exchanges}: CapturedLoad): Certificate {
  const firstOn = new Map<number, string>();
  const shared = exchanges.flatMap(({connection, url}) => {
    const origin = originOf(url);
    if (connection === null || origin === undefined) return [];
    const first = firstOn.get(connection) ?? origin;
    firstOn.set(connection, first);
    return [[first, origin] as const];
  });
  const found = CERTIFICATES.find(certificate => shared.every(([a, b]) => isShared(a, b, certificate)));
  return found ?? 'page';
}
