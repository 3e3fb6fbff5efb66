import {type Failure, isMissing} from '../../page/failure.ts';
import type {QualityCurve} from '../quality/curve.ts';
import type {Visual} from '../quality/visual.ts';
import {DIRECTION} from '../trace/columns.ts';
import {unionNs} from '../trace/intervals.ts';
import {Trace} from '../trace/trace.ts';
import type {Outcome, TraceData} from '../trace/traceData.ts';

/**
 * What the papers measure of one load. Times of objects and of the set-up are ms since the run's start, the first
 * packet; T, PPage and PRen count from a request, as the papers define them. Null: it never came.
 *
 * A load whose `outcome` is not `complete` has no T, PPage, PRen and silent time: what is not there was not rendered
 * at any time. An object that is missing from the page itself (`isMissing`: 404, or an address too long to ask for)
 * is a broken image in every pane of every run: it never renders, holds up nothing, and takes no part in any of
 * these, so that a page with a broken image can be measured like any other; `missing` says how many there are.
 */
export interface PaneMetrics {
  readonly pipeline: TraceData['pipeline'];
  readonly outcome: Outcome;
  /** Why it is not complete; null if it is. */
  readonly reason: string | null;
  /** Objects that the page names and nobody can have. */
  readonly missing: number;
  /** From the first packet to the connection at the client; null where there is nothing to set up, too. */
  readonly setupMs: number | null;
  /** T = ren_N^M − req_0 (N07 §3.1), = 100 %Page: the last piece of the last object, from the first GET. R02's throughput. */
  readonly pageTimeMs: number | null;
  /** max over objects of (P ren_i − req_0) (N07 §5). */
  readonly pPageMs: PercentTimes;
  /** max over objects of (P ren_i − req_1) (N07 §5); null for a page of index.html alone. */
  readonly pRenMs: PercentTimes;
  /** Longest interval between req_0 and T in which nothing on the page changed (C03 §3). */
  readonly silentMs: number | null;
  /** Sent. */
  readonly packets: Both;
  /** Dropped by the path. */
  readonly lost: Both;
  /** Packets with data that was sent before, both directions. */
  readonly retransmitted: number;
  /** How long some data waited at the client behind lost data. */
  readonly holBlockedMs: number;
  /** How much waited. */
  readonly holBlockedBytes: number;
  /** The longest that a piece of it waited: what C03 measured as TCP's silent time (§5). */
  readonly longestWaitMs: number;
  readonly objects: readonly ObjectMetrics[];
  /** What the eye gets; only where that was asked for. */
  readonly visual?: Visual;
}

export interface ObjectMetrics {
  readonly url: string;
  /** Of the body. */
  readonly bytes: number;
  readonly stream: number | null;
  readonly requestMs: number | null;
  /** When the response's header was there. */
  readonly firstByteMs: number | null;
  readonly completeMs: number | null;
  /** Request to completely received (R02). */
  readonly latencyMs: number | null;
  readonly failure: Failure | null;
  /** What its prefixes look like, null for what cannot be seen; only where that was asked for. */
  readonly quality?: QualityCurve | null;
}

interface Both {
  readonly down: number;
  readonly up: number;
}

/** The shares of an object at which the papers look, percent. */
export const PERCENTS = [25, 50, 75, 100] as const;

export type PercentTimes = {readonly [P in (typeof PERCENTS)[number]]: number | null};

/** The metrics of one trace; a caller that has asked it something already gives it, with its indices. */
export function measure(data: TraceData, trace = new Trace(data)): PaneMetrics {
  const {direction} = data.packets;
  const blocked = trace.blockedRows();
  const [first, second] = requestTimes(data);
  const latestNs = PERCENTS.map(percent => [percent, latestOf(trace, percent)] as const);
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
    silentMs: silentMs(data, first, latestOf(trace, 100)),
    packets: countBoth(direction),
    lost: countBoth(Uint8Array.from(trace.droppedPackets(), packet => direction[packet] ?? 0)),
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

/** When the last object was there that can be had, ms from the first packet; null if the load is not complete. */
export function wholePageMs({outcome, objects}: Pick<PaneMetrics, 'outcome' | 'objects'>): number | null {
  const times = objects.map(({completeMs}) => completeMs).filter(ms => ms !== null);
  return outcome === 'complete' && times.length > 0 ? Math.max(...times) : null;
}

/** req_0 and req_1: the first embedded object's that was asked for. */
function requestTimes({objects: [index, ...others]}: TraceData): readonly [number | null, number | null] {
  return [index?.requestNs ?? null, others.find(object => object.requestNs !== null)?.requestNs ?? null];
}

/** Of the objects that can render, the latest. */
function percentTimes(
  latestNs: readonly (readonly [percent: number, atNs: number | null])[],
  fromNs: number | null,
): PercentTimes {
  const times = latestNs.map(([percent, atNs]) => [percent, between(fromNs, atNs)]);
  return Object.fromEntries(times) as PercentTimes;
}

/** When every object that can render had reached `percent`; null if one never did, or the load is not complete. */
function latestOf(trace: Trace, percent: number): number | null {
  if (trace.data.outcome !== 'complete') return null;
  let latest: number | null = null;
  for (const [i, object] of trace.objects.entries()) {
    if (isMissing(object.failure)) continue;
    const reachedNs = trace.reachedNs(i, percent);
    if (reachedNs === null) return null;
    latest = Math.max(latest ?? 0, reachedNs);
  }
  return latest;
}

function silentMs(data: TraceData, fromNs: number | null, renderedNs: number | null): number | null {
  if (fromNs === null || renderedNs === null) return null;
  let [longestNs, lastNs] = [0, fromNs];
  for (const atNs of [...data.deliveries.atNs, renderedNs]) {
    longestNs = Math.max(longestNs, atNs - lastNs);
    lastNs = atNs;
  }
  return longestNs / 1e6;
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
