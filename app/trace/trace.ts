import {firstAbove} from '../order/firstAbove.ts';
import {pipelineOf} from '../pipelines/index.ts';
import type {Pipeline} from '../pipelines/pipeline.ts';
import type {SampleColumns} from './columns.ts';
import {blockedRows, droppedPackets, findHolds, type Hold} from './holds.ts';
import {type BlockedInterval, mergeIntervals} from './intervals.ts';
import {RowIndex} from './rowIndex.ts';
import type {ObjectTrace, TraceData} from './traceData.ts';

/** What an object looks like at a time. */
export type ObjectState = 'unknown' | 'discovered' | 'requested' | 'receiving' | 'complete' | 'failed';

/**
 * A trace with queries at a time t (ns since the run's start). Each is a binary search or a look-up, so a
 * screen can ask for every object at every frame.
 */
export class Trace {
  readonly data: TraceData;
  readonly #deliveries: readonly ObjectDeliveries[];
  readonly #chunkRows: RowIndex;
  readonly #pieceRows: RowIndex;
  #blocked: readonly (readonly BlockedInterval[])[] | undefined;
  #holds: ReadonlyMap<number, Hold> | undefined;

  constructor(data: TraceData) {
    this.data = data;
    this.#deliveries = splitDeliveries(data);
    this.#chunkRows = new RowIndex(data.chunks.packet, data.packets.sentNs.length);
    this.#pieceRows = new RowIndex(data.chunkPieces.row, data.chunks.packet.length);
  }

  /** What it was loaded over. */
  get pipeline(): Pipeline {
    return pipelineOf(this.data.pipeline);
  }

  get objects(): readonly ObjectTrace[] {
    return this.data.objects;
  }

  /** Body bytes of object i at the client's application at t, in order. */
  bytesAt(i: number, tNs: number): number {
    const {atNs, bytes} = this.deliveriesOf(i);
    const row = firstAbove(atNs, tNs) - 1;
    return row < 0 ? 0 : (bytes[row] ?? 0);
  }

  /** 0–100; an empty object is 100 % once it is complete. */
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

  /** When object i's bytes grew, and to what: the steps of its line in a timeline. */
  deliveriesOf(i: number): ObjectDeliveries {
    return this.#deliveries[i] ?? NO_DELIVERIES;
  }

  /** Body bytes of all objects at t. */
  totalBytesAt(tNs: number): number {
    return this.data.objects.reduce((sum, _, i) => sum + this.bytesAt(i, tNs), 0);
  }

  /** When at least `percent` of object i's body was there; null if it never was. */
  reachedNs(i: number, percent: number): number | null {
    const object = this.data.objects[i];
    if (object === undefined) return null;
    const {atNs, bytes} = this.deliveriesOf(i);
    const needed = (object.bytes * percent) / 100;
    const row = bytes.findIndex(delivered => delivered >= needed);
    return object.bytes === 0 || percent >= 100 ? object.completeNs : (atNs[row] ?? null);
  }

  /** When data of object i was at the client but waited for earlier data, merged; `bytes` is the sum. */
  blockedOf(i: number): readonly BlockedInterval[] {
    this.#blocked ??= splitBlocked(this.data);
    return this.#blocked[i] ?? [];
  }

  /** The objects of a packet's data and their bytes; empty for one that carries none. */
  objectsOf(packet: number): readonly {readonly object: number; readonly bytes: number}[] {
    const {object, bytes} = this.data.chunkPieces;
    const pieces: {object: number; bytes: number}[] = [];
    for (const chunk of this.#chunkRows.of(packet)) {
      for (const row of this.#pieceRows.of(chunk))
        pieces.push({object: object[row] ?? 0, bytes: bytes[row] ?? 0});
    }
    return pieces;
  }

  isRetransmission(packet: number): boolean {
    return this.#chunkRows.of(packet).some(chunk => this.data.chunks.retransmission[chunk] === 1);
  }

  /** Packets that the path dropped, in the order of sending. */
  droppedPackets(): readonly number[] {
    return droppedPackets(this.data);
  }

  /** What a dropped data packet of the server held up. */
  holdOf(packet: number): Hold | undefined {
    this.#holds ??= new Map(findHolds(this.data, this.#chunkRows).map(hold => [hold.packet, hold]));
    return this.#holds.get(packet);
  }

  /** Row of the sample of a connection's end that holds at t; undefined before its first. */
  sampleAt(side: 'client' | 'server', tNs: number, connection = 0): number | undefined {
    const {samples, connections} = this.data;
    for (let row = firstAbove(samples.atNs, tNs) - 1; row >= 0; row--) {
      if (samples.endpoint[row] === connections[connection]?.[side]) return row;
    }
    return undefined;
  }

  /** Rows of the samples of a connection's end, in order of time. */
  samplesOf(side: 'client' | 'server', connection = 0): readonly number[] {
    const endpoint: SampleColumns['endpoint'] = this.data.samples.endpoint;
    const wanted = this.data.connections[connection]?.[side];
    return Array.from(endpoint.keys()).filter(row => endpoint[row] === wanted);
  }
}

/** One object's rows of the trace's deliveries. */
export interface ObjectDeliveries {
  readonly atNs: Float64Array;
  readonly bytes: Float64Array;
}

const NO_DELIVERIES: ObjectDeliveries = {atNs: new Float64Array(0), bytes: new Float64Array(0)};

function splitBlocked(data: TraceData): readonly (readonly BlockedInterval[])[] {
  const split = data.objects.map((): BlockedInterval[] => []);
  for (const row of blockedRows(data)) split[row.object]?.push(row);
  return split.map(mergeIntervals);
}

function splitDeliveries({deliveries, objects}: TraceData): readonly ObjectDeliveries[] {
  const counts = new Uint32Array(objects.length);
  for (const object of deliveries.object) counts[object] = (counts[object] ?? 0) + 1;
  const split = objects.map((_, i) => ({
    atNs: new Float64Array(counts[i] ?? 0),
    bytes: new Float64Array(counts[i] ?? 0),
  }));
  const next = new Uint32Array(objects.length);
  for (const [row, object] of deliveries.object.entries()) {
    const at = next[object] ?? 0;
    const own = split[object];
    if (own === undefined) continue;
    own.atNs[at] = deliveries.atNs[row] ?? 0;
    own.bytes[at] = deliveries.bytes[row] ?? 0;
    next[object] = at + 1;
  }
  return split;
}
