import {expect, test} from 'vitest';
import type {IpPacket} from './ipPacket.ts';
import {readSctpPacket} from './sctpPacket.ts';

const HEADER = [0xc0, 0, 0, 80, 1, 2, 3, 4, 0, 0, 0, 0];
const DATA = [0, 3, 0, 18, 0, 0, 0, 9, 0, 2, 0, 5, 0, 0, 0, 0, 104, 105, 0, 0];
/** A SACK that states 16,000 gap ack blocks and has 500. */
const SACK = [3, 0, 0xfa, 16, 0, 0, 0, 8, 0, 0, 1, 0, 0x3e, 0x80, 0, 0, ...new Array(2000).fill(1)];

function packet(bytes: readonly number[], payloadBytes = bytes.length): IpPacket {
  const recorded = {row: 0, atNs: 0, bytes: 20 + payloadBytes, data: new Uint8Array(0), comment: '', interface: ''};
  const payload = Uint8Array.from(bytes);
  return {recorded, protocol: 132, from: 'a', to: 'b', ecn: 0, identification: 0, payload, payloadBytes};
}

test('a DATA chunk is read with its padding, also if the file has only its beginning', () => {
  const read = readSctpPacket(packet([...HEADER, ...DATA, ...DATA]));
  expect(read?.chunks.map(({type}) => type)).toEqual(['data', 'data']);
  const data = {tsn: 9, stream: 2, message: 5, begins: true, ends: true, fragment: undefined, size: 2};
  expect(read?.chunks[0]).toEqual({type: 'data', data: {...data, bytes: Uint8Array.of(104, 105)}});
  const cut = readSctpPacket(packet([...HEADER, ...DATA.slice(0, 17)], HEADER.length + DATA.length));
  expect(cut?.chunks).toEqual([{type: 'data', data: {...data, bytes: Uint8Array.of(104)}}]);
});

test('a wrong length ends the packet, and the numbers of gap blocks and chunks are limited', () => {
  expect(readSctpPacket(packet(HEADER.slice(1)))).toBeUndefined();
  expect(readSctpPacket(packet([...HEADER, 0, 3, 0, 3, 0, 0, 0, 0]))?.chunks).toEqual([]);
  expect(readSctpPacket(packet([...HEADER, 0, 3, 1, 0, 0, 0, 0, 0]))?.chunks).toEqual([]);
  const [sack] = readSctpPacket(packet([...HEADER, ...SACK], 65_000))?.chunks ?? [];
  expect(sack?.type === 'sack' && sack.gaps.length).toBe(400);
  const many = readSctpPacket(packet([...HEADER, ...new Array(200).fill([9, 0, 0, 4]).flat()]));
  expect(many?.chunks.length).toBe(100);
});
