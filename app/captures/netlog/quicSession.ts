import {listOf, numberOf, textOf} from '../jsonFields.ts';
import type {CapturedFrame} from '../quic/capturedFrame.ts';
import {packetName} from '../quic/lostFates.ts';
import type {QuicDatagram, QuicPacket} from '../quic/quicPackets.ts';
import type {NetlogEvent} from './netlogFile.ts';

/**
 * Reads the datagrams that a QUIC session sent and received. If a packet is sent, the events of its frames come before
 * the event of the packet. If it is received, they come after it.
 */
export function sessionDatagrams(events: readonly NetlogEvent[]): readonly QuicDatagram[] {
  const address = events.find(({name}) => name === 'QUIC_SESSION_PACKET_RECEIVED')?.params['peer_address'];
  const session = new SessionReader(textOf(address)?.startsWith('[') ? IPV6_HEADERS_BYTES : IPV4_HEADERS_BYTES);
  for (const event of events) session.handleEvent(event);
  return session.finish().toSorted((a, b) => a.atNs - b.atNs);
}

/**
 * Returns the names ({@link packetName}) of the packets that the session deemed lost. The log states the number of a
 * lost packet, but not its number space. The space is taken from the last packet with this number that was sent before.
 */
export function lostPackets(events: readonly NetlogEvent[]): ReadonlySet<string> {
  const lost = new Set<string>();
  const spaces = new Map<number | undefined, QuicPacket['space']>();
  for (const {name, params} of events) {
    const number = numberOf(params['packet_number']);
    if (name === 'QUIC_SESSION_PACKET_SENT') spaces.set(number, spaceOf(params));
    else if (name === 'QUIC_SESSION_PACKET_LOST')
      lost.add(packetName({space: spaces.get(number) ?? 'application', number: number ?? null}));
  }
  return lost;
}

function spaceOf(params: NetlogEvent['params']): QuicPacket['space'] {
  return SENT_SPACES.get(textOf(params['encryption_level']) ?? '') ?? 'none';
}

class SessionReader {
  readonly #datagrams: QuicDatagram[] = [];
  /** Frames of the next packet that is sent. */
  #frames: CapturedFrame[] = [];
  /** Packets that were made and are not in a datagram yet. Several may be joined to one datagram. */
  #made: MadePacket[] = [];
  /** The datagram that is being received. */
  #received: {readonly atNs: number; readonly bytes: number; readonly packets: ReceivedPacket[]} | undefined;
  readonly #headerBytes: number;

  constructor(headerBytes: number) {
    this.#headerBytes = headerBytes;
  }

  handleEvent(event: NetlogEvent): void {
    const {name, params, atNs} = event;
    if (name === 'QUIC_SESSION_PACKET_SENT') this.#handleMade(event);
    else if (name === 'QUIC_SESSION_COALESCED_PACKET_SENT') this.#handleCoalesced(textOf(params['info']) ?? '');
    else if (name === 'QUIC_SESSION_PACKET_RECEIVED') {
      this.#endReceived();
      this.#received = {atNs, bytes: numberOf(params['size']) ?? 0, packets: []};
    } else if (name === 'QUIC_SESSION_UNAUTHENTICATED_PACKET_HEADER_RECEIVED') {
      const type = textOf(params['long_header_type']) ?? '';
      const isLong = params['header_format'] === 'IETF_QUIC_LONG_HEADER_PACKET';
      const space = isLong ? (LONG_SPACES.get(type) ?? 'none') : 'application';
      this.#received?.packets.push({space, number: numberOf(params['packet_number']) ?? null, frames: []});
    } else if (name.endsWith('_FRAME_RECEIVED')) {
      const frame = frameOf(event);
      if (frame !== undefined) this.#received?.packets.at(-1)?.frames.push(frame);
    } else if (name.endsWith('_FRAME_SENT')) {
      const frame = frameOf(event);
      if (frame !== undefined) this.#frames.push(frame);
    } else if (name === 'QUIC_SESSION_STREAM_FRAME_COALESCED') {
      // The frame replaces the frame that was logged before it, which is on the same stream.
      this.#frames.pop();
      const frame = frameOf(event);
      if (frame !== undefined) this.#frames.push(frame);
    }
  }

  finish(): readonly QuicDatagram[] {
    this.#endReceived();
    this.#flush(this.#made.length);
    return this.#datagrams;
  }

