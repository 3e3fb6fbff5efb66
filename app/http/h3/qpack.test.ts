import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {Field} from '../hpack/field.ts';
import {HpackError} from '../hpack/primitives.ts';
import {decodeFields, encodeFields} from './qpack.ts';
import {STATIC_TABLE} from './qpackTable.ts';

describe('a field section', () => {
  test('is that of RFC 9204 B.1, except for the Huffman code', () => {
    // The literal in the RFC is not Huffman-coded.
    const section = fromHex('0000510b2f696e6465782e68746d6c');
    expect(decodeFields(section, 1000)).toEqual([[':path', '/index.html']]);
    expect(encodeFields([[':path', '/index.html']])).toEqual(fromHex('0000518860d5485f2bce9a68'));
  });

  test('contains the indices of fields in the static table (RFC 9204 A)', () => {
    expect(STATIC_TABLE).toHaveLength(99);
    const places = [
      [[':method', 'GET'], 17],
      [[':status', '200'], 25],
      [['content-type', 'image/jpeg'], 49],
      [['content-type', 'text/html; charset=utf-8'], 52],
      [[':status', '100'], 63],
      [['x-frame-options', 'sameorigin'], 98],
    ] as const;
    for (const [field, index] of places) {
      expect(STATIC_TABLE[index]).toEqual(field);
      const bytes = index < 63 ? [0xc0 | index] : [0xff, index - 63];
      expect(encodeFields([field])).toEqual(Uint8Array.of(0, 0, ...bytes));
    }
  });

  test('is equal after encoding and decoding', () => {
    const texts = fc.string({unit: 'binary-ascii', maxLength: 300});
    const field = fc.oneof(
      fc.constantFrom(...STATIC_TABLE),
      fc.tuple(texts, texts),
      fc.tuple(fc.constant('age'), texts),
    );
    fc.assert(
      fc.property(fc.array(field), fields => {
        expect(decodeFields(encodeFields(fields), 1e6)).toEqual(fields.map(([name, value]) => [name, value]));
      }),
    );
  });

  test('can contain fields that must never be indexed, with a literal or indexed name (RFC 9204 §4.5.4, §4.5.6)', () => {
    const fields = [
      [':path', '/a'],
      ['a', 'b'],
    ];
    for (const section of ['0000' + '51022f61' + '21610162', '0000' + '71022f61' + '31610162']) {
      expect(decodeFields(fromHex(section), 1000)).toEqual(fields);
    }
  });

  test('that exceeds the limit is undefined', () => {
    const fields: Field[] = [['name', 'v'.repeat(64)]];
    expect(decodeFields(encodeFields(fields), 100)).toEqual(fields);
    expect(decodeFields(encodeFields(fields), 99)).toBeUndefined();
  });

  test.each([
    ['requires dynamic entries', '0200c1'],
    ['names a static entry that does not exist', '0000ff24'],
    ['names a dynamic entry', '000080'],
    ['names a dynamic entry after the base', '000010'],
    ['uses a name from the dynamic table', '00004000'],
    ['ends early', '0000510b2f69'],
    ['has no base', '00'],
  ])('that %s is an error', (_, hex) => {
    expect(() => decodeFields(fromHex(hex), 1000)).toThrow(HpackError);
  });

  test('that is decoded again is the same list, unless it exceeds a smaller limit', () => {
    const section = encodeFields([['a', 'b'.repeat(50)]]);
    const fields = decodeFields(section, 83);
    expect(decodeFields(section.slice(), 83)).toBe(fields);
    expect(decodeFields(section, 82)).toBeUndefined();
    expect(decodeFields(section, 83)).toEqual([['a', 'b'.repeat(50)]]);
  });

  test('of arbitrary bytes gives fields or an HpackError', () => {
    fc.assert(
      fc.property(fc.uint8Array({maxLength: 200}), bytes => {
        try {
          const size = (decodeFields(bytes, 500) ?? []).reduce(
            (sum, [name, value]) => sum + name.length + value.length,
            0,
          );
          expect(size).toBeLessThanOrEqual(500);
        } catch (error) {
          expect(error).toBeInstanceOf(HpackError);
        }
      }),
    );
  });
});

function fromHex(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], byte => Number.parseInt(byte, 16));
}
