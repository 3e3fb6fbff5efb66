import type {KnownFate} from '../knownFate.ts';
import {fatesOf, type QuicDatagram, type QuicPacket} from './quicPackets.ts';

/**
 * Returns what became of each datagram of a log. Packets that their sender deemed lost are lost, unless they were
 * acknowledged after all. `lost` has their names ({@link packetName}).
 */
export function lostFates(datagrams: readonly QuicDatagram[], lost: ReadonlySet<string>): readonly KnownFate[] {
  return fatesOf(datagrams).map((known, i): KnownFate => {
    const isLost = known.fate === null && datagrams[i]?.packets.some(packet => lost.has(packetName(packet)));
    return isLost ? {fate: 'lost'} : known;
  });
}

/** The name of a packet: its number space and number. */
export function packetName({space, number}: Pick<QuicPacket, 'space' | 'number'>): string {
  return `${space} ${number}`;
}
