import {numberAt} from './numbers.ts';
import type {SctpPacket} from './sctpPacket.ts';
import {sideOf} from './tcpFlow.ts';

/** The packets of one SCTP association, in order of time. */
export interface SctpFlow {
  /** The client's address. */
  readonly client: string;
  readonly packets: readonly {readonly packet: SctpPacket; readonly direction: 'down' | 'up'}[];
}

/** Sorts packets into associations by their addresses and ports. */
export function sctpFlows(packets: readonly SctpPacket[]): readonly SctpFlow[] {
  const flows = new Map<string, {client: string; clientEnd: string; packets: SctpFlow['packets'][number][]}>();
  for (const packet of packets) {
    const {ip, fromPort, toPort} = packet;
    const [from, to] = [`${ip.from}|${fromPort}`, `${ip.to}|${toPort}`];
    const key = from < to ? `${from} ${to}` : `${to} ${from}`;
    let flow = flows.get(key);
    if (flow === undefined) {
      // the client sends INIT, whose packet has no verification tag (RFC 9260 §8.5.1)
      const isInit = numberAt(ip.payload, 4, 4) === 0;
      const isUp = sideOf(ip.recorded) === 'up' || isInit || toPort < fromPort;
      flow = {client: isUp ? ip.from : ip.to, clientEnd: isUp ? from : to, packets: []};
      flows.set(key, flow);
    }
    flow.packets.push({packet, direction: from === flow.clientEnd ? 'up' : 'down'});
  }
  return [...flows.values()];
}
