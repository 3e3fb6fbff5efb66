import type {Json} from '../../base/json.ts';
import {firstAbove} from '../../base/order.ts';
import {BROWSERS, type BrowserName} from '../../browsers/list.ts';
import type {Certificate} from '../../page/origins.ts';
import {pipelineOf} from '../../pipelines/index.ts';
import {parseScenario, type Scenario} from '../../run/scenario/scenario.ts';
import {DIRECTION, PACKET_KIND} from '../../run/trace/columns.ts';
import {queuesOf} from '../../run/trace/queue.ts';
import {Trace} from '../../run/trace/trace.ts';
import type {TraceData} from '../../run/trace/traceData.ts';
import {sentOf} from '../../run/why/sentData.ts';
import {SERVERS, type ServerName} from '../../servers/list.ts';
import type {CapturedLoad} from '../capturedLoad.ts';
import {type LostData, lostData} from './lostData.ts';
import {fitPath, type PathFit} from './pathFit.ts';
import {type PolicerFit, policersNear, policersToTry} from './policerFit.ts';
import {fitThinkTime, fitWindow, type ServerFit, windowsToTry} from './serverFit.ts';

/** What a twin is made of besides the capture. */
export interface TwinPage {
  /** The page as a scenario names it. */
  readonly source: Json;
  /** The address of each object of the page, in its order. */
  readonly addresses: readonly string[];
}

/** A computed load that stands for a captured one. */
export interface Twin {
  readonly scenario: Scenario;
  readonly trace: Trace;
  readonly path: PathFit;
  readonly server: ServerFit;
  readonly policer: PolicerFit | null;
  readonly queue: QueueFit;
  /** The losses that the capture shows. */
  readonly lost: readonly LostData[];
  /** Those that the twin has, too. A policer or a queue makes its own. */
  readonly placed: number;
}

/** The queue of the way down. */
export interface QueueFit {
  /** The limit that explains the losses. Null if no limit does. */
  readonly packets: number | null;
  /** The most packets that waited in the twin, so that the limit is at least as large. */
  readonly leastPackets: number;
}

export type FittedTwin = {readonly ok: true; readonly twin: Twin} | {readonly ok: false; readonly message: string};

/**
 * Fits a scenario to a captured load. The path, the server and the losses come from the packets; the browser and the
 * server are the models that the fields of the messages name. Losses are placed one after the other: the twin loses the
 * packet that carries the same data, because its packets have other numbers. `compute` loads the page; the result of its
 * only pane counts.
 */
export function fitTwin(load: CapturedLoad, page: TwinPage, compute: (scenario: Scenario) => TraceData): FittedTwin {
  if (load.seenAt !== 'client') return refused('a twin needs packets that were captured at the client');
  const path = fitPath(load);
  if (path === undefined || path.downBps === null)
    return refused('a twin needs packets: the capture has too few to fit the rate and the RTT of the path');
  const thinkNs = fitThinkTime(load, path);
  const lost = lostData(load, path.rttNs, thinkNs);
  // losses reduce the congestion window, which then limits the connection
  const hasLosses = lost.filter(({direction}) => direction === 'down').length > FEW_LOSSES;
  const server = {thinkNs, windowBytes: hasLosses ? null : fitWindow(load, path)};
  const parts = {load, page, path, server, policer: null, queuePackets: null};
  const bestWith = (dropped: readonly Dropped[], losses: readonly LostData[]): Tried | string | undefined =>
    bestOf(
      dropped.flatMap(each =>
        CONGESTIONS.map(congestion => placedLosses({...parts, ...each}, congestion, losses, compute)),
      ),
    );
  const up = upOf(lost);
  const roughly = bestWith(policersToTry(load.packets, lost, path.downBps).map(policedBy), up);
  const near = typeof roughly === 'object' && roughly.policer !== null ? policersNear(roughly.policer) : [];
  const policed = bestOf([roughly, bestWith(near.map(policedBy), up)]);
  const plain = bestWith([NOTHING_DROPPED], up);
  const limits = typeof plain === 'object' ? queuesToTry(plain.trace, lost, parts) : [];
  if (typeof policed === 'string' || typeof plain === 'string') return refused(`${policed ?? plain}`);
  const shareOf = (tried: Tried | undefined): number => (tried ? sameShare(tried.trace, lost, parts) : 0);
  let [full, fullShare]: [Tried | undefined, number] = [undefined, SAME_SHARE];
  for (const queuePackets of limits) {
    const tried = bestWith([{policer: null, queuePackets}], up);
    if (typeof tried === 'object' && shareOf(tried) > fullShare) [full, fullShare] = [tried, shareOf(tried)];
  }
  const isFull = full !== undefined && fullShare > shareOf(policed) && full.misfit <= (policed?.misfit ?? full.misfit);
  const explained = isFull ? full : policed;
  const isClear = explained !== undefined && explained.misfit < CLEAR_MISFIT;
  const unlimited = bestOf([explained, isClear ? undefined : bestWith([NOTHING_DROPPED], lost)]);
  const best = withWindow(unlimited, parts, lost, compute);
  if (best === undefined || typeof best === 'string') return refused(best ?? 'no congestion control was tried');
  const {scenario, trace, placed, policer, queuePackets, windowBytes} = best;
  const queue = {packets: queuePackets, leastPackets: mostQueued(trace)};
  return {ok: true, twin: {scenario, trace, path, server: {thinkNs, windowBytes}, policer, queue, lost, placed}};
}

