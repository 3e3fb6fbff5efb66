import {distance} from './numbers.ts';
import type {RecordedPacket, UdpDatagram} from './recordedPacket.ts';
import type {TcpSegment} from './tcpSegment.ts';

/** The segments of one TCP connection, in order of time. */
export interface TcpFlow {
  /** The client's address. */
  readonly client: string;
  readonly segments: readonly FlowSegment[];
  /**
   * The size in bytes of the largest segment that both ends accept. Undefined if the capture has no SYN that states it.
   */
  readonly mss: number | undefined;
}

export interface FlowSegment {
  readonly segment: TcpSegment;
  readonly direction: UdpDatagram['direction'];
  /** Offset of the first byte of data in the stream of its sender. −1 if the segment is a SYN without data. */
  readonly first: number;
  /** How many bytes of the other end's stream the segment acknowledges. NaN if it acknowledges nothing. */
  readonly acknowledged: number;
  /** The ranges in the segment's SACK option ({@link TcpSegment.sacks}), as offsets in the other end's stream. */
  readonly sacks: readonly (readonly [from: number, to: number])[];
}

/**
 * Sorts segments into connections. The segments must be in order of time. A segment that was recorded twice, at two
 * interfaces of the host, counts once, if its sender numbers its packets.
 */
export function tcpFlows(segments: readonly TcpSegment[]): readonly TcpFlow[] {
  const open = new Map<string, TcpSegment[]>();
  /** The last segment for each sender, connection and IPv4 identification. */
  const last = new Map<string, TcpSegment>();
  const all: TcpSegment[][] = [];
  for (const segment of segments) {
    const key = connectionKey(segment);
    const number = `${endOf(segment)} ${key} ${segment.ip.identification}`;
    if (isSame(last.get(number), segment)) continue;
    last.set(number, segment);
    let flow = open.get(key);
    if (flow === undefined || opensAgain(flow, segment)) {
      flow = [];
      open.set(key, flow);
      all.push(flow);
    }
    flow.push(segment);
  }
  return all.map(flowOf);
}

/**
 * Whether two segments of one end are the same packet, recorded twice. Most senders number their packets in the
 * identification of IPv4. The others leave it at 0.
 */
function isSame(before: TcpSegment | undefined, {ip, sequence, acknowledgment}: TcpSegment): boolean {
  if (before === undefined || ip.identification === 0) return false;
  const isAtOnce = ip.recorded.atNs - before.ip.recorded.atNs < TWICE_NS;
  return isAtOnce && sequence === before.sequence && acknowledgment === before.acknowledgment;
}

function connectionKey({ip, fromPort, toPort}: TcpSegment): string {
  const [from, to] = [`${ip.from}|${fromPort}`, `${ip.to}|${toPort}`];
  return from < to ? `${from} ${to}` : `${to} ${from}`;
}

/**
 * Whether the segment opens another connection between the same ports as `flow`: it is a SYN, and `flow` began without
 * a SYN, or with a SYN of another sequence number.
 */
function opensAgain(flow: readonly TcpSegment[], {isSyn, acknowledgment, sequence}: TcpSegment): boolean {
  if (!isSyn || acknowledgment !== undefined) return false;
  const [first] = flow;
  return first?.isSyn !== true || (first.acknowledgment === undefined && first.sequence !== sequence);
}

function flowOf(segments: readonly TcpSegment[]): TcpFlow {
  const client = clientOf(segments);
  const isUp = (segment: TcpSegment): boolean => endOf(segment) === client;
  const numbers = {up: new Numbers(), down: new Numbers()};
  const placed = segments.map((segment): FlowSegment => {
    const direction = isUp(segment) ? 'up' : 'down';
    const other = direction === 'up' ? numbers.down : numbers.up;
    const first = numbers[direction].place(segment);
    const acknowledged = segment.acknowledgment === undefined ? Number.NaN : other.acknowledge(segment.acknowledgment);
    const sacks = segment.sacks.map(([from, to]) => [other.offsetOf(from), other.offsetOf(to)] as const);
    return {segment, direction, first, acknowledged, sacks};
  });
  const sizes = segments.flatMap(({isSyn, mss}) => (isSyn && mss !== undefined ? [mss] : []));
  const address = client.slice(0, client.lastIndexOf('|'));
  return {client: address, segments: placed, mss: sizes.sort((a, b) => a - b)[0]};
}

function endOf({ip, fromPort}: TcpSegment): string {
  return `${ip.from}|${fromPort}`;
}

/**
 * Returns the end that is the client. The SYN or the SYN/ACK shows it. If the capture began later, the name of the
 * interface or the ports may show it; otherwise the end that sent first counts as the client.
 */
function clientOf(segments: readonly TcpSegment[]): string {
  for (const segment of segments) {
    if (segment.isSyn) return segment.acknowledgment === undefined ? endOf(segment) : peerOf(segment);
  }
  const [first] = segments;
  if (first === undefined) return '';
  const {fromPort, toPort, ip} = first;
  const byName = sideOf(ip.recorded);
  if (byName !== undefined) return byName === 'up' ? endOf(first) : peerOf(first);
  return fromPort < toPort && fromPort < FIRST_USERS_PORT ? peerOf(first) : endOf(first);
}

function peerOf({ip, toPort}: TcpSegment): string {
  return `${ip.to}|${toPort}`;
}

/**
 * Returns the direction of a packet in a capture of this program, by the name of its interface (`write_pcapng` in
 * netsim). Undefined in other captures.
 */
export function sideOf({interface: name}: RecordedPacket): 'down' | 'up' | undefined {
  if (name === 'down (server to client)') return 'down';
  return name === 'up (client to server)' ? 'up' : undefined;
}

/** Converts sequence numbers of one end to offsets in its stream (RFC 9293 §3.4). */
class Numbers {
  /** The sequence number of the first byte of data. Undefined until it is known. */
  #initial: number | undefined;
  /**
   * The end of the furthest data. Sequence numbers repeat after 2^32 bytes, so a number stands for the offset that is
   * nearest to this end.
   */
  #furthest = 0;

  /** Returns the offset of a segment's data. −1 if the segment is a SYN without data. */
  place({sequence, isSyn, bytes}: TcpSegment): number {
    // until data are sent, a server may answer each SYN with another initial number
    if (isSyn && this.#furthest === 0) this.#initial = sequence + 1;
    this.#initial ??= sequence;
    const first = this.offsetOf(sequence) + (isSyn ? 1 : 0);
    // a window cannot exceed 2^30 bytes (RFC 7323 §2.3), so a segment further ahead is forged or damaged
    if (bytes > 0 && first <= this.#furthest + MOST_WINDOW_BYTES)
      this.#furthest = Math.max(this.#furthest, first + bytes);
    return isSyn && bytes === 0 ? -1 : first;
  }

  /** Returns how many bytes of this end's stream a number acknowledges. */
  acknowledge(acknowledgment: number): number {
    this.#initial ??= acknowledgment;
    return this.offsetOf(acknowledgment);
  }

  offsetOf(number: number): number {
    if (this.#initial === undefined) return Number.NaN;
    return this.#furthest + distance(this.#initial + this.#furthest, number);
  }
}

/** How long a packet takes at most from one interface of a host to another. */
const TWICE_NS = 5e6;
const MOST_WINDOW_BYTES = 2 ** 30;
/** The smallest of the dynamic ports. These are not assigned to services, so a server rarely has one (RFC 6335 §6). */
const FIRST_USERS_PORT = 49_152;
