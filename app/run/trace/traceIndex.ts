import {firstAbove} from '../../base/order.ts';
import {FATE} from './columns.ts';
import {GrowingTable} from './growingData.ts';
import type {DeliveryColumns, TraceData} from './traceData.ts';

/** Indexes the rows of a trace for its queries. If the trace grows, only the new and changed rows are read. */
export class TraceIndex {
  readonly #deliveries = new Map<number, GrowingTable<ObjectDeliveries>>();
  readonly #samples = new Map<number, number[]>();
  readonly #dropped: number[] = [];
  readonly #marked: number[] = [];
  readonly #retransmissions: number[] = [];
  /** Number of rows that are indexed, by table. */
  #done = {deliveries: 0, samples: 0, packets: 0, chunks: 0};

  constructor(data: TraceData) {
    this.update(data, []);
  }

  /** Indexes the new rows. `settled` lists the rows of older packets whose fate is now known. */
  update(data: TraceData, settled: readonly number[]): void {
    const {deliveries, samples, packets, chunks} = data;
    const before = this.#done;
    this.#done = {
      deliveries: deliveries.object.length,
      samples: samples.endpoint.length,
      packets: packets.fate.length,
      chunks: chunks.packet.length,
    };
    this.#addDeliveries(deliveries, before.deliveries);
    for (let row = before.samples; row < samples.endpoint.length; row++) {
      const endpoint = samples.endpoint[row] ?? 0;
      const rows = this.#samples.get(endpoint);
      if (rows === undefined) this.#samples.set(endpoint, [row]);
      else rows.push(row);
    }
    for (let row = before.packets; row < packets.fate.length; row++) {
      if (isDropped(packets.fate[row])) this.#dropped.push(row);
      if (packets.marked[row] === 1) this.#marked.push(row);
    }
    this.#addRetransmissions(chunks, before.chunks);
    for (const row of settled) {
      if (isDropped(packets.fate[row])) addSorted(this.#dropped, row);
      if (packets.marked[row] === 1) addSorted(this.#marked, row);
    }
  }

  deliveriesOf(object: number): ObjectDeliveries {
    return this.#deliveries.get(object)?.columns ?? NO_DELIVERIES;
  }

  /** Returns the rows of one endpoint's samples, in order of time. */
  samplesOf(endpoint: number): readonly number[] {
    return this.#samples.get(endpoint) ?? [];
  }

  /** The rows of dropped packets, in the order of sending. */
  get dropped(): readonly number[] {
    return this.#dropped;
  }

  /** The rows of packets that a queue marked, in the order of sending. */
  get marked(): readonly number[] {
    return this.#marked;
  }

  /** The rows of packets with retransmitted data, in the order of sending. */
  get retransmissions(): readonly number[] {
    return this.#retransmissions;
  }

  #addRetransmissions({packet, retransmission}: TraceData['chunks'], from: number): void {
    for (let row = from; row < packet.length; row++) {
      const sent = packet[row];
      // Chunks are in the order of their packets.
      const isNew = sent !== undefined && this.#retransmissions.at(-1) !== sent;
      if (retransmission[row] === 1 && isNew) this.#retransmissions.push(sent);
    }
  }

  #addDeliveries({object, atNs, bytes, first}: DeliveryColumns, from: number): void {
    const counts = new Map<number, number>();
    for (let row = from; row < object.length; row++) {
      const each = object[row] ?? 0;
      counts.set(each, (counts.get(each) ?? 0) + 1);
    }
    // in these columns, the rows of one object are next to each other
    const atNsOf = new Float64Array(object.length - from);
    const bytesOf = new Float64Array(object.length - from);
    const firstOf = new Float64Array(object.length - from);
    const ends = new Map<number, number>();
    let begin = 0;
    for (const [each, rows] of counts) {
      ends.set(each, begin);
      begin += rows;
    }
    for (let row = from; row < object.length; row++) {
      const each = object[row] ?? 0;
      const at = ends.get(each) ?? 0;
      atNsOf[at] = atNs[row] ?? 0;
      bytesOf[at] = bytes[row] ?? 0;
      firstOf[at] = first[row] ?? 0;
      ends.set(each, at + 1);
    }
    for (const [each, end] of ends) {
      const start = end - (counts.get(each) ?? 0);
      const own = {
        atNs: atNsOf.subarray(start, end),
        bytes: bytesOf.subarray(start, end),
        first: firstOf.subarray(start, end),
      };
      const table = this.#deliveries.get(each);
      if (table === undefined) this.#deliveries.set(each, new GrowingTable(own));
      else table.append(own);
    }
  }
}

/** Inserts a row into rows that are in ascending order, unless it is there already. */
function addSorted(rows: number[], row: number): void {
  const at = firstAbove(rows, row);
  if (rows[at - 1] !== row) rows.splice(at, 0, row);
}

/** The rows of one object in the trace's deliveries. */
export type ObjectDeliveries = Omit<DeliveryColumns, 'object'>;

const NO_DELIVERIES: ObjectDeliveries = {
  atNs: new Float64Array(0),
  bytes: new Float64Array(0),
  first: new Float64Array(0),
};

/** Whether the path dropped a packet with this fate, for any reason. */
export function isDropped(fate: number | undefined): boolean {
  return fate !== undefined && fate !== FATE.inFlight && fate !== FATE.delivered;
}