/**
 * The same load with a window that limits the server, if this makes it much closer to the capture. Losses by a policer or
 * a queue explain a slow load already.
 */
function withWindow(
  best: Tried | string | undefined,
  parts: Parts,
  lost: readonly LostData[],
  compute: (scenario: Scenario) => TraceData,
): Tried | string | undefined {
  if (typeof best !== 'object' || best.policer !== null || best.queuePackets !== null) return best;
  if (best.windowBytes !== null || best.misfit < LOOSE_MISFIT) return best;
  const limited = bestOf(
    windowsToTry(parts.load, parts.path).map(windowBytes =>
      placedLosses({...parts, server: {...parts.server, windowBytes}}, best.congestion, lost, compute),
    ),
  );
  return typeof limited === 'object' && limited.misfit < best.misfit * MUCH_CLOSER ? limited : best;
}

/** A load that is so far from the capture may be limited by a window. */
const LOOSE_MISFIT = 0.15;
const MUCH_CLOSER = 0.7;

/** What drops packets of the way down besides the losses of a list. */
interface Dropped {
  readonly policer: PolicerFit | null;
  /** The limit of the queue. Null for a queue that never overflows. */
  readonly queuePackets: number | null;
}

const NOTHING_DROPPED: Dropped = {policer: null, queuePackets: null};

function policedBy(policer: PolicerFit): Dropped {
  return {policer, queuePackets: null};
}

/**
 * Limits of the queue that could explain the losses: near the number of packets that wait in the twin when it sends the
 * data that were lost first. Empty if fewer packets are lost, or wait, than a full queue would have.
 */
function queuesToTry(trace: Trace, lost: readonly LostData[], parts: Parts): readonly number[] {
  const down = lost.filter(({direction}) => direction === 'down');
  const queue = queuesOf(trace)?.down;
  const rows = down.flatMap(each => packetOf(trace, each, parts) ?? []);
  const row = rows.reduce((least, each) => Math.min(least, each), trace.data.packets.sentNs.length);
  if (down.length < FEWEST_OVERFLOWS || queue === undefined || rows.length === 0) return [];
  const at = firstAbove(queue.atNs, trace.data.packets.sentNs[row] ?? 0) - 1;
  const waiting = queue.packets[0]?.[at] ?? 0;
  if (waiting < SHORTEST_QUEUE) return [];
  return [...new Set(QUEUE_FACTORS.map(factor => Math.round(waiting * factor)))];
}

