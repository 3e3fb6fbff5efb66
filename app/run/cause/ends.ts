import {FATE} from '../trace/columns.ts';
import type {TraceData} from '../trace/traceData.ts';

/** The other end of an endpoint's connection. */
export function peerOf(connections: TraceData['connections'], endpoint: number): number | undefined {
  const ends = connections.find(({client, server}) => client === endpoint || server === endpoint);
  return ends?.client === endpoint ? ends.server : ends?.client;
}

/** Whether a packet reaches an endpoint at this instant. */
export function arrivesAt({packets, connections}: TraceData, endpoint: number, ns: number): boolean {
  const peer = peerOf(connections, endpoint);
  return packets.fateNs.some(
    (fateNs, row) => fateNs === ns && packets.fate[row] === FATE.delivered && packets.endpoint[row] === peer,
  );
}
