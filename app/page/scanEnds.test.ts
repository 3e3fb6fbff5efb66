import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {scanEnds} from './scanEnds.ts';

const SOI = [0xff, 0xd8];
const EOI = [0xff, 0xd9];
const segment = (marker: number, ...data: number[]) => [0xff, marker, 0, data.length + 2, ...data];
const sos = segment(0xda, 1, 2, 3);

test('a scan ends with its data, before the next marker', () => {
  const first = [...SOI, ...segment(0xc2, 8), ...sos, 1, 2, 3];
  const second = [...first, ...segment(0xc4, 9, 9), ...sos, 4, 5];
  const body = Uint8Array.of(...second, ...EOI);
  expect(scanEnds(body)).toEqual([first.length, body.length]);
});

test('escaped bytes, restart markers and fill bytes do not end a scan', () => {
  const first = [...SOI, ...sos, 1, 0xff, 0, 2, 0xff, 0xd0, 3, 0xff, 0xd7, 4];
  // §B.1.1.2: a marker may begin with several fill bytes.
  const body = Uint8Array.of(...first, 0xff, ...segment(0xc4, 9), ...sos, 5, ...EOI);
  expect(scanEnds(body)).toEqual([first.length + 1, body.length]);
});

test('bytes within a segment that look like a scan are ignored', () => {
  const body = Uint8Array.of(...SOI, ...segment(0xe1, ...sos, ...EOI), ...sos, 1, ...EOI);
  expect(scanEnds(body)).toEqual([body.length]);
});

test('a truncated or contradictory file, or one that is not a picture, has one scan', () => {
  for (const bytes of [
    [],
    [0xff],
    SOI,
    [...SOI, 0xff, 0xc2, 0xff, 0xff, 1],
    [...SOI, ...sos],
    [...SOI, 1, 2, 3, 4, 5],
    [0x89, 0x50, ...sos, 1, ...sos, 2],
  ]) {
    expect(scanEnds(Uint8Array.from(bytes))).toEqual([bytes.length]);
  }
});

test('at most 100 scans of a body are found', () => {
  const scan = [...sos, 1];
  const body = Uint8Array.from({length: 2 + 1e5 * scan.length}, (_, i) =>
    i < 2 ? (SOI[i] ?? 0) : (scan[(i - 2) % scan.length] ?? 0),
  );
  expect(scanEnds(body)).toHaveLength(100);
});

test('the fixtures have six scans in a progressive JPEG, one in a baseline JPEG, and one or seven in a PNG', () => {
  const ends = (path: string) => scanEnds(readFileSync(`fixtures/pages/${path}`));
  expect(ends('gallery/lighthouse.jpg')).toHaveLength(6);
  expect(ends('gallery-baseline/lighthouse.jpg')).toHaveLength(1);
  expect(ends('gallery-png/lighthouse.png')).toHaveLength(1);
  expect(ends('gallery-png-interlaced/lighthouse.png')).toHaveLength(7);
  expect(ends('gallery-png-interlaced/lighthouse.png').at(-1)).toBe(
    readFileSync('fixtures/pages/gallery-png-interlaced/lighthouse.png').length,
  );
});