/** How much of the data that a twin or the capture lost on the way down is nearly what the other lost, 0 to 1. */
function sameShare(trace: Trace, lost: readonly LostData[], {load, page}: Parts): number {
  const down = lost.filter(({direction}) => direction === 'down');
  const same = down.filter(({exchange, offset}) => {
    const object = page.addresses.indexOf(load.exchanges[exchange ?? -1]?.url ?? '');
    return sentOf(trace, 'down', object).ranges.some(
      each =>
        each.arrivedNs === Number.POSITIVE_INFINITY &&
        each.offset <= offset + NEAR_BYTES &&
        offset < each.offset + each.bytes + NEAR_BYTES,
    );
  });
  const {packets} = trace.data;
  const dropped = trace.droppedPackets().filter(row => packets.direction[row] === DIRECTION.down);
  return same.length / Math.max(1, down.length, dropped.length);
}

/** A full queue explains losses only if it loses as much of the same data. */
const SAME_SHARE = 0.5;
/** A queue that is a packet longer loses the packets beside. */
const NEAR_BYTES = 3000;

/** The most packets that waited in the queue of the way down. */
function mostQueued(trace: Trace): number {
  return queuesOf(trace)?.down.packets[0]?.reduce((most, each) => Math.max(most, each), 0) ?? 0;
}

const FEWEST_OVERFLOWS = 3;
const SHORTEST_QUEUE = 4;
const QUEUE_FACTORS = [0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1];

/** The load that is closest to the capture, or the first message. Undefined if there is none. */
function bestOf(tried: readonly (Tried | string | undefined)[]): Tried | string | undefined {
  let best: Tried | undefined;
  for (const each of tried) {
    if (typeof each === 'string') return each;
    if (each === undefined) continue;
    if (best === undefined || each.misfit < best.misfit) best = each;
  }
  return best;
}

/** A policer or a queue that explains the times so well makes other explanations needless. */
const CLEAR_MISFIT = 0.1;
/** With more losses, a plateau is no sign of a window. */
const FEW_LOSSES = 1;

/** The congestion controls that servers of today use. The one whose load is closer to the capture counts. */
const CONGESTIONS = ['cubic', 'bbr'] as const;

function refused(message: string): FittedTwin {
  return {ok: false, message};
}

function upOf(lost: readonly LostData[]): readonly LostData[] {
  return lost.filter(({direction}) => direction === 'up');
}

interface Parts extends Dropped {
  readonly load: CapturedLoad;
  readonly page: TwinPage;
  readonly path: PathFit;
  readonly server: ServerFit;
}

interface Tried extends Dropped {
  readonly scenario: Scenario;
  readonly trace: Trace;
  readonly placed: number;
  readonly congestion: string;
  readonly windowBytes: number | null;
  /** How far the completion times are from those of the capture. */
  readonly misfit: number;
}

/** Numbers of the packets that the twin loses in each direction. */
interface Losses {
  readonly down: ReadonlySet<number>;
  readonly up: ReadonlySet<number>;
}

/** Loads the page with each loss placed. Returns a message if the scenario is not valid. */
function placedLosses(
  parts: Parts,
  congestion: string,
  lost: readonly LostData[],
  compute: (scenario: Scenario) => TraceData,
): Tried | string {
  const numbers = {down: new Set<number>(), up: new Set<number>()};
  const loaded = (): {readonly scenario: Scenario; readonly trace: Trace} | string => {
    const parsed = parseScenario(documentOf(parts, congestion, numbers));
    if (!parsed.ok) return parsed.problems[0]?.message ?? 'the twin is no valid scenario';
    return {scenario: parsed.scenario, trace: new Trace(compute(parsed.scenario))};
  };
  let now = loaded();
  let pending: readonly Pending[] = lost.slice(0, MOST_LOSSES).map(each => ({lost: each, left: each.copies}));
  const placed = new Set<LostData>();
  while (typeof now === 'object') {
    const next = earliest(now.trace, pending, parts);
    if (next === undefined) break;
    const {row, each} = next;
    // packets before it stay the same, so its number stays the same
    numbers[each.lost.direction].add(numberOf(now.trace, row));
    placed.add(each.lost);
    now = loaded();
    if (typeof now === 'string') break;
    const after = {...each, before: each.before ?? row, left: each.left - 1};
    const isOver = after.left <= 0 && !isRepairedLater(now.trace, after, parts);
    pending = pending.flatMap(other => (other !== each ? [other] : isOver || after.left < -MOST_COPIES ? [] : [after]));
  }
  if (typeof now === 'string') return now;
  const {policer, queuePackets, server} = parts;
  const {windowBytes} = server;
  return {
    ...now,
    placed: placed.size,
    policer,
    queuePackets,
    congestion,
    windowBytes,
    misfit: misfitOf(now.trace, parts),
  };
}

