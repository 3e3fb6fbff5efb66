import {firstAbove, rowsOf} from '../../base/order.ts';
import {pipelineOf} from '../../pipelines/index.ts';
import type {Pipeline} from '../../pipelines/pipeline.ts';
import {
  type BlockedInterval,
  type BlockedRow,
  type Blocking,
  blockedRows,
  findBlocking,
  mergeIntervals,
} from './blocking.ts';
import {DIRECTION} from './columns.ts';
import {GrowingData, type TraceGrowth} from './growingData.ts';
import {type ByteRange, shownRanges} from './shownRanges.ts';
import type {ObjectTrace, TraceData} from './traceData.ts';
import {type ObjectDeliveries, TraceIndex} from './traceIndex.ts';

/** The state of an object at one time. */
export type ObjectState = 'unknown' | 'discovered' | 'requested' | 'receiving' | 'complete' | 'failed';

/**
 * A trace with queries at a time t, in ns since the start of the run. Queries that the window repeats for every object
 * and animation frame are a binary search or a look-up. A trace can grow. Results of earlier queries may then be out of
 * date.
 */
export class Trace {
  readonly #growing: GrowingData;
  readonly #index: TraceIndex;
  /** These caches are cleared when the trace grows. */
  #blockedRows: readonly BlockedRow[] | undefined;
  #blockedRequests: readonly BlockedRow[] | undefined;
  #blocked: readonly (readonly BlockedInterval[])[] | undefined;
  readonly #blockings = new Map<number, Blocking | undefined>();

  constructor(data: TraceData) {
    this.#growing = new GrowingData(data);
    this.#index = new TraceIndex(data);
  }

  /**
   * Adds new parts to the trace.
   * @throws RangeError if columns of one table differ in length
   * @throws TypeError if a column has another type than the trace's column
   */
  append(growth: TraceGrowth): void {
    const settled = Array.from(growth.fates?.row ?? []);
    this.#growing.append(growth);
    this.#index.update(this.data, settled);
    this.#blockedRows = undefined;
    this.#blockedRequests = undefined;
    this.#blocked = undefined;
    this.#blockings.clear();
  }

  get data(): TraceData {
    return this.#growing.data;
  }

  /** The pipeline that the page was loaded over. */
  get pipeline(): Pipeline {
    return pipelineOf(this.data.pipeline);
  }

  get objects(): readonly ObjectTrace[] {
    return this.data.objects;
  }

  /** Returns the number of body bytes of object i that the client's application has at t. */
  bytesAt(i: number, tNs: number): number {
    const {atNs, bytes} = this.deliveriesOf(i);
    const row = firstAbove(atNs, tNs) - 1;
    return row < 0 ? 0 : (bytes[row] ?? 0);
  }

  /** Returns the ranges of the body of object i that the client's application has at t, merged and in order. */
  rangesAt(i: number, tNs: number): readonly ByteRange[] {
    return shownRanges(this.deliveriesOf(i), tNs);
  }

  /** Returns the share of object i that has arrived at t, in percent. An empty object has 100 % once it is complete. */
  percentAt(i: number, tNs: number): number {
    const object = this.data.objects[i];
    if (object === undefined) return 0;
    if (object.completeNs !== null && object.completeNs <= tNs) return 100;
    return object.bytes === 0 ? 0 : Math.min(100, (100 * this.bytesAt(i, tNs)) / object.bytes);
  }

  stateAt(i: number, tNs: number): ObjectState {
    const object = this.data.objects[i];
    const has = (ns: number | null | undefined): boolean => ns !== null && ns !== undefined && ns <= tNs;
    if (has(object?.failedNs)) return 'failed';
    if (has(object?.completeNs)) return 'complete';
    if (has(object?.firstByteNs)) return 'receiving';
    if (has(object?.requestNs)) return 'requested';
    return has(object?.discoveredNs) ? 'discovered' : 'unknown';
  }

  /**
   * Returns the time of each delivery of bytes of object i, and the total after each delivery. These are the steps of
   * the object's line in a timeline.
   */
  deliveriesOf(i: number): ObjectDeliveries {
    return this.#index.deliveriesOf(i);
  }

