import type {PipelineName} from '../../pipelines/index.ts';
import {ByteRanges} from '../byteRanges.ts';
import type {CapturedChunk, CapturedPacket} from '../capturedLoad.ts';
import {type Fields, listOf, numberOf, objectOf} from '../jsonFields.ts';
import type {KnownFate} from '../knownFate.ts';
import {rangesOf} from '../quic/capturedFrame.ts';
import type {QlogEvent} from './qlogFile.ts';

/**
 * Reads the packets in a log of this program (`qlog.ts`) that are not logged as QUIC packets: their transport is not
 * QUIC, or the bytes of QUIC packets were not known when the log was written. The log has the size of each IP packet,
 * and frames with the positions that the data have in the trace of the run. It does not say which packets belong to the
 * handshake, so packets that have neither data nor an acknowledgement are of the kind `control`.
 */
export function plainPackets(
  events: readonly QlogEvent[],
  {
    pipeline,
    isServer,
    known,
  }: {readonly pipeline: PipelineName; readonly isServer: boolean; readonly known: ReadonlyMap<number, KnownFate>},
): {readonly packets: readonly CapturedPacket[]; readonly connectedNs: null} {
  const acknowledged = new ByteRanges();
  const packets: (CapturedPacket & {readonly number: number | undefined})[] = [];
  for (const {atNs, name, namespace, data} of events) {
    if (namespace !== pipeline || (name !== 'packet_sent' && name !== 'packet_received')) continue;
    const isSent = name === 'packet_sent';
    const frames = listOf(data['frames']).map(objectOf);
    const number = numberOf(objectOf(data['header'])['packet_number']);
    const chunks = chunksOf(frames.filter(({frame_type}) => frame_type === 'stream'));
    const ack = frames.find(({frame_type}) => frame_type === 'ack');
    if (!isSent) for (const [first, last] of rangesOf(ack?.['acked_ranges'])) acknowledged.add(first, last + 1);
    packets.push({
      connection: 0,
      direction: isSent === isServer ? 'down' : 'up',
      bytes: numberOf(objectOf(data['raw'])['length']) ?? 0,
      atNs,
      ...(isSent ? (known.get(number ?? -1) ?? {fate: null}) : {fate: 'delivered'}),
      ecn: 0,
      kind: chunks.length > 0 ? 'data' : ack === undefined ? 'control' : 'acknowledgement',
      cumulativeAck: cumulativeOf(ack),
      chunks,
      number: isSent ? number : undefined,
    });
  }
  return {
    packets: packets.map(({number, ...packet}) =>
      packet.fate === null && number !== undefined && acknowledged.has(number)
        ? {...packet, fate: 'delivered'}
        : packet,
    ),
    connectedNs: null,
  };
}

/** See `PacketColumns.cumulativeAck`. */
function cumulativeOf(ack: Fields | undefined): number {
  const largest = numberOf(ack?.['largest_acknowledged']);
  return numberOf(ack?.['cumulative']) ?? (largest === undefined ? Number.NaN : largest + 1);
}

/**
 * Returns the chunks of a packet. A TCP segment with HTTP/2 has a frame for each stream of HTTP/2; they become one
 * chunk.
 */
function chunksOf(frames: readonly Fields[]): readonly CapturedChunk[] {
  const chunks = new Map<string, CapturedChunk>();
  for (const frame of frames) {
    const number = numberOf(frame['tsn']) ?? numberOf(frame['chunk']);
    const first = number ?? numberOf(frame['tcp_offset']) ?? numberOf(frame['offset']) ?? 0;
    const datagram = numberOf(frame['datagram']);
    const isMultiplexed = frame['http2_stream'] !== undefined;
    const id = (numberOf(frame['stream_id']) ?? 0) / (datagram === undefined ? 1 : 4);
    const stream = isMultiplexed ? 0 : (numberOf(frame['sctp_stream']) ?? id);
    const before = chunks.get(`${first} ${stream}`);
    chunks.set(`${first} ${stream}`, {
      first,
      bytes: (before?.bytes ?? 0) + (numberOf(frame['length']) ?? 0),
      stream,
      message: numberOf(frame['message']) ?? datagram ?? 0,
      retransmission: frame['retransmission'] === true,
      pieces: [],
    });
  }
  return [...chunks.values()];
}
