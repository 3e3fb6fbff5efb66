import type {TcpEndOptions} from '../../../app/http/transports.ts';

/**
 * The server's port in the TCP header, for connections with this profile. Each profile has its own port, from HTTP's
 * port upwards, because the client decides which rules the server's end follows: both ends of a simulated load have the
 * same profile. The TCP port has no other purpose here, as the UDP port already identifies the server.
 */
export function tcpPortOf(profile: TcpEndOptions['profile']): number {
  return HTTP_PORT + PROFILES.indexOf(profile);
}

/** The profile of the server's end at this TCP port. Undefined if nothing listens there. */
export function profileAt(port: number): TcpEndOptions['profile'] | undefined {
  return PROFILES[port - HTTP_PORT];
}

/** Reads what the server needs of a segment's header. Undefined if the segment is too short. */
export function segmentHeader(segment: Buffer): SegmentHeader | undefined {
  if (segment.length < HEADER_BYTES) return undefined;
  const flags = segment.readUInt8(13) & (FIN | SYN | RST | ACK);
  return {
    source: segment.readUInt16BE(0),
    destination: segment.readUInt16BE(2),
    isFirst: flags === SYN,
    hasData: isTcpData(segment),
  };
}

export interface SegmentHeader {
  readonly source: number;
  readonly destination: number;
  /** Whether the segment asks for a connection: it is a SYN and nothing else. */
  readonly isFirst: boolean;
  readonly hasData: boolean;
}

/**
 * Whether the segment has data behind its header (RFC 9293 §3.1). A segment that is cut short counts as one without
 * data.
 */
export function isTcpData(segment: Buffer): boolean {
  return segment.length > HEADER_BYTES && segment.length > 4 * ((segment[12] ?? 0) >> 4);
}

const HTTP_PORT = 80;
const PROFILES = ['classic', 'modern', 'reno', 'classic-quickack', 'classic-iw10'] as const;
/** Length of a TCP header without options (RFC 9293 §3.1). */
const HEADER_BYTES = 20;
const [FIN, SYN, RST, ACK] = [1, 2, 4, 16];
