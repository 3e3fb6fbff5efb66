import type {TcpEndOptions} from '../../app/http/transports.ts';

/**
 * A server's port in TCP's header. It has one for each profile, from that of HTTP on: whoever asks decides by which rules
 * its end sends, as both ends of a computed load have one profile. Ports in TCP's header are else of no use, as UDP's
 * are what leads there.
 */
export function tcpPortOf(profile: TcpEndOptions['profile']): number {
  return HTTP_PORT + PROFILES.indexOf(profile);
}

/** What the server has there; undefined if nothing. */
export function profileAt(port: number): TcpEndOptions['profile'] | undefined {
  return PROFILES[port - HTTP_PORT];
}

/** The ports of a segment's header, and what of it says whose it is; undefined if it is too short. */
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
  /** It asks for a connection: a SYN, and nothing else. */
  readonly isFirst: boolean;
  readonly hasData: boolean;
}

/** The segment goes on behind its header (RFC 9293 §3.1). What is cut short has no data. */
export function isTcpData(segment: Buffer): boolean {
  return segment.length > HEADER_BYTES && segment.length > 4 * ((segment[12] ?? 0) >> 4);
}

const HTTP_PORT = 80;
const PROFILES = ['classic', 'modern', 'reno', 'classic-quickack', 'classic-iw10'] as const;
/** RFC 9293 §3.1. */
const HEADER_BYTES = 20;
const [FIN, SYN, RST, ACK] = [1, 2, 4, 16];
