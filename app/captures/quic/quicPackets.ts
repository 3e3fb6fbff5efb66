import {ByteRanges} from '../byteRanges.ts';
import type {CapturedChunk, CapturedPacket} from '../capturedLoad.ts';
import type {KnownFate} from '../knownFate.ts';
import type {CapturedFrame} from './capturedFrame.ts';

/** A UDP datagram with its QUIC packets and their frames. */
export interface QuicDatagram {
  readonly atNs: number;
  readonly direction: 'down' | 'up';
  /** Size of the IP packet with its header. */
  readonly bytes: number;
  readonly ecn: number;
  /** The fate of the datagram, if the file states it. */
  readonly known: KnownFate | undefined;
  readonly packets: readonly QuicPacket[];
}

export interface QuicPacket {
  /** The packet number space (RFC 9000 §12.3). `none`: Retry and Version Negotiation have no packet number. */
  readonly space: 'initial' | 'handshake' | 'application' | 'none';
  /** Null if the packet has no number, or if it could not be decrypted. */
  readonly number: number | null;
  readonly frames: readonly CapturedFrame[];
}

/**
 * Returns the fate of each datagram: the one that the file states, or else the one that the peer's acknowledgements
 * show. A datagram is lost if none of its packets was ever acknowledged, and the peer acknowledged a packet whose
 * number is larger by at least kPacketThreshold (RFC 9002 §6.1.1).
 */
export function fatesOf(datagrams: readonly QuicDatagram[]): readonly KnownFate[] {
  const acknowledged = new Acknowledged(datagrams);
  return datagrams.map(datagram => datagram.known ?? {fate: acknowledged.fateOf(datagram)});
}

/**
 * Returns a packet of the load for each datagram. `fates` has the fate of each datagram, and `exchangeOf` returns the
 * index of the exchange on a stream.
 */
export function quicPackets(
  datagrams: readonly QuicDatagram[],
  fates: readonly KnownFate[],
  exchangeOf: (stream: number) => number | undefined,
): readonly CapturedPacket[] {
  const again = retransmissions(datagrams);
  return datagrams.map(({atNs, direction, bytes, ecn, packets}, i) => ({
    connection: 0,
    direction,
    bytes,
    atNs,
    fate: null,
    ...fates[i],
    ecn,
    kind: kindOf(packets),
    cumulativeAck: cumulativeAck(packets),
    chunks: packets
      .flatMap(packet => packet.frames)
      .flatMap((frame): readonly CapturedChunk[] => {
        if (frame.kind !== 'stream' || frame.bytes === 0) return [];
        const {stream, first, bytes: size} = frame;
        const exchange = exchangeOf(stream);
        const pieces = exchange === undefined ? [] : [{exchange, bytes: size}];
        return [{first, bytes: size, stream, message: 0, retransmission: again.has(frame), pieces}];
      }),
  }));
}

/** The kind of a datagram, by the same rules as those of a trace (`Contents::kind` in `observed.rs`). */
function kindOf(packets: readonly QuicPacket[]): CapturedPacket['kind'] {
  const frames = packets.flatMap(packet => packet.frames);
  if (frames.some(frame => frame.kind === 'stream' && frame.bytes > 0)) return 'data';
  const close = frames.find(frame => frame.kind === 'close');
  if (close !== undefined) return close.isNormal ? 'close' : 'abort';
  const isHandshake = packets.some(({space}) => space !== 'application');
  if (isHandshake || frames.some(({kind}) => kind === 'setUp')) return 'setUp';
  const isControl = frames.some(({kind}) => kind === 'control' || kind === 'stream');
  // A 1-RTT packet that could not be decrypted may contain anything.
  return isControl || packets.some(({number}) => number === null) ? 'control' : 'acknowledgement';
}

/** See `PacketColumns.cumulativeAck`. */
function cumulativeAck(packets: readonly QuicPacket[]): number {
  let cumulative = Number.NaN;
  for (const {space, frames} of packets) {
    if (space !== 'application') continue;
    for (const frame of frames) {
      if (frame.kind === 'ack' && frame.ranges.length > 0) cumulative = 1 + largestIn(frame.ranges);
    }
  }
  return cumulative;
}

function largestIn(ranges: readonly (readonly [number, number])[]): number {
  return ranges.reduce((most, [, last]) => Math.max(most, last), 0);
}

/**
 * Returns the STREAM frames that are retransmissions: they begin before the end of the data that had already been sent
 * on their stream. QUIC never uses a packet number twice, so the numbers show the order of sending. The capture may
 * have the packets in another order.
 */
function retransmissions(datagrams: readonly QuicDatagram[]): ReadonlySet<CapturedFrame> {
  const again = new Set<CapturedFrame>();
  for (const direction of ['down', 'up']) {
    const packets = datagrams
      .filter(datagram => datagram.direction === direction)
      .flatMap(datagram => datagram.packets)
      .filter(({space}) => space === 'application')
      .sort((a, b) => (a.number ?? 0) - (b.number ?? 0));
    const sentTo = new Map<number, number>();
    for (const frame of packets.flatMap(({frames}) => frames)) {
      if (frame.kind !== 'stream' || frame.bytes === 0) continue;
      const end = sentTo.get(frame.stream) ?? 0;
      if (frame.first < end) again.add(frame);
      sentTo.set(frame.stream, Math.max(end, frame.first + frame.bytes));
    }
  }
  return again;
}

/** The packets that the acknowledgements in a capture cover. */
class Acknowledged {
  /** The numbers of the acknowledged packets, by their direction and space. */
  readonly #numbers = new Map<string, ByteRanges>();

  constructor(datagrams: readonly QuicDatagram[]) {
    for (const {direction, packets} of datagrams) {
      for (const {space, frames} of packets) {
        const ranges = this.#of(direction === 'up' ? 'down' : 'up', space);
        for (const frame of frames) {
          if (frame.kind === 'ack') for (const [first, last] of frame.ranges) ranges.add(first, last + 1);
        }
      }
    }
  }

  fateOf({direction, packets}: QuicDatagram): CapturedPacket['fate'] {
    let isLost = false;
    for (const {space, number} of packets) {
      const ranges = this.#of(direction, space);
      if (number === null) continue;
      if (ranges.has(number)) return 'delivered';
      isLost ||= number + PACKET_THRESHOLD <= ranges.largest;
    }
    return isLost ? 'lost' : null;
  }

  #of(direction: 'down' | 'up', space: QuicPacket['space']): ByteRanges {
    const key = `${direction} ${space}`;
    const ranges = this.#numbers.get(key) ?? new ByteRanges();
    this.#numbers.set(key, ranges);
    return ranges;
  }
}

const PACKET_THRESHOLD = 3;
