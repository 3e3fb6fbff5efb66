import type {OwnTransport} from '../../http/exchange.ts';
import type {BlockedColumns, ChunkColumns, PacketColumns} from '../trace/columns.ts';

/** The network's chunks. Datagrams are numbered by the frames that they carried, as their exchange knows them. */
export function numberedChunks(own: OwnTransport, packets: PacketColumns, chunks: ChunkColumns): ChunkColumns {
  const first = chunks.first.slice();
  const [stream, retransmission] = [chunks.stream.slice(), chunks.retransmission.slice()];
  for (const [row, packet] of chunks.packet.entries()) {
    const frame = own.frameOf(packets.endpoint[packet] ?? 0, chunks.message[row] ?? 0);
    if (frame === undefined) continue;
    first[row] = frame.number;
    stream[row] = frame.stream;
    retransmission[row] = frame.isRepeat ? 1 : 0;
  }
  return {...chunks, first, stream, retransmission};
}

/** Data that waited in transports, followed by data that waited above them. */
export function withWaits(own: OwnTransport, blocked: BlockedColumns): BlockedColumns {
  const waits = own.waits();
  return {
    endpoint: Uint32Array.from([...blocked.endpoint, ...waits.map(({endpoint}) => endpoint)]),
    stream: Uint32Array.from([...blocked.stream, ...waits.map(({stream}) => stream)]),
    first: Float64Array.from([...blocked.first, ...waits.map(({number}) => number)]),
    bytes: Uint32Array.from([...blocked.bytes, ...waits.map(({bytes}) => bytes)]),
    startNs: Float64Array.from([...blocked.startNs, ...waits.map(({startNs}) => startNs)]),
    endNs: Float64Array.from([...blocked.endNs, ...waits.map(({endNs}) => endNs)]),
  };
}
