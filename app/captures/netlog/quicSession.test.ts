import {expect, test} from 'vitest';
import type {NetlogEvent} from './netlogFile.ts';
import {lostPackets, sessionDatagrams} from './quicSession.ts';

test('a lost packet is in the packet number space in which its number was sent last', () => {
  const events = [
    sent('INITIAL', 1),
    sent('INITIAL', 2),
    lost(1),
    sent('HANDSHAKE', 1),
    sent('FORWARD_SECURE', 1),
    sent('FORWARD_SECURE', 2),
    lost(2),
    lost(3),
  ];
  expect([...lostPackets(events)]).toEqual(['initial 1', 'application 2', 'application 3']);
});

test('a 1-RTT packet ends its datagram, and a 0-RTT packet does not', () => {
  const joined = (info: string) => event('COALESCED_PACKET_SENT', {info});
  const packets = (levels: readonly string[], end: readonly NetlogEvent[] = []) =>
    sessionDatagrams([...levels.map(sent), ...end]).map(datagram => datagram.packets.length);
  expect(packets(['INITIAL', 'FORWARD_SECURE', 'FORWARD_SECURE'])).toEqual([2, 1]);
  const info = 'total_length: 200 padding_size: 0 packets: {ENCRYPTION_INITIAL, ENCRYPTION_ZERO_RTT}';
  expect(packets(['ZERO_RTT', 'INITIAL'], [joined(info)])).toEqual([2]);
});

function sent(level: string, packet_number: number): NetlogEvent {
  return event('PACKET_SENT', {packet_number, size: 100, encryption_level: `ENCRYPTION_${level}`});
}

function lost(packet_number: number): NetlogEvent {
  return event('PACKET_LOST', {packet_number});
}

function event(name: string, params: NetlogEvent['params']): NetlogEvent {
  return {atNs: 0, name: `QUIC_SESSION_${name}`, phase: 'none', source: 1, sourceType: 'QUIC_SESSION', params};
}
