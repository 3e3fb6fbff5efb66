import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {Field} from './field.ts';
import {HpackDecoder} from './hpackDecoder.ts';
import {HpackEncoder} from './hpackEncoder.ts';

describe('connections that send the same fields', () => {
  const lists: readonly (readonly Field[])[] = [
    [
      [':method', 'GET'],
      ['a', 'b'.repeat(40)],
    ],
    [
      ['a', 'b'.repeat(40)],
      ['c', 'd'],
    ],
    [['c', 'e'.repeat(60)]],
    [
      ['a', 'x'],
      ['c', 'd'],
    ],
  ];

  test('write the same blocks as without the cache, for all table limits, and decoders read them', () => {
    const step = fc.record({list: fc.nat(lists.length - 1), limit: fc.option(fc.constantFrom(0, 60, 4096))});
    fc.assert(
      fc.property(fc.array(fc.array(step, {maxLength: 12}), {minLength: 2, maxLength: 4}), connections => {
        for (const steps of [...connections, ...connections]) {
          const [encoder, alone, decoder] = [new HpackEncoder(), new HpackEncoder(), new HpackDecoder(4096, 9999)];
          for (const {list, limit} of steps) {
            const fields = lists[list] ?? [];
            if (limit !== null) for (const each of [encoder, alone]) each.limit(limit);
            const block = encoder.encode(fields);
            expect(block).toEqual(alone.encode([...fields]));
            expect(decoder.decode(block).fields).toEqual(fields);
          }
        }
      }),
    );
  });

  test('encode and decode each block only once', () => {
    const roundTrip = () => {
      const [encoder, decoder] = [new HpackEncoder(), new HpackDecoder(4096, 9999)];
      return lists.map(list => {
        const block = encoder.encode(list);
        return {block, decoded: decoder.decode(block.slice())};
      });
    };
    // The cache, which other tests share, is cleared after 1000 new states. This may happen once between these calls.
    const [first, second, third] = [roundTrip(), roundTrip(), roundTrip()];
    const [one, other] = second[0]?.block === first[0]?.block ? [first, second] : [second, third];
    for (const [i, {block, decoded}] of one.entries()) {
      expect(other[i]?.block).toBe(block);
      expect(other[i]?.decoded).toBe(decoded);
    }
    // After 1000 more states, the cache has been cleared.
    const [encoder, decoder] = [new HpackEncoder(), new HpackDecoder(4096, 9999)];
    for (let i = 0; i <= 1000; i++) decoder.decode(encoder.encode([['n', String(i)]]));
    const [later] = roundTrip();
    expect(later).toEqual(other[0]);
    expect(later?.block).not.toBe(other[0]?.block);
    expect(later?.decoded).not.toBe(other[0]?.decoded);
  });

  test('do not share their limits', () => {
    const block = new HpackEncoder().encode(lists[0] ?? []);
    const read = (table: number, list: number) => new HpackDecoder(table, list).decode(block);
    expect(read(4096, 9999).isTooLarge).toBe(false);
    expect(read(4096, 100).isTooLarge).toBe(true);
    const sized = Uint8Array.of(0x3f, 0x01); // the block resizes the table to 32 bytes
    expect(new HpackDecoder(32, 9999).decode(sized).fields).toEqual([]);
    expect(() => new HpackDecoder(31, 9999).decode(sized)).toThrow('a table of 32 bytes (at most 31)');
  });
});
