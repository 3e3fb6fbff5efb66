import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import {layerEnds, wholeLayers} from './avifLayers.ts';
import {scanEnds} from './scanEnds.ts';

const layered = new Uint8Array(readFileSync('fixtures/formats/layered.avif'));
const alpha = new Uint8Array(readFileSync('fixtures/formats/layered-alpha.avif'));

test('a layer is complete when its last byte of colour and alpha has arrived', () => {
  // Offsets and sizes in 'iloc': 0x133 + 0x9f, 0x1d2 + 0x285, 0x457 + 0x1103.
  expect(layerEnds(layered)).toEqual([466, 1111, 5466]);
  // The colour item's first layer ends at 0x21b + 0x9b, after alpha's; its second at 0x2e1 + 0x296; its third at 0x5d6
  // + 0x10f6.
  expect(layerEnds(alpha)).toEqual([694, 1399, 5836]);
});

test('the ends of layers are scan ends', () => {
  expect(scanEnds(layered)).toEqual([466, 1111, 5466]);
});

test('a prefix becomes a file of the complete layers', () => {
  const made = wholeLayers(layered.subarray(0, 1500));
  expect(layerEnds(made)).toEqual([]);
  const text = new TextDecoder('latin1').decode(made);
  expect([text.indexOf('a1lx'), text.indexOf('free')]).toEqual([-1, 264]);
  // An item with two extents: 0x9f bytes at 0x133, and 0x285 at 0x1d2.
  expect(hex(itemsOf(made).subarray(0, 22))).toBe('000100000002' + '000001330000009f' + '000001d200000285');
  expect(made.subarray(299)).toEqual(layered.subarray(299, 1500));
});

test('each of two items has its own layers', () => {
  const items = itemsOf(wholeLayers(alpha.subarray(0, 694)));
  expect(hex(items.subarray(0, 14))).toBe('000100000001' + '0000021b0000009b');
  expect(hex(items.subarray(14, 28))).toBe('000200000001' + '000001ee0000002d');
});

test('a prefix is unchanged if it has no complete layer, all layers, or a format without layers', () => {
  for (const bytes of [0, 100, 298, 465]) {
    const prefix = layered.subarray(0, bytes);
    expect(wholeLayers(prefix)).toBe(prefix);
  }
  expect(wholeLayers(layered)).toBe(layered);
  const jpeg = new Uint8Array(readFileSync('fixtures/pages/gallery/lake.jpg'));
  expect([wholeLayers(jpeg), layerEnds(jpeg)]).toEqual([jpeg, []]);
});

test('an extent that contains all layers is cut at the end of a layer', () => {
  // The same file with a single extent of 0x9f + 0x285 + 0x1103 bytes.
  const one = layered.slice();
  itemsOf(one).set([0, 1], 4);
  itemsOf(one).set([0x14, 0x27], 12);
  expect(layerEnds(one)).toEqual([466, 1111, 5466]);
  expect(hex(itemsOf(wholeLayers(one.subarray(0, 1111))).subarray(0, 14))).toBe('0001000000010000013300000324');
});

test('files with wrong bytes do not cause an exception', () => {
  for (let at = 0; at < 299; at++) {
    for (const value of [0, 1, 0x7f, 0xff]) {
      const broken = layered.slice(0, 2000);
      broken[at] = value;
      expect(() => wholeLayers(broken)).not.toThrow();
      expect(() => scanEnds(broken)).not.toThrow();
    }
  }
});

/**
 * Returns the entries of 'iloc' after its version, sizes and count. Each entry has the item's number, the source of its
 * data, and its extents.
 */
function itemsOf(file: Uint8Array): Uint8Array {
  const at = new TextDecoder('latin1').decode(file).indexOf('iloc') + 12;
  return file.subarray(at);
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
}
