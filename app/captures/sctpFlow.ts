import type {IpPacket} from './ipPacket.ts';
import {numberAt} from './numbers.ts';
import type {RecordedPacket} from './recordedPacket.ts';
import type {SctpChunk, SctpPacket} from './sctpPacket.ts';
import {sideOf} from './tcpFlow.ts';

/** The packets of one SCTP association, in order of time. */
export interface SctpFlow {
  /** The client's address. */
  readonly client: string;
  readonly hasDtls: boolean;
  readonly packets: readonly FlowPacket[];
}

export interface FlowPacket {
  readonly recorded: RecordedPacket;
  readonly direction: 'down' | 'up';
  /** The ECN codepoint of the IP header. */
  readonly ecn: number;
  readonly chunks: readonly SctpChunk[];
}

/** Sorts packets into associations by their addresses and ports. */
export function sctpFlows(packets: readonly SctpPacket[]): readonly SctpFlow[] {
  const flows = new Map<string, SctpFlow & {readonly clientEnd: string; readonly packets: FlowPacket[]}>();
  for (const {ip, fromPort, toPort, chunks} of packets) {
    const [from, to] = [`${ip.from}|${fromPort}`, `${ip.to}|${toPort}`];
    const key = from < to ? `${from} ${to}` : `${to} ${from}`;
    let flow = flows.get(key);
    if (flow === undefined) {
      const isUp = isFromClient(ip, fromPort, toPort);
      flow = {client: isUp ? ip.from : ip.to, clientEnd: isUp ? from : to, hasDtls: false, packets: []};
      flows.set(key, flow);
    }
    const direction = from === flow.clientEnd ? 'up' : 'down';
    flow.packets.push({recorded: ip.recorded, direction, ecn: ip.ecn, chunks});
  }
  return [...flows.values()];
}

/**
 * Whether the first packet of an association comes from the client. A capture of this program says it. In others, the
 * client sends INIT, in a packet whose verification tag is 0 (RFC 9260 §8.5.1). If the capture lacks it, the end with
 * the larger port counts as the client.
 */
function isFromClient({recorded, payload}: IpPacket, fromPort: number, toPort: number): boolean {
  const side = sideOf(recorded);
  if (side !== undefined) return side === 'up';
  return numberAt(payload, 4, 4) === 0 || toPort < fromPort;
}