  #handleMade({params, atNs}: NetlogEvent): void {
    // A 1-RTT packet ends its datagram. Packets of other kinds may be followed by others in the same datagram.
    if (this.#made.at(-1)?.isOneRtt) this.#flush(this.#made.length);
    const sentUs = numberOf(params['sent_time_us']);
    this.#made.push({
      space: spaceOf(params),
      isOneRtt: params['encryption_level'] === ONE_RTT,
      number: numberOf(params['packet_number']) ?? null,
      frames: this.#frames,
      atNs: sentUs === undefined ? atNs : sentUs * 1e3,
      bytes: numberOf(params['size']) ?? 0,
    });
    this.#frames = [];
  }

  /** Ends the datagram that has the oldest packets. `info` lists its size and the encryption level of each packet. */
  #handleCoalesced(info: string): void {
    const [, total] = /total_length: (\d{1,6}) /.exec(info) ?? [];
    const packets = info.split('ENCRYPTION_').length - 1;
    if (packets > 0) this.#flush(packets, total === undefined ? undefined : Number(total));
  }

  /** Ends a datagram with the `packets` oldest packets. */
  #flush(packets: number, bytes?: number): void {
    const group = this.#made.splice(0, packets);
    const [first] = group;
    if (first === undefined) return;
    const size = bytes ?? group.reduce((sum, packet) => sum + packet.bytes, 0);
    this.#datagrams.push({
      atNs: first.atNs,
      direction: 'up',
      bytes: size + this.#headerBytes,
      ecn: 0,
      known: undefined,
      packets: group,
    });
  }

  #endReceived(): void {
    const received = this.#received;
    this.#received = undefined;
    if (received === undefined) return;
    const {atNs, bytes, packets} = received;
    const size = bytes + this.#headerBytes;
    this.#datagrams.push({atNs, direction: 'down', bytes: size, ecn: 0, known: {fate: 'delivered'}, packets});
  }
}

interface MadePacket extends QuicPacket {
  readonly isOneRtt: boolean;
  readonly atNs: number;
  readonly bytes: number;
}

interface ReceivedPacket extends QuicPacket {
  readonly frames: CapturedFrame[];
}

/** Reads a frame. Undefined if the event is not about a frame. */
function frameOf({name, params}: NetlogEvent): CapturedFrame | undefined {
  const kind = /^QUIC_SESSION_(\w+)_FRAME_/.exec(name)?.[1];
  switch (kind) {
    case undefined:
      return undefined;
    case 'STREAM':
      return {
        kind: 'stream',
        stream: numberOf(params['stream_id']) ?? 0,
        first: numberOf(params['offset']) ?? 0,
        bytes: numberOf(params['length']) ?? 0,
        isEnd: params['fin'] === true,
      };
    case 'ACK':
      return {kind: 'ack', ranges: rangesOf(params)};
    case 'CRYPTO':
    case 'HANDSHAKE_DONE':
      return {kind: 'setUp'};
    case 'PADDING':
      return {kind: 'padding'};
    case 'CONNECTION_CLOSE':
      return {kind: 'close', isNormal: params['quic_wire_error'] === 0 || params['quic_wire_error'] === 0x100};
    default:
      return {kind: 'control'};
  }
}

function rangesOf(params: NetlogEvent['params']): readonly (readonly [number, number])[] {
  const [smallest, largest] = [numberOf(params['smallest_observed']), numberOf(params['largest_observed'])];
  if (smallest === undefined || largest === undefined || largest < smallest) return [];
  const missing = listOf(params['missing_packets']).flatMap(number => numberOf(number) ?? []);
  const ranges: [number, number][] = [];
  let first = smallest;
  for (const number of missing.sort((a, b) => a - b)) {
    if (number < first || number > largest) continue;
    if (number > first) ranges.push([first, number - 1]);
    first = number + 1;
  }
  if (first <= largest) ranges.push([first, largest]);
  return ranges;
}

const LONG_SPACES: ReadonlyMap<string, QuicPacket['space']> = new Map([
  ['INITIAL', 'initial'],
  ['HANDSHAKE', 'handshake'],
  ['ZERO_RTT_PROTECTED', 'application'],
]);
const ONE_RTT = 'ENCRYPTION_FORWARD_SECURE';
const SENT_SPACES: ReadonlyMap<string, QuicPacket['space']> = new Map([
  ['ENCRYPTION_INITIAL', 'initial'],
  ['ENCRYPTION_HANDSHAKE', 'handshake'],
  ['ENCRYPTION_ZERO_RTT', 'application'],
  [ONE_RTT, 'application'],
]);
/** The headers of IP and UDP. */
const IPV4_HEADERS_BYTES = 28;
const IPV6_HEADERS_BYTES = 48;
