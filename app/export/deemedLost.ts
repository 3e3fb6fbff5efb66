import {firstAbove, rowsOf} from '../base/order.ts';
import type {Trace} from '../run/trace/trace.ts';

/** A packet whose data its sender sent again because it took it for lost. */
export interface DeemedLost {
  readonly packet: number;
  /** When it was sent again: the sender knew by then, and no trace tells since when. ns since the run's start. */
  readonly atNs: number;
}

/**
 * What an endpoint took for lost, in order of time: also what had arrived, and not what was lost and never sent again.
 * A probe (RFC 8985 §7) takes nothing for lost: it is sent outside of recovery.
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

/** Whether an endpoint was in recovery at that time, or until then; asked for in order of time. */
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

/** `SampleColumns.state`: fast recovery and loss recovery. */
const RECOVERIES: ReadonlySet<number> = new Set([3, 4]);

/** Which packet carried each piece of data last. Pieces are as they were sent first, whatever they are cut into later. */
class LatestCopies {
  readonly #countsBytes: boolean;
  readonly #streams = new Map<number, {readonly ends: number[]; readonly packets: number[]}>();

  constructor(countsBytes: boolean) {
    this.#countsBytes = countsBytes;
  }

  /** Gives the packets that carried it, or some of it, before. */
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
