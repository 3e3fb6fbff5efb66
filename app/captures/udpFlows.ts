import {beginsDtls} from './dtlsFlow.ts';
import {isOfFrames} from './framesPart.ts';
import type {IpPacket} from './ipPacket.ts';
import {numberAt} from './numbers.ts';
import type {UdpDatagram} from './recordedPacket.ts';
import {sideOf} from './tcpFlow.ts';

/** The datagrams of one connection, in order of time. */
export interface UdpFlow {
  /** The client's address. */
  readonly client: string;
  /** `frames` is HTTP in bare datagrams. */
  readonly protocol: 'quic' | 'dtls' | 'frames';
  readonly datagrams: readonly UdpDatagram[];
}

/**
 * Sorts datagrams into connections by their addresses and ports. Connections of protocols other than the three of
 * {@link UdpFlow.protocol} are left out.
 */
export function udpFlows(packets: readonly IpPacket[]): readonly UdpFlow[] {
  return flowsOf(packets).flatMap(flow => {
    const protocol = protocolOf(flow);
    return protocol === undefined ? [] : [{client: flow.client, protocol, datagrams: flow.datagrams}];
  });
}

/**
 * Counts the flows that {@link udpFlows} leaves out, but that may be QUIC after its handshake: all their datagrams
 * begin with the bits of a short header (RFC 9000 §17.3.1). In other protocols, few datagrams begin so by chance.
 */
export function lateQuicFlows(packets: readonly IpPacket[]): number {
  const isShort = ({payload}: UdpDatagram): boolean => ((payload[0] ?? 0) & 0xc0) === 0x40;
  const left = flowsOf(packets).filter(flow => protocolOf(flow) === undefined);
  return left.filter(({datagrams}) => datagrams.length >= LEAST_DATAGRAMS && datagrams.every(isShort)).length;
}

function flowsOf(packets: readonly IpPacket[]): readonly Flow[] {
  const flows = new Map<string, Flow>();
  /** The last QUIC connection to each server, by address and port. */
  const byServer = new Map<string, Flow>();
  for (const ip of packets) {
    const {payload, recorded, ecn} = ip;
    if (payload.length <= HEADER_BYTES) continue;
    const ends = [`${ip.from}|${numberAt(payload, 0, 2)}`, `${ip.to}|${numberAt(payload, 2, 2)}`] as const;
    const key = [...ends].sort().join(' ');
    // the first packet comes from the client, unless the capture names its direction (`sideOf`)
    const isDown = sideOf(recorded) === 'down';
    const [client, server] = isDown ? [ip.to, ends[0]] : [ip.from, ends[1]];
    let flow = flows.get(key);
    if (flow === undefined) {
      // the client of a connection can move to another address (RFC 9000 §9)
      const isLong = isLongHeader(payload.subarray(HEADER_BYTES));
      flow = isLong ? undefined : byServer.get(server);
      flow ??= {client, server, isQuic: isLong, datagrams: []};
      flows.set(key, flow);
      if (isLong) byServer.set(server, flow);
    }
    const direction = ends[1] === flow.server ? 'up' : 'down';
    flow.datagrams.push({packet: recorded, direction, payload: payload.subarray(HEADER_BYTES), ecn});
  }
  return [...new Set(flows.values())];
}

interface Flow {
  readonly client: string;
  /** Address and port of the server. */
  readonly server: string;
  readonly isQuic: boolean;
  readonly datagrams: UdpDatagram[];
}

/**
 * Returns the protocol of a flow. Undefined if it is none of the three of {@link UdpFlow.protocol}. In a flow of DTLS,
 * datagrams of another protocol may come first, such as STUN in WebRTC (RFC 7983).
 */
function protocolOf({isQuic, datagrams}: Flow): UdpFlow['protocol'] | undefined {
  if (isQuic) return 'quic';
  if (datagrams.some(({payload}) => beginsDtls(payload))) return 'dtls';
  // in captures of other programs only requests count: datagrams of other protocols may look like frames of a server,
  // but hardly like requests
  const [first] = datagrams;
  const isOwn = first !== undefined && sideOf(first.packet) !== undefined;
  const some = datagrams.some(each => (isOwn || each.direction === 'up') && isOfFrames(each));
  return some ? 'frames' : undefined;
}

/** Whether a datagram begins with a long header of version 1 or 2, or of a draft of 1 (RFC 9000 §17.2, RFC 9369). */
function isLongHeader(payload: Uint8Array): boolean {
  const version = numberAt(payload, 1, 4);
  return (payload[0] ?? 0) >= 0xc0 && (version === 1 || version === 0x6b3343cf || version >>> 8 === 0xff0000);
}

const HEADER_BYTES = 8;
/** A flow of fewer datagrams may look like QUIC by chance. */
const LEAST_DATAGRAMS = 5;
