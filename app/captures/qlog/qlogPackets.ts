import {type Fields, listOf, numberOf, objectOf, textOf} from '../jsonFields.ts';
import {type CapturedFrame, capturedFrame} from '../quic/capturedFrame.ts';
import {packetName} from '../quic/lostFates.ts';
import type {QuicDatagram, QuicPacket} from '../quic/quicPackets.ts';
import type {QlogEvent} from './qlogFile.ts';

/** A QUIC packet of a log. */
export interface LoggedPacket extends QuicPacket {
  readonly atNs: number;
  readonly isSent: boolean;
  /** Size of the QUIC packet. */
  readonly bytes: number;
  readonly ecn: number;
  /** A name that packets of the same datagram share. Undefined if the log has none. */
  readonly datagram: string | undefined;
}

/** Reads a packet_sent or packet_received event. */
export function loggedPacket({atNs, name, data}: QlogEvent): LoggedPacket {
  const header = objectOf(data['header']);
  const raw = objectOf(data['raw']);
  const type = textOf(header['packet_type']) ?? textOf(data['packet_type']);
  const datagram = data['datagram_id'] ?? data['datagram_payload_checksum'];
  return {
    atNs,
    isSent: name === 'packet_sent',
    space: spaceOf(type) ?? 'none',
    number: numberOf(header['packet_number']) ?? null,
    frames: listOf(data['frames']).map(capturedFrame),
    bytes: numberOf(raw['length']) ?? numberOf(header['packet_size']) ?? numberOf(data['packet_size']) ?? 0,
    ecn: ECN.get((textOf(data['ecn']) ?? '').toLowerCase().replaceAll(/[()]/g, '')) ?? 0,
    datagram: datagram === undefined || datagram === null ? undefined : String(numberOf(datagram) ?? textOf(datagram)),
  };
}

/**
 * Groups packets into datagrams, in order of time. A log may say which packets share a datagram. Otherwise a packet
 * belongs to the datagram of the packet before it if it goes the same way within 1 ms, has a later encryption level
 * (RFC 9000 §12.2), and fits into the datagram. `sizes` has the sizes that the log states for datagrams.
 */
export function datagramsOf(
  packets: readonly LoggedPacket[],
  {isServer, sizes}: {readonly isServer: boolean; readonly sizes: DatagramSizes},
): readonly QuicDatagram[] {
  const groups: LoggedPacket[][] = [];
  for (const packet of packets) {
    const group = groups.at(-1);
    if (group !== undefined && belongs(group, packet)) group.push(packet);
    else groups.push([packet]);
  }
  const payloads = sizes.of(groups);
  return groups.flatMap((group, i): readonly QuicDatagram[] => {
    const [first] = group;
    if (first === undefined) return [];
    const sum = group.reduce((bytes, packet) => bytes + packet.bytes, 0);
    return [
      {
        atNs: first.atNs,
        direction: first.isSent === isServer ? 'down' : 'up',
        bytes: (payloads[i] ?? sum) + HEADERS_BYTES,
        ecn: first.ecn,
        known: first.isSent ? undefined : {fate: 'delivered'},
        packets: group,
      },
    ];
  });
}

function belongs(group: readonly LoggedPacket[], packet: LoggedPacket): boolean {
  const last = group.at(-1);
  if (last === undefined || last.isSent !== packet.isSent) return false;
  if (last.datagram !== undefined || packet.datagram !== undefined) return last.datagram === packet.datagram;
  const bytes = group.reduce((sum, each) => sum + each.bytes, packet.bytes);
  return LEVELS[packet.space] > LEVELS[last.space] && packet.atNs - last.atNs < MOST_APART_NS && bytes <= MOST_BYTES;
}

/** The sizes of datagrams in a log, in order of time. */
export class DatagramSizes {
  readonly #sent: {readonly atNs: number; readonly bytes: number}[] = [];
  readonly #received: {readonly atNs: number; readonly bytes: number}[] = [];

  handleEvent({atNs, name, data}: QlogEvent): void {
    const sizes = name.endsWith('sent') ? this.#sent : this.#received;
    for (const raw of listOf(data['raw']).map(objectOf)) {
      const bytes = numberOf(raw['payload_length']) ?? numberOf(raw['length']);
      if (bytes !== undefined) sizes.push({atNs, bytes});
    }
  }

  /**
   * Returns the size of each datagram, without headers of IP and UDP. The sizes that the log states for one direction
   * are used only if there is one for each datagram, and if each datagram has room for its packets. Otherwise the sizes
   * of this direction are undefined.
   */
  of(groups: readonly (readonly LoggedPacket[])[]): readonly (number | undefined)[] {
    const found = groups.map((): number | undefined => undefined);
    for (const [isSent, sizes] of [
      [true, this.#sent],
      [false, this.#received],
    ] as const) {
      const rows = [...groups.keys()].filter(row => groups[row]?.[0]?.isSent === isSent);
      const fits = (row: number, i: number) =>
        (groups[row] ?? []).reduce((sum, {bytes}) => sum + bytes, 0) <= (sizes[i]?.bytes ?? 0);
      if (rows.length !== sizes.length || !rows.every(fits)) continue;
      for (const [i, row] of rows.entries()) found[row] = sizes[i]?.bytes;
    }
    return found;
  }
}

/** Returns the name ({@link packetName}) of the packet in a packet_lost event. */
export function lostPacket(data: Fields): string {
  const header = objectOf(data['header']);
  const type = textOf(header['packet_type']) ?? textOf(data['packet_type']) ?? textOf(data['type']);
  const number = numberOf(header['packet_number']) ?? numberOf(data['packet_number']) ?? null;
  return packetName({space: spaceOf(type) ?? 'application', number});
}

/** The number space of a type of packet. Writers of logs spell types in several ways: `1RTT`, `1-RTT`. */
function spaceOf(type: string | undefined): QuicPacket['space'] | undefined {
  return type === undefined ? undefined : SPACES.get(type.toLowerCase().replace('-', ''));
}

/** Whether the frames have a part of the client's or server's handshake. */
export function hasHandshake(frames: readonly CapturedFrame[]): boolean {
  return frames.some(({kind}) => kind === 'setUp');
}

const SPACES: ReadonlyMap<string, QuicPacket['space']> = new Map([
  ['initial', 'initial'],
  ['handshake', 'handshake'],
  ['0rtt', 'application'],
  ['zerortt', 'application'],
  ['1rtt', 'application'],
  ['onertt', 'application'],
]);
/** The order of packets in a datagram. */
const LEVELS = {none: 0, initial: 1, handshake: 2, application: 3} as const;
const ECN: ReadonlyMap<string, number> = new Map([
  ['ect1', 1],
  ['ect0', 2],
  ['ce', 3],
]);
/**
 * The headers of IPv4 and UDP. With IPv6 there would be 20 bytes more, but a log does not say which version was used.
 */
const HEADERS_BYTES = 28;
/** The packets of a datagram are logged within this time. */
const MOST_APART_NS = 1e6;
const MOST_BYTES = 1500;