  /** Returns the number of body bytes of all objects together that the client's application has at t. */
  totalBytesAt(tNs: number): number {
    return this.data.objects.reduce((sum, _, i) => sum + this.bytesAt(i, tNs), 0);
  }

  /** Returns the time from which at least `percent` of object i's body was available. Null if there is no such time. */
  reachedNs(i: number, percent: number): number | null {
    const object = this.data.objects[i];
    if (object === undefined) return null;
    if (object.bytes === 0 || percent >= 100) return object.completeNs;
    const {atNs, bytes} = this.deliveriesOf(i);
    const needed = (object.bytes * percent) / 100;
    const row = bytes.findIndex(delivered => delivered >= needed);
    return atNs[row] ?? null;
  }

  /**
   * Returns the intervals in which data of object i waited at the client for earlier data. Overlapping intervals are
   * merged, and `bytes` is then their sum.
   */
  blockedOf(i: number): readonly BlockedInterval[] {
    this.#blocked ??= splitBlocked(this.data, this.blockedRows());
    return this.#blocked[i] ?? [];
  }

  /** Returns all data that waited at the client for earlier data. */
  blockedRows(): readonly BlockedRow[] {
    this.#blockedRows ??= blockedRows(this.data, 'client');
    return this.#blockedRows;
  }

  /**
   * Returns the objects of which a packet carries data, with the number of bytes. An object is listed once for each
   * chunk that contains some of its data. Empty for a packet without data.
   */
  objectsOf(packet: number): readonly {readonly object: number; readonly bytes: number}[] {
    const {chunks, chunkPieces} = this.data;
    return rowsOf(chunks.packet, packet).flatMap(chunk =>
      rowsOf(chunkPieces.row, chunk).map(row => ({
        object: chunkPieces.object[row] ?? 0,
        bytes: chunkPieces.bytes[row] ?? 0,
      })),
    );
  }

  isRetransmission(packet: number): boolean {
    const {packet: packets, retransmission} = this.data.chunks;
    return rowsOf(packets, packet).some(chunk => retransmission[chunk] === 1);
  }

  /** Returns the packets with retransmitted data, in the order of sending. */
  retransmissions(): readonly number[] {
    return this.#index.retransmissions;
  }

  /** Returns the packets that the path dropped, in the order of sending. */
  droppedPackets(): readonly number[] {
    return this.#index.dropped;
  }

  /** Returns the packets that a queue of the path marked (ECN), in the order of sending. */
  markedPackets(): readonly number[] {
    return this.#index.marked;
  }

  /**
   * Returns the data that waited for a dropped data packet. For a client's packet, these are requests that waited at
   * the server. Undefined if the packet was not dropped or has no data.
   */
  blockingOf(packet: number): Blocking | undefined {
    if (!this.#blockings.has(packet)) {
      const isDown = this.data.packets.direction[packet] === DIRECTION.down;
      const rows = isDown ? this.blockedRows() : this.waitingRequests();
      this.#blockings.set(packet, findBlocking(this.data, packet, rows));
    }
    return this.#blockings.get(packet);
  }

  /** Returns the requests that had arrived at the server and waited for earlier data of their stream. */
  waitingRequests(): readonly BlockedRow[] {
    this.#blockedRequests ??= blockedRows(this.data, 'server');
    return this.#blockedRequests;
  }

  /** Returns the rows of the samples of one end of a connection, in order of time. */
  samplesOf(side: 'client' | 'server', connection = 0): readonly number[] {
    const endpoint = this.data.connections[connection]?.[side];
    return endpoint === undefined ? [] : this.samplesOfEndpoint(endpoint);
  }

  /** Returns the rows of an endpoint's samples, in order of time. */
  samplesOfEndpoint(endpoint: number): readonly number[] {
    return this.#index.samplesOf(endpoint);
  }
}

/** Returns the time when the last pane of a run ends, in ns since the start of the run. 0 if there are no panes. */
export function runEndNs(traces: readonly Pick<Trace, 'data'>[]): number {
  return Math.max(0, ...traces.map(({data}) => data.endNs));
}

function splitBlocked(data: TraceData, rows: readonly BlockedRow[]): readonly (readonly BlockedInterval[])[] {
  const split = data.objects.map((): BlockedInterval[] => []);
  for (const row of rows) split[row.object]?.push(row);
  return split.map(mergeIntervals);
}
