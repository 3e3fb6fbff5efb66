import {expect, test} from 'vitest';
import {RELAYED, type Relayed} from './relayedPacket.ts';

function hasData(name: Relayed['name'], packet: readonly number[]): boolean | undefined {
  return RELAYED.find(relayed => relayed.name === name)?.hasData(Buffer.from(packet));
}

const COMMON_HEADER = new Array<number>(12).fill(0);
const SACK = [3, 0, 0, 16, ...new Array<number>(12).fill(0)];
/** A DATA chunk of 17 B, with 3 B of padding. */
const DATA = [0, 3, 0, 17, ...new Array<number>(16).fill(7)];
const I_DATA = [64, 3, 0, 21, ...new Array<number>(20).fill(7)];
/** An ERROR chunk of 5 B, with 3 B of padding. */
const UNEVEN = [9, 0, 0, 5, 1, 0, 0, 0];

test('an SCTP packet with a DATA or I-DATA chunk at any position has data', () => {
  for (const chunks of [DATA, I_DATA, [...SACK, ...DATA], [...UNEVEN, ...SACK, ...I_DATA]])
    expect(hasData('sctp', [...COMMON_HEADER, ...chunks])).toBe(true);
  for (const chunks of [[], SACK, [...SACK, ...UNEVEN], [1, 0, 0, 20]])
    expect(hasData('sctp', [...COMMON_HEADER, ...chunks])).toBe(false);
});

test('an SCTP chunk with a wrong length ends the search for data', () => {
  for (const length of [0, 3]) expect(hasData('sctp', [...COMMON_HEADER, 9, 0, 0, length, ...DATA])).toBe(false);
  expect(hasData('sctp', [...COMMON_HEADER, 9, 0, 255, 255, ...DATA])).toBe(false);
  expect(hasData('sctp', [])).toBe(false);
});

test('a TCP segment has data if there are bytes after its header, and every QUIC packet counts as data', () => {
  const header = (words: number, bytes: number): number[] =>
    Array.from({length: bytes}, (_, at) => (at === 12 ? words << 4 : 0));
  expect(hasData('tcp', header(5, 20))).toBe(false);
  expect(hasData('tcp', header(8, 32))).toBe(false);
  expect(hasData('tcp', header(8, 33))).toBe(true);
  // The first header is cut short, the second has a wrong length.
  expect(hasData('tcp', header(0, 19))).toBe(false);
  expect(hasData('tcp', header(0, 20))).toBe(false);
  expect(hasData('quic', [])).toBe(true);
});
