import type {CapturedExchange, CapturedLoad, CapturedPacket} from './capturedLoad.ts';
import {type ConnectionPart, type PartPacket, renumbered} from './recordedPacket.ts';
import {pageFirst} from './requestOrder.ts';

/**
 * The fields of a load that do not come from its connections. `notes` has only the notes that concern the whole load.
 */
type LoadFrame = Pick<CapturedLoad, 'kind' | 'pipeline' | 'seenAt' | 'notes'>;

/**
 * Joins connections to one page load. Connections, exchanges and packets get their order and numbers in the load, and
 * times count from the load's first event.
 */
export function joinParts(parts: readonly ConnectionPart[], {notes, ...frame}: LoadFrame): CapturedLoad {
  const ordered = [...parts].sort((a, b) => beginNs(a) - beginNs(b));
  const [first] = ordered;
  const startNs = first === undefined ? 0 : beginNs(first);
  const requests = pageFirst(
    ordered.flatMap(({exchanges}, connection) => exchanges.map((exchange, own) => ({exchange, connection, own}))),
  );
  const numbers = ordered.map(({exchanges}) => new Array<number>(exchanges.length));
  for (const [number, {connection, own}] of requests.entries()) {
    const ofConnection = numbers[connection];
    if (ofConnection !== undefined) ofConnection[own] = number;
  }
  const places = new Map(ordered.map((part, connection) => [part, connection]));
  const packets = ordered.flatMap((part, connection) => {
    const own = numbers[places.get(part.exchangesOf ?? part) ?? connection] ?? [];
    return part.packets.map(packet => ({packet, connection, own}));
  });
  packets.sort(({packet: a}, {packet: b}) => a.atNs - b.atNs || (a.row ?? 0) - (b.row ?? 0));
  return {
    ...frame,
    connections: ordered.map(({connection: {openNs, connectedNs, tlsNs, ...rest}}) => ({
      ...rest,
      openNs: moved(openNs, startNs),
      connectedNs: moved(connectedNs, startNs),
      tlsNs: moved(tlsNs, startNs),
    })),
    exchanges: requests.map(({exchange, connection}) => movedExchange(exchange, connection, startNs)),
    packets: packets.map(({packet, connection, own}) => movedPacket(packet, connection, startNs, own)),
    samples: [],
    notes: [...new Set([...notes, ...ordered.flatMap(part => part.notes)])],
  };
}

/**
 * Returns the time of a connection's first event, ns. A request counts only if the connection has no packets, because
 * the request may have been sent over another connection ({@link ConnectionPart.exchangesOf}).
 */
export function beginNs({connection, exchanges, packets}: ConnectionPart): number {
  const firstNs = packets[0]?.atNs ?? exchanges[0]?.requestNs ?? Number.POSITIVE_INFINITY;
  return Math.min(connection.openNs ?? Number.POSITIVE_INFINITY, firstNs);
}

function movedExchange(exchange: CapturedExchange, connection: number, startNs: number): CapturedExchange {
  return {
    ...exchange,
    connection,
    requestNs: exchange.requestNs - startNs,
    firstByteNs: moved(exchange.firstByteNs, startNs),
    completeNs: moved(exchange.completeNs, startNs),
    deliveries: exchange.deliveries.map(({atNs, bytes}) => ({atNs: moved(atNs, startNs), bytes})),
  };
}

/** Returns a packet of the load, without its index in the file. */
function movedPacket(
  packet: PartPacket,
  connection: number,
  startNs: number,
  numbers: readonly number[],
): CapturedPacket {
  const {row: _, arrivedNs, ...copy} = packet;
  // a capture may have a million packets, so the copy is changed and not copied again
  return Object.assign(copy, {
    connection,
    atNs: packet.atNs - startNs,
    ...(arrivedNs === undefined ? {} : {arrivedNs: moved(arrivedNs, startNs)}),
    chunks: renumbered(packet, exchange => numbers[exchange]),
  });
}

/**
 * Converts a time to ns since the start of the load. In a damaged file, a response can be earlier than its load; its
 * time becomes 0.
 */
function moved<N extends number | null>(ns: N, startNs: number): N | number {
  return ns === null ? ns : Math.max(ns - startNs, 0);
}
