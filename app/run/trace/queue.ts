import {firstAbove} from '../../base/order.ts';
import {pipelineOf} from '../../pipelines/index.ts';
import {cachedByTrace} from './cachedByTrace.ts';
import {DIRECTION, FATE} from './columns.ts';
import type {Trace} from './trace.ts';
import type {FlowTrace} from './traceData.ts';

/** The queue of one direction of the path over time. The packet that is being serialised is a part of it. */
export interface Queue {
  /** The names of the groups of packets that are counted separately: the load itself, then groups of other traffic. */
  readonly groups: readonly string[];
  /** The times at which the queue changes, in order, in ns since the start of the run. */
  readonly atNs: Float64Array;
  /** For each group: how many of its packets are in the queue from each time in `atNs` until the next. */
  readonly packets: readonly Uint32Array[];
  /** For each group: the bytes of these packets. */
  readonly bytes: readonly Float64Array[];
  /** The times at which packets entered the queue, in order, and how long each of them stayed in it. */
  readonly enteredNs: Float64Array;
  readonly waitNs: Float64Array;
}

/** The state of a queue at one time. */
export interface QueueState {
  /** For each group: the number of its packets, and the number of their bytes. */
  readonly packets: readonly number[];
  readonly bytes: readonly number[];
  /**
   * How long the packet that entered the queue most recently stays there, including its serialisation, in ns. Infinity
   * if it never left, 0 if the queue is empty.
   */
  readonly waitNs: number;
}

interface Packets {
  readonly direction: Uint8Array;
  readonly bytes: Uint32Array;
  readonly sentNs: Float64Array;
  readonly leftNs: Float64Array;
  readonly fate: Uint8Array;
}

/**
 * Returns the queues of both directions. Undefined if the trace does not say when packets left the queue, as in live
 * loads.
 */
export const queuesOf = cachedByTrace((trace: Trace): {readonly down: Queue; readonly up: Queue} | undefined => {
  const {packets, traffic} = trace.data;
  if (packets.leftNs.every(Number.isNaN)) return undefined;
  const groups = trafficGroups(traffic?.flows ?? []);
  const groupOf = (flow: number) => 1 + groups.findIndex(({flows}) => flows.includes(flow));
  const groupOfFlow = (traffic?.flows ?? []).map((_, flow) => groupOf(flow));
  const labels = ['this load', ...groups.map(({label}) => label)];
  const queueOf = (way: number): Queue => {
    const stays = new Stays(labels.length);
    stays.add(packets, way, () => 0);
    if (traffic !== undefined) stays.add(traffic.packets, way, row => groupOfFlow[traffic.packets.flow[row] ?? 0] ?? 0);
    return stays.queue(labels);
  };
  return {down: queueOf(DIRECTION.down), up: queueOf(DIRECTION.up)};
});

/** Flows of other traffic that are shown as one. */
export interface TrafficGroup {
  readonly label: string;
  readonly flows: readonly number[];
}

/** Combines the flows of a trace that are alike. */
export function trafficGroups(flows: readonly FlowTrace[]): readonly TrafficGroup[] {
  const groups = new Map<string, {first: FlowTrace; flows: number[]}>();
  for (const [number, flow] of flows.entries()) {
    const key = JSON.stringify(flow);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, {first: flow, flows: [number]});
    else group.flows.push(number);
  }
  return [...groups.values()].map(({first, flows}) => ({label: flowLabel(first, flows.length), flows}));
}

/** Names flows that are alike: `upload`, `6 downloads`, `constant traffic down`, `HTTP/3 in pane 2`. */
function flowLabel(flow: FlowTrace, count: number): string {
  if (flow.kind === 'page') return `${pipelineOf(flow.pipeline).label} in pane ${flow.pane + 1}`;
  if (flow.kind === 'cbr') return `constant traffic ${flow.direction}`;
  const noun = flow.direction === 'up' ? 'upload' : 'download';
  return count === 1 ? noun : `${count} ${noun}s`;
}

