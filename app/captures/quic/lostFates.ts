import type {KnownFate} from '../knownFate.ts';
import {fatesOf, type QuicDatagram, type QuicPacket} from './quicPackets.ts';

/**
 * Returns the fate of each datagram of a log. A datagram whose fate {@link fatesOf} does not find is lost if the sender
 * deemed one of its packets lost. `lost` has the names of the packets that were deemed lost ({@link packetName}).
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
