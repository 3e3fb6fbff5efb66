import type {CapturedConnection, CapturedExchange, CapturedPacket} from './capturedLoad.ts';

/** A packet as a capture file has it, without its link layer. */
export interface RecordedPacket {
  /** Place among the packets of the file, which have the order of time. */
  readonly row: number;
  /** Time since the first packet of the file. */
  readonly atNs: number;
  /** Size of the IP packet on the wire. */
  readonly bytes: number;
  /** The packet from its IP header on. Shorter than `bytes` if the file has only the beginning of each packet. */
  readonly data: Uint8Array;
  /** The comments of the packet's block. Empty if it has none. */
  readonly comment: string;
  /** The name of the interface that recorded it. Empty if the file does not say it. */
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

/** A packet with its place in the file, if the reader keeps it. Packets of one time have the order of their places. */
export type PartPacket = CapturedPacket & {readonly row?: number};

/**
 * What the reader of one connection found. Its packets have connection 0, and its chunks number the exchanges from 0;
 * `joinParts` renumbers both.
 */
export interface ConnectionPart {
  readonly connection: CapturedConnection;
  readonly exchanges: readonly CapturedExchange[];
  readonly packets: readonly PartPacket[];
  readonly notes: readonly string[];
  /** The connection whose exchanges the chunks number, if that is another one. */
  readonly exchangesOf?: ConnectionPart;
}