/** A loss that is not placed yet, or not all of its copies. */
interface Pending {
  readonly lost: LostData;
  /** How many copies are still to be lost. 0 or less if only the time of the repair can tell. */
  readonly left: number;
  /** The packet of the twin that was lost first. Absent if none was. */
  readonly before?: number;
}

/** The loss that the twin comes to first, and the packet with its data. Undefined if there is none. */
function earliest(trace: Trace, pending: readonly Pending[], parts: Parts) {
  let first: {readonly row: number; readonly each: Pending} | undefined;
  for (const each of pending) {
    const row = packetOf(trace, each.lost, parts);
    if (row !== undefined && (first === undefined || row < first.row)) first = {row, each};
  }
  return first;
}

/** More losses than this take too long to place. */
const MOST_LOSSES = 400;
/** How often the same data may be lost more often than the capture shows. */
const MOST_COPIES = 4;

/** The packet of the twin that brings lost data of the capture. Undefined if it has none. */
function packetOf(trace: Trace, lost: LostData, {load, page}: Parts): number | undefined {
  const {direction, exchange, offset, connection, first, isSetUp} = lost;
  if (exchange !== null) {
    const object = page.addresses.indexOf(load.exchanges[exchange]?.url ?? '');
    const {ranges} = sentOf(trace, direction, object);
    const range = ranges.find(
      each => each.arrivedNs !== Number.POSITIVE_INFINITY && each.offset <= offset && offset < each.offset + each.bytes,
    );
    return range?.packet;
  }
  const {packets, chunks, connections} = trace.data;
  const ends = connections[connection];
  const sender = direction === 'down' ? ends?.server : ends?.client;
  const isDropped = new Set(trace.droppedPackets());
  if (isSetUp) {
    const opening = packets.endpoint.findIndex(
      (endpoint, row) => endpoint === sender && packets.kind[row] === PACKET_KIND.setUp && !isDropped.has(row),
    );
    return opening < 0 ? undefined : opening;
  }
  // data of handshakes have the same places in both streams
  const row = chunks.packet.findIndex((packet, chunk) => {
    const [from = 0, bytes = 0] = [chunks.first[chunk], chunks.bytes[chunk]];
    return packets.endpoint[packet] === sender && !isDropped.has(packet) && from <= first && first < from + bytes;
  });
  return row < 0 ? undefined : chunks.packet[row];
}

/** The number of a packet among all of its direction, as lists of losses count. */
function numberOf({data: {packets}}: Trace, row: number): number {
  let number = 0;
  for (let each = 0; each < row; each++) if (packets.direction[each] === packets.direction[row]) number++;
  return number;
}

/**
 * Whether the capture repaired data from the server so much later than the twin that the repetition was lost, too. A
 * client sees each packet that it sends again itself.
 */
function isRepairedLater(trace: Trace, {lost, before}: Pending, parts: Parts): boolean {
  const {packets} = trace.data;
  const row = packetOf(trace, lost, parts);
  if (lost.direction === 'up' || row === undefined || before === undefined) return false;
  const {rttNs} = parts.path;
  const twinNs = (packets.fateNs[row] ?? 0) - (packets.sentNs[before] ?? 0) - rttNs / 2;
  return lost.repairedNs - lost.seenNs > twinNs + rttNs * LATER;
}

const LATER = 0.75;

/** The distance of the completion times, as logarithms of their ratios: the mean of all objects, and that of the last. */
function misfitOf(trace: Trace, {load, page}: Parts): number {
  const startNs = firstPacketNs(trace);
  const pairs = load.exchanges.flatMap(({url, completeNs}) => {
    const {completeNs: own = null} = trace.objects[page.addresses.indexOf(url)] ?? {};
    return own === null || completeNs === null || own <= startNs || completeNs <= 0
      ? []
      : [[completeNs, own - startNs]];
  });
  if (pairs.length === 0) return Number.POSITIVE_INFINITY;
  const distance = ([a = 1, b = 1]: readonly number[]): number => Math.abs(Math.log(b / a));
  const lasts = [0, 1].map(side => pairs.reduce((last, pair) => Math.max(last, pair[side] ?? 0), 0));
  return distance(lasts) + pairs.reduce((sum, pair) => sum + distance(pair), 0) / pairs.length;
}

