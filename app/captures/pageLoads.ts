import {firstAbove} from '../base/order.ts';
import type {CapturedExchange} from './capturedLoad.ts';
import {beginNs} from './joinParts.ts';
import {type ConnectionPart, type PartPacket, renumbered} from './recordedPacket.ts';

/**
 * Divides the connections of one client into page loads. A load ends after 3 s in which no connection was busy
 * ({@link activities}). A connection that carried several loads is divided among them.
 */
export function pageLoads<P extends ConnectionPart>(parts: readonly P[]): readonly (readonly P[])[] {
  const starts = loadStarts(parts.flatMap(activities));
  if (starts.length < 2) return [parts];
  // what comes before the first load is counted with the first load
  const loadOf = (ns: number): number => Math.max(firstAbove(starts, ns) - 1, 0);
  const loads = starts.map((): P[] => []);
  for (const part of parts) for (const [load, share] of divided(part, loadOf)) loads[load]?.push(share);
  return loads.filter(load => load.length > 0);
}

interface Activity {
  readonly fromNs: number;
  readonly toNs: number;
}

/**
 * Returns when a connection was busy: during its handshake and its exchanges. Without exchanges, its packets with data
 * count.
 */
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

/**
 * Divides a connection among the loads in which it began or has an exchange. Packets at the time of other loads are
 * left out.
 */
function divided<P extends ConnectionPart>(part: P, loadOf: (ns: number) => number): ReadonlyMap<number, P> {
  const shares = new Map<number, {readonly exchanges: CapturedExchange[]; readonly packets: PartPacket[]}>();
  const shareOf = (load: number) => {
    const share = shares.get(load) ?? {exchanges: [], packets: []};
    shares.set(load, share);
    return share;
  };
  shareOf(loadOf(beginNs(part)));
  const places = part.exchanges.map(exchange => {
    const load = loadOf(exchange.requestNs);
    return {load, number: shareOf(load).exchanges.push(exchange) - 1};
  });
  for (const packet of part.packets) {
    const load = loadOf(packet.atNs);
    const numberOf = (exchange: number): number | undefined => {
      const place = places[exchange];
      return place?.load === load ? place.number : undefined;
    };
    shares.get(load)?.packets.push({...packet, chunks: renumbered(packet, numberOf)});
  }
  const {openNs, connectedNs, tlsNs, ...connection} = part.connection;
  return new Map(
    Array.from(shares, ([load, share]) => {
      const kept = (ns: number | null): number | null => (ns !== null && loadOf(ns) === load ? ns : null);
      const times = {openNs: kept(openNs), connectedNs: kept(connectedNs), tlsNs: kept(tlsNs)};
      return [load, {...part, connection: {...connection, ...times}, ...share}];
    }),
  );
}

/** After this pause, ns, a load is over. */
const IDLE_NS = 3e9;
