import {cachedByTrace} from '../trace/cachedByTrace.ts';
import {DIRECTION, FATE} from '../trace/columns.ts';
import type {Trace} from '../trace/trace.ts';

/**
 * The intervals in which a direction of the path serialises packets. Row i is one packet; rows are in order of time.
 */
export interface LinkUse {
  readonly startNs: Float64Array;
  readonly endNs: Float64Array;
  /** Row in the trace's packets, or -1 for a packet of other traffic. */
  readonly packet: Int32Array;
  /** For each row in the trace's packets: its row here, or -1 if the link is not known to have serialised it. */
  readonly rowOf: Int32Array;
}

/**
 * Returns how each direction of the path was used. A packet's serialisation starts when the packet was sent or when the
 * packet before it has left, whichever is later. Live and captured loads do not have the times at which packets left,
 * so their links appear unused.
 */
export const linkUse = cachedByTrace((trace: Trace): {readonly [D in keyof typeof DIRECTION]: LinkUse} => ({
  down: useOf(trace, DIRECTION.down),
  up: useOf(trace, DIRECTION.up),
}));

function useOf({data}: Trace, direction: number): LinkUse {
  const {packets, traffic} = data;
  const left: {readonly sentNs: number; readonly leftNs: number; readonly packet: number}[] = [];
  for (let row = 0; row < packets.leftNs.length; row++) {
    const [sentNs = 0, leftNs = Number.NaN] = [packets.sentNs[row], packets.leftNs[row]];
    if (packets.direction[row] === direction && wasSerialised(leftNs, packets.fate[row]))
      left.push({sentNs, leftNs, packet: row});
  }
  const others = traffic?.packets;
  for (let row = 0; row < (others?.leftNs.length ?? 0); row++) {
    const [sentNs = 0, leftNs = Number.NaN] = [others?.sentNs[row], others?.leftNs[row]];
    if (others?.direction[row] === direction && wasSerialised(leftNs, others.fate[row]))
      left.push({sentNs, leftNs, packet: -1});
  }
  left.sort((a, b) => a.leftNs - b.leftNs);
  const use = {
    startNs: new Float64Array(left.length),
    endNs: new Float64Array(left.length),
    packet: new Int32Array(left.length),
    rowOf: new Int32Array(packets.sentNs.length).fill(-1),
  };
  let freeNs = Number.NEGATIVE_INFINITY;
  for (const [row, {sentNs, leftNs, packet}] of left.entries()) {
    use.startNs[row] = Math.max(sentNs, freeNs);
    use.endNs[row] = leftNs;
    use.packet[row] = packet;
    if (packet >= 0) use.rowOf[packet] = row;
    freeNs = leftNs;
  }
  return use;
}

/**
 * Whether the link serialised a packet. A packet that the queue accepted and dropped later has a time at which it left,
 * but this can be in the middle of another packet's serialisation (FQ-CoDel, RFC 8290 §4.1.3).
 */
function wasSerialised(leftNs: number, fate: number | undefined): boolean {
  return !Number.isNaN(leftNs) && fate !== FATE.queueFull && fate !== FATE.early;
}
