import {expect, test} from 'vitest';
import {joinParts} from './joinParts.ts';
import type {ConnectionPart} from './recordedPacket.ts';
import {chunk, connection, exchange, packet} from './testing/capturedLoads.ts';

const MS = 1e6;
const FRAME = {kind: 'pcap', pipeline: 'catp', seenAt: 'both', notes: []} as const;

/** A connection with a packet at 12 ms, and another one whose packet at 10 ms carries the request of the first. */
function parts(): readonly ConnectionPart[] {
  const none = {openNs: null, connectedNs: null, tlsNs: null};
  const first: ConnectionPart = {
    connection: connection(none),
    exchanges: [exchange('http://a.test/', {at: 10})],
    packets: [packet('up', 12, {arrivedNs: 15 * MS})],
    notes: [],
  };
  const other = {connection: connection(none), exchanges: [], notes: [], exchangesOf: first};
  return [first, {...other, packets: [packet('up', 10, {chunks: [chunk(0, 60, [0, 60])]})]}];
}

test('times count from the first packet, also those of arrival', () => {
  const {packets, exchanges} = joinParts(parts(), FRAME);
  expect(packets.map(({atNs, arrivedNs}) => [atNs, arrivedNs])).toEqual([
    [0, undefined],
    [2 * MS, 5 * MS],
  ]);
  expect(exchanges[0]?.requestNs).toBe(0);
});

test('connections have the order of their first packets, and may carry the requests of another one', () => {
  const {packets, exchanges} = joinParts(parts(), FRAME);
  expect(packets.map(({connection}) => connection)).toEqual([0, 1]);
  expect(exchanges[0]?.connection).toBe(1);
  expect(packets[0]?.chunks[0]?.pieces).toEqual([{exchange: 0, bytes: 60}]);
});
