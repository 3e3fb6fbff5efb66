import type {TcpEndOptions} from '../../../app/http/transports.ts';

/**
 * The server's TCP port for connections with this profile. By choosing the port, the client chooses the profile of the
 * server's end, so that both ends have the same profile, as in simulations. The ports are HTTP's port and those after
 * it. They have no other purpose, because the UDP port already identifies the server.
 */
export function tcpPortOf(profile: TcpEndOptions['profile']): number {
  return HTTP_PORT + PROFILES.indexOf(profile);
}

/** The profile of the server's end at this TCP port. Undefined if nothing listens there. */
export function profileAt(port: number): TcpEndOptions['profile'] | undefined {
  return PROFILES[port - HTTP_PORT];
}

/** Reads the header fields that the server needs. Undefined if the segment is shorter than a TCP header. */
export function segmentHeader(segment: Buffer): SegmentHeader | undefined {
  if (segment.length < HEADER_BYTES) return undefined;
  const flags = segment.readUInt8(13) & (SYN | RST | ACK);
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
  /**
   * Whether the segment requests a connection. Such a segment has the flag SYN, without ACK and RST. A FIN does not
   * matter (RFC 9293 §3.10.7.2).
   */
  readonly isFirst: boolean;
  readonly hasData: boolean;
}

/** Whether the segment has data after its header (RFC 9293 §3.1). False if the header is cut short. */
export function isTcpData(segment: Buffer): boolean {
  return segment.length > HEADER_BYTES && segment.length > 4 * ((segment[12] ?? 0) >> 4);
}

const HTTP_PORT = 80;
const PROFILES = ['classic', 'modern', 'reno', 'classic-quickack', 'classic-iw10'] as const;
/** Length of a TCP header without options (RFC 9293 §3.1). */
const HEADER_BYTES = 20;
const [SYN, RST, ACK] = [2, 4, 16];
