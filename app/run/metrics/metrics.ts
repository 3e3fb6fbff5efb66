import {type Failure, isMissing} from '../../page/failure.ts';
import type {QualityCurve} from '../quality/curve.ts';
import type {Visual} from '../quality/visual.ts';
import {unionNs} from '../trace/blocking.ts';
import {DIRECTION, ECN} from '../trace/columns.ts';
import {Trace} from '../trace/trace.ts';
import {isLeftOut, type Outcome, type TraceData} from '../trace/traceData.ts';

/**
 * The papers' metrics of one load. Times of objects and of the set-up are in ms since navigation, which is the start of
 * the run: time 0 of the trace. Captures do not show navigation, so time 0 of a captured load is its first packet, or
 * its first request if there are no packets. T, PPage and PRen count from a request, as the papers define them. Null
 * means that the state was never reached. If `outcome` is not `complete`, T, PPage, PRen and the silent time are null,
 * because some objects were never rendered. An object that is missing in every pane (`isMissing`: 404, or an address
 * too long to request) is a broken image in every run. It never renders and delays nothing. These metrics leave it out,
 * so that a page with a broken image can be measured. `missing` is the number of such objects. The metrics also leave
 * out objects that the browser had no reason to request (`isLeftOut`).
 */
export interface PaneMetrics {
  readonly pipeline: TraceData['pipeline'];
  readonly outcome: Outcome;
  /** Why the load is incomplete. Null if it is complete, or if it is live and still under way. */
  readonly reason: string | null;
  /** Number of objects that the page names but no client can load. */
  readonly missing: number;
  /**
   * Time from navigation until the client is connected, including the look-up of the host name. Null also if this time
   * is 0, for example because the pipeline needs no set-up.
   */
  readonly setupMs: number | null;
  /**
   * Page time T = ren_N^M − req_0 (N07 §3.1), which equals 100 %Page: the time from the first GET to the last piece of
   * the last object. The paper R02 measures throughput by T.
   */
  readonly pageTimeMs: number | null;
  /**
   * For each percentage P: the time from req_0 until every object has rendered P % of its bytes. In the terms of N07
   * §5, it is the largest P ren_i − req_0 of all objects i.
   */
  readonly pPageMs: PercentTimes;
  /**
   * Like `pPageMs`, but from req_1: the largest P ren_i − req_1 of all objects i (N07 §5). Null for a page that is only
   * index.html.
   */
  readonly pRenMs: PercentTimes;
  /** Longest interval in which the page did not change, from req_0 until the page is complete (C03 §3). */
  readonly silentMs: number | null;
  /** Packets sent. */
  readonly packets: Both;
  /** Packets dropped by the path. */
  readonly lost: Both;
  /** Packets that the queues of the path marked (CE). Present only if packets of the pane use ECN. */
  readonly marked?: Both;
  /** Number of packets with retransmitted data, in both directions. */
  readonly retransmitted: number;
  /** Time during which some data waited at the client for earlier data. */
  readonly holBlockedMs: number;
  /** Number of bytes that waited. */
  readonly holBlockedBytes: number;
  /**
   * The time when the last object was complete, since navigation. Null if the load is incomplete. Unlike T, times since
   * navigation include the set-up of connections.
   */
  readonly finishMs: number | null;
  /**
   * First Contentful Paint, since navigation. The next times (LCP, DOMContentLoaded, load) are also since navigation.
   */
  readonly fcpMs: number | null;
  readonly lcpMs: number | null;
  /** What {@link PaneMetrics.lcpMs} is about: the URL of a picture, or `text`. Null if nothing was painted. */
  readonly lcpElement: string | null;
  readonly dclMs: number | null;
  readonly loadMs: number | null;
  /** Longest wait of a single piece of data. The paper C03 (§5) measured this as the silent time of TCP. */
  readonly longestWaitMs: number;
  readonly objects: readonly ObjectMetrics[];
  /** Visual metrics. Present only if requested. */
  readonly visual?: Visual;
  /**
   * How {@link PaneMetrics.finishMs} divides into causes, on the page's critical path (`app/run/why`). Causes without
   * time are left out. Null if the load is incomplete. Present only if requested.
   */
  readonly causes?: readonly CauseTime[] | null;
}

/** The time of one cause. `name` is that of a record in `app/run/why`. */
export interface CauseTime {
  readonly name: string;
  readonly ms: number;
}

export interface ObjectMetrics {
  readonly url: string;
  /** Size of the body. */
  readonly bytes: number;
  readonly stream: number | null;
  readonly requestMs: number | null;
  /** The time when the response's whole header had arrived. */
  readonly firstByteMs: number | null;
  readonly completeMs: number | null;
  /** Time from the request to complete reception (R02). */
  readonly latencyMs: number | null;
  readonly failure: Failure | null;
  /** Quality of the object's prefixes. Null if the object cannot be seen. Present only if requested. */
  readonly quality?: QualityCurve | null;
}

interface Both {
  readonly down: number;
  readonly up: number;
}

/** The times since navigation: their keys, and their labels for people. */
export const NAVIGATION_TIMES = [
  {key: 'fcpMs', label: 'FCP'},
  {key: 'lcpMs', label: 'LCP'},
  {key: 'dclMs', label: 'DCL'},
  {key: 'loadMs', label: 'load'},
  {key: 'finishMs', label: 'finish'},
] as const satisfies readonly {readonly key: keyof PaneMetrics; readonly label: string}[];

export type NavigationTime = (typeof NAVIGATION_TIMES)[number]['key'];

/** The percentages of an object that the papers consider. */
export const PERCENTS = [25, 50, 75, 100] as const;

