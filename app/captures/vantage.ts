import type {SeenAt} from './capturedLoad.ts';
import type {RecordedPacket, UdpDatagram} from './recordedPacket.ts';
import type {TcpFlow} from './tcpFlow.ts';

/** How long the steps of a handshake took, as seen where it was recorded. NaN if the capture does not show it. */
export interface HandshakeGaps {
  /** From the client's first packet to the server's answer, in TCP from SYN to SYN/ACK. */
  readonly answerNs: number;
  /** From the server's answer to the client's next packet. */
  readonly acknowledgementNs: number;
}

/** What shows where connections were recorded. */
export interface Recording {
  readonly handshakes: readonly HandshakeGaps[];
  /** The end whose host wrote the file, if the file says which packets this host sent ({@link recordingEnd}). */
  readonly host: 'client' | 'server' | undefined;
  /** Whether this program wrote the capture. Such a capture records each packet when its sender sends it. */
  readonly isOwn: boolean;
}

/**
 * Finds out where the connections were recorded. If the file does not say it, the handshakes do: at the client, a whole
 * round trip passes before the server's answer; at the server, it passes before the client's acknowledgement. `note` is
 * a sentence for users if the place seems to be between both ends.
 */
export function vantageOf({handshakes, host, isOwn}: Recording): {
  readonly seenAt: SeenAt;
  readonly note: string | undefined;
} {
  if (isOwn) return {seenAt: 'both', note: undefined};
  if (host !== undefined) return {seenAt: host, note: undefined};
  let [known, answerNs, acknowledgementNs] = [0, 0, 0];
  for (const gaps of handshakes) {
    if (!(gaps.answerNs >= 0 && gaps.acknowledgementNs >= 0)) continue;
    known += 1;
    answerNs += gaps.answerNs;
    acknowledgementNs += gaps.acknowledgementNs;
  }
  const [less, more] = [Math.min(answerNs, acknowledgementNs), Math.max(answerNs, acknowledgementNs)];
  const seenAt = answerNs >= acknowledgementNs ? 'client' : 'server';
  const isBetween = less > more / 4 && more > LEAST_RTT_NS * known;
  const note = `The capture was made between client and server. It is read as if it had been made at the ${seenAt}.`;
  return {seenAt, note: isBetween ? note : undefined};
}

/**
 * Returns the end whose host sent all packets of one direction and received all of the other. Undefined if the file
 * does not say it of all packets, or if the host sent packets of both directions, as a router does.
 */
export function recordingEnd(
  packets: Iterable<{readonly direction: UdpDatagram['direction']; readonly packet: RecordedPacket}>,
): Recording['host'] {
  let host: Recording['host'];
  for (const {direction, packet} of packets) {
    if (packet.way === undefined) return undefined;
    const end = (packet.way === 'sent') === (direction === 'up') ? 'client' : 'server';
    if (host !== undefined && host !== end) return undefined;
    host = end;
  }
  return host;
}

/**
 * Measures the handshake of QUIC or DTLS by its changes of direction. The quicker one of the first two changes to each
 * direction counts, because a lost packet may have delayed the other.
 */
export function datagramGaps(datagrams: readonly UdpDatagram[]): HandshakeGaps {
  const gaps: {readonly [direction in UdpDatagram['direction']]: number[]} = {down: [], up: []};
  for (const [i, {direction, packet}] of datagrams.slice(0, HANDSHAKE_DATAGRAMS).entries()) {
    const before = datagrams[i - 1];
    if (before !== undefined && before.direction !== direction) gaps[direction].push(packet.atNs - before.packet.atNs);
  }
  const shortest = (of: readonly number[]): number => (of.length === 0 ? Number.NaN : Math.min(...of.slice(0, 2)));
  return {answerNs: shortest(gaps.down), acknowledgementNs: shortest(gaps.up)};
}

/**
 * Measures the handshake of a TCP connection. Both times are NaN if SYN or SYN/ACK was repeated, because it is not
 * known which copy was answered.
 */
export function handshakeGaps({segments}: TcpFlow): HandshakeGaps {
  const syns = segments.filter(({segment}) => segment.isSyn);
  const [syn, answer] = syns;
  const at = answer === undefined ? -1 : segments.indexOf(answer);
  const ack = segments.find(({direction, segment}, i) => i > at && direction === 'up' && !segment.isSyn);
  if (syns.length !== 2 || syn?.direction !== 'up' || answer?.direction !== 'down' || ack === undefined)
    return {answerNs: Number.NaN, acknowledgementNs: Number.NaN};
  const atNs = (of: typeof ack): number => of.segment.ip.recorded.atNs;
  return {answerNs: atNs(answer) - atNs(syn), acknowledgementNs: atNs(ack) - atNs(answer)};
}

/** How many of the first datagrams are searched for a handshake. Even a handshake with losses has fewer datagrams. */
const HANDSHAKE_DATAGRAMS = 50;
/**
 * {@link vantageOf} returns a note only if the longer of the two steps takes more than this, as a mean of the
 * handshakes. Shorter times do not show that a capture was made between client and server.
 */
const LEAST_RTT_NS = 1e6;
