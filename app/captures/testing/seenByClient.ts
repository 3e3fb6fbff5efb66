import {rowsOf} from '../../base/order.ts';
import {DIRECTION, FATE, PACKET_KIND} from '../../run/trace/columns.ts';
import type {TraceData} from '../../run/trace/traceData.ts';
import type {CapturedExchange, CapturedLoad, CapturedPacket} from '../capturedLoad.ts';

/**
 * Returns a computed load as a capture at the client would show it, except that the fates of the client's packets are
 * known. `addresses` and `bodies` are the URLs and the contents of the load's objects.
 */
export function seenByClient(
  data: TraceData,
  addresses: readonly string[],
  bodies: readonly (Uint8Array | null)[] = [],
): CapturedLoad {
  const kinds = Object.keys(PACKET_KIND) as (keyof typeof PACKET_KIND)[];
  const kindOf = (kind: number | undefined) => kinds.find(name => PACKET_KIND[name] === kind) ?? 'control';
  const {packets, chunks, chunkPieces, deliveries} = data;
  const requested = data.objects.flatMap((object, i) => (object.requestNs === null ? [] : [{object, i}]));
  requested.sort((a, b) => (a.object.requestNs ?? 0) - (b.object.requestNs ?? 0));
  const exchangeOf = new Map(requested.map(({i}, exchange) => [i, exchange]));
  const seen: CapturedPacket[] = [];
  for (const [row, sentNs] of packets.sentNs.entries()) {
    const isDown = packets.direction[row] === DIRECTION.down;
    const isArrived = packets.fate[row] === FATE.delivered;
    if (isDown && !isArrived) continue;
    seen.push({
      connection: data.connections.findIndex(
        ({client, server}) => client === packets.endpoint[row] || server === packets.endpoint[row],
      ),
      direction: isDown ? 'down' : 'up',
      bytes: packets.bytes[row] ?? 0,
      atNs: isDown ? (packets.fateNs[row] ?? 0) : sentNs,
      fate: isArrived ? 'delivered' : 'lost',
      ecn: packets.ecn[row] ?? 0,
      kind: kindOf(packets.kind[row]),
      cumulativeAck: packets.cumulativeAck[row] ?? Number.NaN,
      chunks: rowsOf(chunks.packet, row).map(chunk => ({
        first: chunks.first[chunk] ?? 0,
        bytes: chunks.bytes[chunk] ?? 0,
        stream: chunks.stream[chunk] ?? 0,
        message: chunks.message[chunk] ?? 0,
        retransmission: false,
        pieces: rowsOf(chunkPieces.row, chunk).map(piece => ({
          exchange: exchangeOf.get(chunkPieces.object[piece] ?? 0) ?? 0,
          bytes: chunkPieces.bytes[piece] ?? 0,
        })),
      })),
    });
  }
  seen.sort((a, b) => a.atNs - b.atNs);
  const startNs = seen[0]?.atNs ?? 0;
  const since = (ns: number | null): number | null => (ns === null ? null : ns - startNs);
  const exchanges = requested.map(({object, i}): CapturedExchange => {
    const rows = [...deliveries.object.keys()].filter(row => deliveries.object[row] === i);
    return {
      connection: object.connection,
      stream: object.stream ?? 0,
      method: 'GET',
      url: addresses[i] ?? '',
      requestFields: [['user-agent', 'Chrome/156']],
      responseFields: [['server', data.server ?? 'none']],
      requestNs: (object.requestNs ?? 0) - startNs,
      firstByteNs: since(object.firstByteNs),
      completeNs: since(object.completeNs),
      status: 200,
      requestBytes: 200,
      headerBytes: 250,
      bodyBytes: object.bytes,
      body: bodies[i] ?? null,
      deliveries: rows.map(row => ({atNs: (deliveries.atNs[row] ?? 0) - startNs, bytes: deliveries.bytes[row] ?? 0})),
      initiator: null,
      priority: null,
    };
  });
  return {
    kind: 'pcap',
    pipeline: data.pipeline,
    seenAt: 'client',
    connections: data.connections.map(({origin, client}) => ({
      origin: origin ?? 'https://www.interleave.test',
      hasTls: true,
      openNs: Math.max(0, (packets.sentNs[packets.endpoint.indexOf(client)] ?? 0) - startNs),
      connectedNs: since(data.setupNs),
      tlsNs: null,
      streams: 1,
    })),
    exchanges,
    packets: seen.map(packet => ({...packet, atNs: packet.atNs - startNs})),
    samples: [],
    notes: [],
  };
}