/** When a computed load sent its first packet, which is time 0 of a capture. */
export function firstPacketNs({data}: Trace): number {
  return data.packets.sentNs[0] ?? 0;
}

/** The scenario of a twin with these losses. */
function documentOf(
  {load, page, path, server, policer, queuePackets}: Parts,
  congestion: string,
  losses: Losses,
): Json {
  const down = Math.round(path.downBps ?? 0);
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
    panes: [paneOf(load, server, congestion)],
    browser: browserNamed(load),
    server: serverNamed(load),
    certificate: certificateOf(load),
    serverThinkMs: server.thinkNs / 1e6,
  };
}

function listOf(numbers: ReadonlySet<number>): Json {
  return numbers.size === 0 ? 0 : {packets: [...numbers].sort((a, b) => a - b)};
}

function paneOf(load: CapturedLoad, {windowBytes}: ServerFit, congestion: string): Json {
  const {settings} = pipelineOf(load.pipeline);
  const hasTls = load.connections.some(each => each.hasTls);
  const wanted: {readonly [key: string]: Json} = {
    profile: 'modern',
    congestion,
    tls: hasTls,
    sendBuffer: windowBytes === null ? null : {bytes: windowBytes},
    ...(load.pipeline === 'tcp' && {connections: MOST_CONNECTIONS, pipelining: false}),
    ...(serverNamed(load).startsWith('caddy') && QUIC_GO),
  };
  const own = Object.entries(wanted).filter(([key]) => Object.hasOwn(settings, key));
  return {pipeline: load.pipeline, ...Object.fromEntries(own)};
}

/** What quic-go, on which Caddy is built, does over HTTP/3: no dynamic table of QPACK, and a first window of 32 packets. */
const QUIC_GO = {qpackTableBytes: 0, firstWindowPackets: 32} as const;

/** Browsers open at most so many connections to a host over HTTP/1.1. */
const MOST_CONNECTIONS = 6;

/** The model of the browser that the requests name. Safari's name is in those of Chromium, too. */
function browserNamed({exchanges}: CapturedLoad): BrowserName {
  const [name = ''] = exchanges.flatMap(({requestFields}) => fieldValues(requestFields, 'user-agent'));
  const words = {firefox: /Firefox\//, chromium: /Chrom(e|ium)\//, safari: /Safari\//} as const;
  const found = BROWSERS.find(each => each.name !== 'plain' && words[each.name].test(name));
  return found?.name ?? 'plain';
}

/** The model of the server that the responses name. */
function serverNamed({exchanges}: CapturedLoad): ServerName {
  const names = exchanges.flatMap(({responseFields}) => fieldValues(responseFields, 'server'));
  const name = names[0]?.toLowerCase() ?? '';
  return SERVERS.find(each => each.name !== 'plain' && name.startsWith(each.name))?.name ?? 'plain';
}

function fieldValues(fields: CapturedLoad['exchanges'][number]['requestFields'], name: string): readonly string[] {
  return fields.flatMap(([own, value]) => (own === name ? [value] : []));
}

/** Which hosts share connections: those of one site, all, or none. */
function certificateOf({exchanges}: CapturedLoad): Certificate {
  const hosts = new Map<number, string>();
  let certificate: Certificate = 'host';
  for (const {connection, url} of exchanges) {
    if (connection === null) continue;
    const host = /^[a-z]+:\/\/([^/:]*)/.exec(url)?.[1] ?? '';
    const known = hosts.get(connection) ?? host;
    hosts.set(connection, known);
    if (known === host) continue;
    if (siteOf(known) !== siteOf(host)) return 'page';
    certificate = 'site';
  }
  return certificate;
}

function siteOf(host: string): string {
  return host.split('.').slice(-2).join('.');
}
