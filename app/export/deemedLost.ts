import {firstAbove, rowsOf} from '../base/order.ts';
import type {Trace} from '../run/trace/trace.ts';

/** A packet whose data was retransmitted because its sender deemed it lost. */
export interface DeemedLost {
  readonly packet: number;
  /**
   * The time at which the packet's data was retransmitted, in ns since the run's start. A trace does not contain the
   * time at which the sender deemed the packet lost.
   */
  readonly atNs: number;
}

/**
 * Returns the packets that an endpoint deemed lost, in order of time. Some of them may have arrived. The result
 * contains neither packets that were lost but never retransmitted, nor packets whose data was retransmitted by probes
 * only (RFC 8985 §7). Every retransmission that is sent outside of recovery is taken for a probe.
 */
export function deemedLost(trace: Trace, endpoint: number): readonly DeemedLost[] {
  const {packets, chunks} = trace.data;
  const isRecovering = recoveries(trace, endpoint);
  const copies = new LatestCopies(trace.pipeline.numbers === 'byte');
  const lost: DeemedLost[] = [];
  for (let packet = 0; packet < packets.endpoint.length; packet++) {
    if (packets.endpoint[packet] !== endpoint) continue;
    const atNs = packets.sentNs[packet] ?? 0;
    const before = new Set<number>();
    for (const chunk of rowsOf(chunks.packet, packet)) {
      const [stream, first, bytes] = [chunks.stream[chunk], chunks.first[chunk], chunks.bytes[chunk]];
      for (const copy of copies.add(packet, stream ?? 0, first ?? 0, bytes ?? 0)) before.add(copy);
    }
    if (before.size > 0 && isRecovering(atNs)) for (const copy of before) lost.push({packet: copy, atNs});
  }
  return lost;
}

/**
 * Returns a function that determines whether an endpoint is in recovery at a given time, or leaves recovery at this
 * time. Call it with times in ascending order.
 */
function recoveries({data: {samples}}: Trace, endpoint: number): (ns: number) => boolean {
  let row = 0;
  let state = 0;
  let asked = {ns: Number.NEGATIVE_INFINITY, isIn: false};
  return ns => {
    if (ns > asked.ns) asked = {ns, isIn: RECOVERIES.has(state)};
    for (; row < samples.atNs.length && (samples.atNs[row] ?? 0) <= ns; row++) {
      if (samples.endpoint[row] !== endpoint) continue;
      state = samples.state[row] ?? 0;
      const wasIn = samples.atNs[row] === ns && asked.isIn;
      asked.isIn = wasIn || RECOVERIES.has(state);
    }
    return asked.isIn;
  };
}

/** The values of `SampleColumns.state` for fast recovery and loss recovery. */
const RECOVERIES: ReadonlySet<number> = new Set([3, 4]);

/**
 * Finds the latest packet that carried each piece of data. The pieces are those in which the data was first sent, even
 * if a retransmission divides the data differently.
 */
class LatestCopies {
  readonly #countsBytes: boolean;
  readonly #streams = new Map<number, {readonly ends: number[]; readonly packets: number[]}>();

  constructor(countsBytes: boolean) {
    this.#countsBytes = countsBytes;
  }

  /** Records that a packet carries data. Returns the packets that were the latest to carry parts of this data. */
  add(packet: number, stream: number, first: number, bytes: number): readonly number[] {
    const known = this.#streams.get(stream) ?? {ends: [], packets: []};
    this.#streams.set(stream, known);
    const {ends, packets} = known;
    const end = first + (this.#countsBytes ? bytes : 1);
    const before: number[] = [];
    for (let piece = firstAbove(ends, first); piece < ends.length; piece++) {
      if (piece > 0 && (ends[piece - 1] ?? 0) >= end) break;
      before.push(packets[piece] ?? 0);
      packets[piece] = packet;
    }
    if (end > (ends.at(-1) ?? 0)) {
      ends.push(end);
      packets.push(packet);
    }
    return before;
  }
}
