import {numberAt} from './numbers.ts';
import type {RecordedPacket} from './recordedPacket.ts';

/** An IP packet whose transport header is not read yet. */
export interface IpPacket {
  readonly recorded: RecordedPacket;
  readonly protocol: number;
  readonly from: string;
  readonly to: string;
  /** The ECN codepoint. */
  readonly ecn: number;
  /** The identification of IPv4. 0 if the packet has none. */
  readonly identification: number;
  /** The transport's packet. The file may have only its beginning. */
  readonly payload: Uint8Array;
  /** Size of the transport's packet on the wire. */
  readonly payloadBytes: number;
}

/** The protocol numbers of the transports (IANA). */
export const PROTOCOL = {tcp: 6, udp: 17, sctp: 132} as const;

/**
 * Reads the header of an IPv4 or IPv6 packet (RFC 791 §3.1, RFC 8200 §3). Undefined if the header is truncated, invalid
 * or of another version, if it has more than {@link MOST_EXTENSIONS} extension headers, or if the packet is a fragment
 * of IPv4, because fragments are not put together. A fragment of IPv6 has the protocol number 44, that of its fragment
 * header.
 */
export function readIpPacket(recorded: RecordedPacket): IpPacket | undefined {
  const version = (recorded.data[0] ?? 0) >> 4;
  if (version === 4) return readIpv4(recorded);
  return version === 6 ? readIpv6(recorded) : undefined;
}

function readIpv4(recorded: RecordedPacket): IpPacket | undefined {
  const {data} = recorded;
  const headerBytes = ((data[0] ?? 0) & 15) * 4;
  if (headerBytes < 20 || data.length < headerBytes) return undefined;
  // this is a fragment: more fragments follow, or others came before
  if ((numberAt(data, 6, 2) & 0x3fff) !== 0) return undefined;
  const address = (at: number): string => data.subarray(at, at + 4).join('.');
  return {
    recorded,
    protocol: data[9] ?? 0,
    from: address(12),
    to: address(16),
    ecn: (data[1] ?? 0) & 3,
    identification: numberAt(data, 4, 2),
    payload: data.subarray(headerBytes),
    payloadBytes: Math.max(recorded.bytes - headerBytes, 0),
  };
}

function readIpv6(recorded: RecordedPacket): IpPacket | undefined {
  const {data} = recorded;
  if (data.length < IPV6_HEADER_BYTES) return undefined;
  let protocol = data[6] ?? 0;
  let at = IPV6_HEADER_BYTES;
  for (let headers = 0; EXTENSIONS.has(protocol); headers++) {
    if (headers === MOST_EXTENSIONS || at + 2 > data.length) return undefined;
    protocol = data[at] ?? 0;
    at += 8 + 8 * (data[at + 1] ?? 0);
  }
  if (at > data.length) return undefined;
  return {
    recorded,
    protocol,
    from: ipv6Address(data.subarray(8, 24)),
    to: ipv6Address(data.subarray(24, 40)),
    ecn: (numberAt(data, 0, 2) >> 4) & 3,
    identification: 0,
    payload: data.subarray(at),
    payloadBytes: Math.max(recorded.bytes - at, 0),
  };
}

function ipv6Address(bytes: Uint8Array): string {
  return Array.from({length: 8}, (_, i) => numberAt(bytes, 2 * i, 2).toString(16)).join(':');
}

const IPV6_HEADER_BYTES = 40;
/** Hop-by-hop options, routing and destination options (RFC 8200 §4). */
const EXTENSIONS: ReadonlySet<number> = new Set([0, 43, 60]);
const MOST_EXTENSIONS = 8;