/** Returns the state of a queue at t. */
export function queueAt({packets, bytes, atNs, enteredNs, waitNs}: Queue, tNs: number): QueueState {
  const row = firstAbove(atNs, tNs) - 1;
  const at = (columns: readonly (Uint32Array | Float64Array)[]) =>
    columns.map(column => (row < 0 ? 0 : (column[row] ?? 0)));
  const inQueue = at(packets);
  const isEmpty = inQueue.every(count => count === 0);
  const last = firstAbove(enteredNs, tNs) - 1;
  return {packets: inQueue, bytes: at(bytes), waitNs: isEmpty || last < 0 ? 0 : (waitNs[last] ?? 0)};
}

/** The stays of packets in a queue, from which the queue over time is computed. */
class Stays {
  readonly #groups: number;
  readonly #from: number[] = [];
  readonly #to: number[] = [];
  readonly #bytes: number[] = [];
  readonly #group: number[] = [];

  constructor(groups: number) {
    this.#groups = groups;
  }

  /** Adds the packets of one direction that entered the queue. `groupOf` returns the group of a row. */
  add({direction, bytes, sentNs, leftNs, fate}: Packets, way: number, groupOf: (row: number) => number): void {
    for (let row = 0; row < direction.length; row++) {
      if (direction[row] !== way) continue;
      const left = leftNs[row] ?? Number.NaN;
      // A packet without a time of leaving is still in the queue, or it was dropped before it entered.
      if (Number.isNaN(left) && fate[row] !== FATE.inFlight) continue;
      this.#from.push(sentNs[row] ?? 0);
      this.#to.push(Number.isNaN(left) ? Number.POSITIVE_INFINITY : left);
      this.#bytes.push(bytes[row] ?? 0);
      this.#group.push(groupOf(row));
    }
  }

  queue(groups: readonly string[]): Queue {
    const entering = order(this.#from);
    const leaving = order(this.#to);
    const times: number[] = [];
    const packets = Array.from({length: this.#groups}, (): number[] => []);
    const bytes = Array.from({length: this.#groups}, (): number[] => []);
    const [count, size] = [new Array<number>(this.#groups).fill(0), new Array<number>(this.#groups).fill(0)];
    const move = (stay: number, by: 1 | -1) => {
      const group = this.#group[stay] ?? 0;
      count[group] = (count[group] ?? 0) + by;
      size[group] = (size[group] ?? 0) + by * (this.#bytes[stay] ?? 0);
    };
    let [entered, left] = [0, 0];
    for (;;) {
      const atNs = Math.min(
        this.#from[entering[entered] ?? -1] ?? Number.POSITIVE_INFINITY,
        this.#to[leaving[left] ?? -1] ?? Number.POSITIVE_INFINITY,
      );
      if (atNs === Number.POSITIVE_INFINITY) break;
      while (this.#to[leaving[left] ?? -1] === atNs) move(leaving[left++] ?? 0, -1);
      while (this.#from[entering[entered] ?? -1] === atNs) move(entering[entered++] ?? 0, 1);
      times.push(atNs);
      for (const [group, column] of packets.entries()) column.push(count[group] ?? 0);
      for (const [group, column] of bytes.entries()) column.push(size[group] ?? 0);
    }
    return {
      groups,
      atNs: Float64Array.from(times),
      packets: packets.map(column => Uint32Array.from(column)),
      bytes: bytes.map(column => Float64Array.from(column)),
      enteredNs: Float64Array.from(entering, stay => this.#from[stay] ?? 0),
      waitNs: Float64Array.from(entering, stay => (this.#to[stay] ?? 0) - (this.#from[stay] ?? 0)),
    };
  }
}

/** Returns the indices of the values in ascending order of the values. */
function order(values: readonly number[]): Uint32Array {
  return Uint32Array.from(values.keys()).sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0) || a - b);
}
