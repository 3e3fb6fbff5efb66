import type {CapturedExchange, CapturedPacket} from './capturedLoad.ts';
import {beginNs} from './joinParts.ts';
import type {ConnectionPart} from './recordedPacket.ts';

/**
 * Divides the connections of one client into page loads. A load ends if for 3 s no handshake and no exchange is under
 * way. A connection that serves several loads is divided.
 */
export function pageLoads<P extends ConnectionPart>(parts: readonly P[]): readonly (readonly P[])[] {
  const starts = loadStarts(parts.flatMap(activities));
  if (starts.length < 2) return [parts];
  const loads = starts.map((): P[] => []);
  for (const part of parts) {
    for (const [load, startNs] of starts.entries()) {
      const share = between(
        part,
        load === 0 ? Number.NEGATIVE_INFINITY : startNs,
        starts[load + 1] ?? Number.POSITIVE_INFINITY,
      );
      if (share !== undefined) loads[load]?.push(share);
    }
  }
  return loads.filter(load => load.length > 0);
}

interface Activity {
  readonly fromNs: number;
  readonly toNs: number;
}

/** Returns when a connection was busy: during its handshake and its exchanges, or with any data. */
function activities(part: ConnectionPart): readonly Activity[] {
  const {connection, exchanges, packets} = part;
  const lastDataNs = packets.findLast(({kind}) => kind === 'data')?.atNs ?? beginNs(part);
  const from = beginNs(part);
  const handshake = {fromNs: from, toNs: Math.max(from, connection.tlsNs ?? connection.connectedNs ?? lastDataNs)};
  const ofExchanges = exchanges.map(exchange => {
    const {requestNs, completeNs} = exchange;
    return {fromNs: requestNs, toNs: Math.max(requestNs, completeNs ?? lastDeliveryNs(exchange) ?? requestNs)};
  });
  if (exchanges.length > 0) return [handshake, ...ofExchanges];
  const ofData = packets.filter(({kind}) => kind === 'data').map(({atNs}) => ({fromNs: atNs, toNs: atNs}));
  return [handshake, ...ofData];
}

function lastDeliveryNs({deliveries, firstByteNs}: CapturedExchange): number | null {
  return deliveries.at(-1)?.atNs ?? firstByteNs;
}

/** Returns the beginnings of the loads, in order. */
function loadStarts(activities: readonly Activity[]): readonly number[] {
  const starts: number[] = [];
  let busyUntilNs = Number.NEGATIVE_INFINITY;
  for (const {fromNs, toNs} of [...activities].sort((a, b) => a.fromNs - b.fromNs)) {
    if (!(fromNs < busyUntilNs + IDLE_NS)) starts.push(fromNs);
    busyUntilNs = Math.max(busyUntilNs, toNs);
  }
  return starts;
}

/** Returns the part of a connection between two times. Undefined if nothing of it is there. */
function between<P extends ConnectionPart>(part: P, fromNs: number, toNs: number): P | undefined {
  const isIn = (ns: number | null): boolean => ns !== null && ns >= fromNs && ns < toNs;
  const begin = beginNs(part);
  const exchanges: CapturedExchange[] = [];
  const numbers = part.exchanges.map(exchange => (isIn(exchange.requestNs) ? exchanges.push(exchange) - 1 : undefined));
  if (exchanges.length === 0 && !isIn(begin)) return undefined;
  const packets = part.packets
    .filter(({atNs}) => isIn(atNs))
    .map((packet): CapturedPacket => {
      const chunks = packet.chunks.map(chunk => ({
        ...chunk,
        pieces: chunk.pieces.flatMap(({exchange, bytes}) => {
          const number = numbers[exchange];
          return number === undefined ? [] : [{exchange: number, bytes}];
        }),
      }));
      return {...packet, chunks};
    });
  const {openNs, connectedNs, tlsNs, ...connection} = part.connection;
  const kept = (ns: number | null): number | null => (isIn(ns) ? ns : null);
  return {
    ...part,
    connection: {...connection, openNs: kept(openNs), connectedNs: kept(connectedNs), tlsNs: kept(tlsNs)},
    exchanges,
    packets,
  };
}

/** The pause after which a load is over. */
const IDLE_NS = 3e9;
