import type {CapturedChunk, CapturedConnection, CapturedExchange, CapturedPacket} from './capturedLoad.ts';

/** A packet as a capture file has it, without its link layer. */
export interface RecordedPacket {
  /** Index among the packets of the file in order of time. */
  readonly row: number;
  /** Time since the first packet of the file. */
  readonly atNs: number;
  /** Size of the IP packet on the wire. */
  readonly bytes: number;
  /** Which way the packet went at the host that recorded it. Undefined if the file does not say it. */
  readonly way?: 'received' | 'sent' | undefined;
  /**
   * The packet, beginning with its IP header. Shorter than `bytes` if the file has only the beginning of each packet.
   */
  readonly data: Uint8Array;
  /** The comments of the packet's block. Empty if it has none. */
  readonly comment: string;
  /** The name of the interface that recorded the packet. Empty if the file does not have it. */
  readonly interface: string;
}

/** The payload of a UDP datagram, with its place in the file. */
export interface UdpDatagram {
  readonly packet: RecordedPacket;
  readonly direction: 'down' | 'up';
  readonly payload: Uint8Array;
  /** The ECN codepoint of the IP header. */
  readonly ecn: number;
}

/**
 * A packet with its index in the file, if the reader keeps the index. Packets that have the same time are sorted by
 * it.
 */
export type PartPacket = CapturedPacket & {readonly row?: number};

/**
 * Returns the chunks of a packet with other numbers of exchanges in their pieces. Pieces of an exchange without a new
 * number are left out.
 */
export function renumbered(
  {chunks}: PartPacket,
  numberOf: (exchange: number) => number | undefined,
): readonly CapturedChunk[] {
  return chunks.map(({pieces, ...chunk}) => ({
    ...chunk,
    pieces: pieces.flatMap(({exchange, bytes}) => {
      const number = numberOf(exchange);
      return number === undefined ? [] : [{exchange: number, bytes}];
    }),
  }));
}

/**
 * What the reader of one connection found. The packets have connection 0, and the chunks refer to `exchanges` by index.
 * `joinParts` replaces both numbers by those of the load.
 */
export interface ConnectionPart {
  readonly connection: CapturedConnection;
  readonly exchanges: readonly CapturedExchange[];
  readonly packets: readonly PartPacket[];
  readonly notes: readonly string[];
  /** The connection to whose exchanges the chunks refer, if it is not this one. */
  readonly exchangesOf?: ConnectionPart;
}