export type PercentTimes = {readonly [P in (typeof PERCENTS)[number]]: number | null};

/**
 * Computes the metrics of one trace. A caller that already has a `Trace` of the data passes it, so that it is not
 * indexed twice.
 */
export function measure(data: TraceData, trace = new Trace(data)): PaneMetrics {
  const {direction} = data.packets;
  const blocked = trace.blockedRows();
  const [first, second] = requestTimes(data);
  const latestNs = PERCENTS.map(percent => [percent, latestOf(trace, percent)] as const);
  const completeNs = new Map(latestNs).get(100) ?? null;
  const pPageMs = percentTimes(latestNs, first);
  return {
    pipeline: data.pipeline,
    outcome: data.outcome,
    reason: data.reason,
    missing: data.objects.filter(object => isMissing(object.failure)).length,
    setupMs: data.setupNs === 0 ? null : toMs(data.setupNs),
    pageTimeMs: pPageMs[100],
    pPageMs,
    pRenMs: percentTimes(latestNs, second),
    finishMs: toMs(completeNs),
    ...milestonesOf(data),
    silentMs: silentMs(data, first, completeNs),
    packets: countBoth(direction),
    lost: countBoth(Uint8Array.from(trace.droppedPackets(), packet => direction[packet] ?? 0)),
    ...(data.packets.ecn.some(codepoint => codepoint !== ECN.notEct) && {
      marked: countBoth(Uint8Array.from(trace.markedPackets(), packet => direction[packet] ?? 0)),
    }),
    retransmitted: trace.retransmissions().length,
    holBlockedMs: unionNs(blocked) / 1e6,
    holBlockedBytes: blocked.reduce((sum, row) => sum + row.bytes, 0),
    longestWaitMs: blocked.reduce((most, {startNs, endNs}) => Math.max(most, endNs - startNs), 0) / 1e6,
    objects: data.objects.map(object => ({
      url: object.url,
      bytes: object.bytes,
      stream: object.stream,
      requestMs: toMs(object.requestNs),
      firstByteMs: toMs(object.firstByteNs),
      completeMs: toMs(object.completeNs),
      latencyMs: between(object.requestNs, object.completeNs),
      failure: object.failure,
    })),
  };
}

function milestonesOf({milestones, objects}: TraceData) {
  const {fcpNs = null, lcpNs = null, lcpObject = null, dclNs = null, loadNs = null} = milestones ?? {};
  const lcpElement = lcpNs === null ? null : lcpObject === null ? 'text' : (objects[lcpObject]?.url ?? null);
  return {fcpMs: toMs(fcpNs), lcpMs: toMs(lcpNs), lcpElement, dclMs: toMs(dclNs), loadMs: toMs(loadNs)};
}

/**
 * Returns the time when the last object that can be loaded was complete, in ms since navigation. Null if the load is
 * incomplete.
 */
export function wholePageMs({outcome, objects}: Pick<PaneMetrics, 'outcome' | 'objects'>): number | null {
  const times = objects.map(({completeMs}) => completeMs).filter(ms => ms !== null);
  return outcome === 'complete' && times.length > 0 ? Math.max(...times) : null;
}

/**
 * Returns the times of req_0 and req_1. req_0 is the request of index.html. req_1 is the request of an embedded object:
 * of the objects that were requested, the first in the order of the page. In a captured load, a request that was
 * redirected may precede the request of index.html. Then req_0 is the earlier request.
 */
function requestTimes({objects: [index, ...others]}: TraceData): readonly [number | null, number | null] {
  const second = others.find(object => object.requestNs !== null)?.requestNs ?? null;
  if (index === undefined || index.requestNs === null) return [null, second];
  return [others.reduce((first, {requestNs}) => Math.min(first, requestNs ?? first), index.requestNs), second];
}

/** Converts the times at which each percentage was reached into ms since `fromNs`. */
function percentTimes(
  latestNs: readonly (readonly [percent: number, atNs: number | null])[],
  fromNs: number | null,
): PercentTimes {
  const times = latestNs.map(([percent, atNs]) => [percent, between(fromNs, atNs)]);
  return Object.fromEntries(times) as PercentTimes;
}

/**
 * Returns the time when every object that can render had reached `percent`. Null if some object never did, or if the
 * load is incomplete.
 */
function latestOf(trace: Trace, percent: number): number | null {
  if (trace.data.outcome !== 'complete') return null;
  let latest: number | null = null;
  for (const [i, object] of trace.objects.entries()) {
    if (isLeftOut(object)) continue;
    const reachedNs = trace.reachedNs(i, percent);
    if (reachedNs === null) return null;
    latest = Math.max(latest ?? 0, reachedNs);
  }
  return latest;
}

function silentMs(data: TraceData, fromNs: number | null, renderedNs: number | null): number | null {
  if (fromNs === null || renderedNs === null) return null;
  let [longestNs, lastNs] = [0, fromNs];
  for (const atNs of data.deliveries.atNs) {
    longestNs = Math.max(longestNs, atNs - lastNs);
    lastNs = atNs;
  }
  return Math.max(longestNs, renderedNs - lastNs) / 1e6;
}

function countBoth(directions: Uint8Array): Both {
  let down = 0;
  for (let i = 0; i < directions.length; i++) if (directions[i] === DIRECTION.down) down += 1;
  return {down, up: directions.length - down};
}

function between(fromNs: number | null, toNs: number | null): number | null {
  return fromNs === null || toNs === null ? null : (toNs - fromNs) / 1e6;
}

function toMs(ns: number | null): number | null {
  return ns === null ? null : ns / 1e6;
}
