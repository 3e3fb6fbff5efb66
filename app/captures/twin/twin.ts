import {firstAbove} from '../../base/order.ts';
import {pipelineOf} from '../../pipelines/index.ts';
import {parseScenario, type Scenario} from '../../run/scenario/scenario.ts';
import {DIRECTION} from '../../run/trace/columns.ts';
import {queuesOf} from '../../run/trace/queue.ts';
import type {Trace} from '../../run/trace/trace.ts';
import type {TraceData} from '../../run/trace/traceData.ts';
import {sentOf} from '../../run/why/sentData.ts';
import {type ServerName, serverOf} from '../../servers/list.ts';
import type {CapturedLoad} from '../capturedLoad.ts';
import {type LostData, lostData, lostOn} from './lostData.ts';
import {fitPath, type PathFit} from './pathFit.ts';
import {type PlacedTwin, packetOf, placedTwin, type TwinLoader} from './placedTwin.ts';
import {policersNear, policersToTry} from './policerFit.ts';
import {fitThinkTime, fitWindow, windowsToTry} from './serverFit.ts';
import {type Assumed, modelsOf, type TwinPage, type TwinParts, twinDocument} from './twinScenario.ts';

/** A computed load that is fitted to a captured load, to explain where the time of the captured load went. */
export interface Twin extends PlacedTwin {
  readonly path: PathFit;
  /** See `TwinParts.thinkNs`. */
  readonly thinkNs: number;
  /** The most packets that waited in the queue of the way down. The limit of the queue is at least as large. */
  readonly leastQueuePackets: number;
  /** The losses that the capture shows. */
  readonly lost: readonly LostData[];
}

export type FittedTwin = {readonly ok: true; readonly twin: Twin} | {readonly ok: false; readonly message: string};

/**
 * Fits a scenario to a captured load. The path, the think time and the losses come from the packets. The twin has the
 * models of the browser and the server that the HTTP fields of the messages name. Losses are placed one after the
 * other. Each of them is placed on the packet of the twin that carries the same data, because the packets of a twin
 * have other numbers than those of the capture. If several assumptions could explain the capture, the page is loaded
 * with each of them, and the closest load counts. `compute` loads the page of a scenario with one pane.
 */
export function fitTwin(load: CapturedLoad, page: TwinPage, compute: (scenario: Scenario) => TraceData): FittedTwin {
  const unsuitable = whyNoTwin(load);
  if (unsuitable !== undefined) return refused(unsuitable);
  const path = fitPath(load);
  if (path === undefined)
    return refused('a twin needs packets: the capture has too few to fit the rate and the RTT of the path');
  const models = modelsOf(load);
  const thinkNs = fitThinkTime(load, path, ownNs(models.server, load.pipeline));
  const lost = lostData(load, path.rttNs, thinkNs);
  const down = lostOn(lost, 'down');
  // after losses, the reduced congestion window limits the connection
  const windowBytes = down.length > FEW_LOSSES ? null : fitWindow(load, path);
  const loader = {load, page, path, thinkNs, models, compute};
  const problem = problemOf(loader, {...NOTHING_ASSUMED, windowBytes});
  if (problem !== undefined) return refused(problem);
  const closest = explained(loader, {...NOTHING_ASSUMED, windowBytes}, lost, down);
  const twin = withWindow(loader, closest, lost);
  return {ok: true, twin: {...twin, path, thinkNs, leastQueuePackets: mostQueued(twin.trace), lost}};
}

/** Returns the time that the model of a server needs until it can write a response, besides the think time, ns. */
function ownNs(name: ServerName, pipeline: CapturedLoad['pipeline']): number {
  const {h2, h3} = serverOf(name);
  if (pipeline === 'h3') return h3?.starts?.afterNs ?? 0;
  return pipeline === 'h2' ? (h2?.handlers?.headNs ?? 0) : 0;
}

/** Returns why no twin can stand for a load of this kind. Undefined if one can. */
function whyNoTwin({pipeline, packets, seenAt}: CapturedLoad): string | undefined {
  if (packets.length === 0) return 'a twin needs packets, and the capture has none';
  if (pipelineOf(pipeline).numbers !== 'byte')
    return 'a twin needs a load over TCP or QUIC: losses of other transports cannot be placed';
  return seenAt === 'client' ? undefined : 'a twin needs packets that were captured at the client';
}

function refused(message: string): FittedTwin {
  return {ok: false, message};
}

/** Returns why the fitted values are not a valid scenario. Undefined if they are. */
function problemOf(parts: TwinParts, assumed: Assumed): string | undefined {
  const none = new Set<number>();
  const parsed = parseScenario(twinDocument(parts, assumed, {down: none, up: none}));
  return parsed.ok ? undefined : `no twin can be loaded: ${parsed.problems[0]?.message}`;
}

const NOTHING_ASSUMED: Assumed = {congestion: 'cubic', policer: null, queuePackets: null, windowBytes: null};

/** The most losses with which {@link fitWindow} is used. */
const FEW_LOSSES = 1;

/** The congestion controls that servers of today use. The twin gets the one whose load is closer to the capture. */
const CONGESTIONS = ['cubic', 'bbr'] as const;

/**
 * Returns the load that explains the losses best: with a policer, with a full queue, or with a list of lost packets.
 */
