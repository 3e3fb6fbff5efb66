import {DIRECTION} from '../trace/columns.ts';
import {blockedRows, droppedPackets} from '../trace/holds.ts';
import {unionNs} from '../trace/intervals.ts';
import {Trace} from '../trace/trace.ts';
import type {Outcome, TraceData} from '../trace/traceData.ts';

/**
 * What the papers measure of one load. Times of objects and of the set-up are ms since the run's start;
 * T, PPage and PRen count from a request, as the papers define them. Null: it never came.
 */
export interface PaneMetrics {
  readonly pipeline: 'tcp' | 'sctp';
  readonly outcome: Outcome;
  readonly reason: string | null;
  /** From the first packet to the connection at the client. */
  readonly setupMs: number | null;
  /** T = ren_N^M − req_0 (N07 §3.1): the last piece of the last object, from the first GET. R02's throughput. */
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
  readonly objects: readonly ObjectMetrics[];
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
  readonly failure: string | null;
}

interface Both {
  readonly down: number;
  readonly up: number;
}

/** The shares of an object at which the papers look, percent. */
export const PERCENTS = [25, 50, 75, 100] as const;

export type PercentTimes = {readonly [P in (typeof PERCENTS)[number]]: number | null};

/** The metrics of one trace. */
export function measure(data: TraceData): PaneMetrics {
  const trace = new Trace(data);
  const {direction} = data.packets;
  const blocked = blockedRows(data);
  const [first, second] = [data.objects[0]?.requestNs ?? null, data.objects[1]?.requestNs ?? null];
  return {
    pipeline: data.pipeline,
    outcome: data.outcome,
    reason: data.reason,
    setupMs: toMs(data.setupNs),
    pageTimeMs: pageTimeMs(data),
    pPageMs: percentTimes(trace, first),
    pRenMs: percentTimes(trace, second),
    silentMs: silentMs(data),
    packets: countBoth(direction),
    lost: countBoth(Uint8Array.from(droppedPackets(data), packet => direction[packet] ?? 0)),
    retransmitted: new Set(data.chunks.packet.filter((_, row) => data.chunks.retransmission[row] === 1)).size,
    holBlockedMs: unionNs(blocked) / 1e6,
    holBlockedBytes: blocked.reduce((sum, row) => sum + row.bytes, 0),
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

/** A page with failed objects is done when the last object ended, whichever way. */
function pageTimeMs({objects, outcome}: TraceData): number | null {
  if (outcome === 'aborted' || outcome === 'time-limit') return null;
  const ends = objects.map(object => object.completeNs ?? object.failedNs);
  if (ends.includes(null)) return null;
  return between(objects[0]?.requestNs ?? null, Math.max(...(ends as number[])));
}

/** Over the objects that the server has: a broken image never renders. */
function percentTimes(trace: Trace, fromNs: number | null): PercentTimes {
  const times = PERCENTS.map(percent => {
    const reached = trace.objects.map((object, i) =>
      object.failure?.startsWith('status') ? fromNs : trace.reachedNs(i, percent),
    );
    return [percent, reached.includes(null) ? null : between(fromNs, Math.max(...(reached as number[])))];
  });
  return Object.fromEntries(times) as PercentTimes;
}

function silentMs(data: TraceData): number | null {
  const fromNs = data.objects[0]?.requestNs ?? null;
  if (fromNs === null) return null;
  let [longestNs, lastNs] = [0, fromNs];
  for (const atNs of [...data.deliveries.atNs, data.endNs]) {
    longestNs = Math.max(longestNs, atNs - lastNs);
    lastNs = atNs;
  }
  return longestNs / 1e6;
}

function countBoth(directions: Uint8Array): Both {
  const down = directions.filter(direction => direction === DIRECTION.down).length;
  return {down, up: directions.length - down};
}

function between(fromNs: number | null, toNs: number | null): number | null {
  return fromNs === null || toNs === null ? null : (toNs - fromNs) / 1e6;
}

function toMs(ns: number | null): number | null {
  return ns === null ? null : ns / 1e6;
}