function explained(
  loader: TwinLoader,
  assumed: Assumed,
  lost: readonly LostData[],
  down: readonly LostData[],
): PlacedTwin {
  const up = lostOn(lost, 'up');
  const withEach = (losses: readonly LostData[], more: Partial<Assumed> = {}): readonly PlacedTwin[] =>
    CONGESTIONS.map(congestion => placedTwin(loader, {...assumed, ...more, congestion}, losses));
  const [first, ...others] = withEach(up);
  if (first === undefined) throw new RangeError('no congestion control is tried');
  const plain = closestOf([first, ...others]) ?? first;
  if (down.length === 0) return plain;
  const {load, path} = loader;
  const roughly = closestOf(
    policersToTry(load.packets, down, path.downBps).flatMap(policer => withEach(up, {policer})),
  );
  const near = roughly?.assumed.policer ? policersNear(roughly.assumed.policer) : [];
  const policed = closestOf([...(roughly ? [roughly] : []), ...near.flatMap(policer => withEach(up, {policer}))]);
  const withShare = (twin: PlacedTwin): Shared => ({twin, share: sameShare(twin.trace, down, loader)});
  const full = queuesToTry(plain.trace, down, loader)
    .map(queuePackets => withShare(closestOf(withEach(up, {queuePackets})) ?? plain))
    .reduce<Shared | undefined>((best, each) => (best && best.share >= each.share ? best : each), undefined);
  const isFull =
    full !== undefined && full.share > SAME_SHARE && (policed === undefined || isBetter(full, withShare(policed)));
  const dropped = isFull ? full.twin : policed;
  if (dropped !== undefined && dropped.misfit < CLEAR_MISFIT) return dropped;
  return closestOf([...(dropped ? [dropped] : []), ...withEach(lost)]) ?? plain;
}

/**
 * Whether a full queue explains the losses better than a policer: its losses have more in common with those of the
 * capture, and its times are at least as close to those of the capture.
 */
function isBetter(full: Shared, policed: Shared): boolean {
  return full.share > policed.share && full.twin.misfit <= policed.twin.misfit;
}

/** A load, and its {@link sameShare}. */
interface Shared {
  readonly twin: PlacedTwin;
  readonly share: number;
}

/** Returns the load that is closest to the capture. Undefined if there are no loads. */
function closestOf(twins: readonly PlacedTwin[]): PlacedTwin | undefined {
  return twins.reduce<PlacedTwin | undefined>(
    (best, each) => (best !== undefined && best.misfit <= each.misfit ? best : each),
    undefined,
  );
}

/** If the load with a policer or a queue has a smaller misfit than this, no other explanation is tried. */
const CLEAR_MISFIT = 0.1;

/**
 * Returns the load with a window that limits the server, if this load is much closer to the capture. Otherwise returns
 * `best`. With a policer or a queue no window is tried, because their losses explain a slow load already.
 */
function withWindow(loader: TwinLoader, best: PlacedTwin, lost: readonly LostData[]): PlacedTwin {
  const {policer, queuePackets, windowBytes} = best.assumed;
  if (policer !== null || queuePackets !== null || windowBytes !== null || best.misfit < LOOSE_MISFIT) return best;
  const limited = closestOf(
    windowsToTry(loader.load, loader.path).map(bytes =>
      placedTwin(loader, {...best.assumed, windowBytes: bytes}, lost),
    ),
  );
  return limited !== undefined && limited.misfit < best.misfit * MUCH_CLOSER ? limited : best;
}

/** The smallest misfit at which a window is tried. */
const LOOSE_MISFIT = 0.15;
const MUCH_CLOSER = 0.7;

/**
 * Returns limits of the queue that may explain the losses. They are near the number of packets that wait in the twin
 * when it sends the first of the data that were lost in the captured load. Empty if so few packets are lost, or so few
 * wait, that a full queue is unlikely.
 */
function queuesToTry(trace: Trace, down: readonly LostData[], parts: TwinParts): readonly number[] {
  const queue = queuesOf(trace)?.down;
  const rows = down.flatMap(each => packetOf(trace, each, parts) ?? []);
  if (down.length < FEWEST_OVERFLOWS || queue === undefined || rows.length === 0) return [];
  const row = rows.reduce((least, each) => Math.min(least, each));
  const at = firstAbove(queue.atNs, trace.data.packets.sentNs[row] ?? 0) - 1;
  const waiting = queue.packets[0]?.[at] ?? 0;
  if (waiting < SHORTEST_QUEUE) return [];
  return [...new Set(QUEUE_FACTORS.map(factor => Math.round(waiting * factor)))];
}

const FEWEST_OVERFLOWS = 3;
const SHORTEST_QUEUE = 4;
const QUEUE_FACTORS = [0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1];

/**
 * Returns the share of the losses on the way down that the twin and the capture have in common, 0 to 1. Neighbouring
 * data count as the same.
 */
function sameShare(trace: Trace, down: readonly LostData[], {page}: TwinParts): number {
  const same = down.filter(({exchange, offset}) => {
    const object = exchange === null ? -1 : page.exchanges.indexOf(exchange);
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

/** A full queue explains the losses only if their {@link sameShare} is larger than this. */
const SAME_SHARE = 0.5;
/**
 * Data that are this close count as the same, because a queue that is longer by one packet loses a neighbouring packet.
 */
const NEAR_BYTES = 3000;

/** The most packets that waited in the queue of the way down. */
function mostQueued(trace: Trace): number {
  return queuesOf(trace)?.down.packets[0]?.reduce((most, each) => Math.max(most, each), 0) ?? 0;
}
