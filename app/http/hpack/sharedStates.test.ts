import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {MOST_OBJECTS} from '../../page/page.ts';
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
    type Shared = readonly {readonly block: Uint8Array; readonly decoded: object}[];
    const roundTrip = (): Shared => {
      const [encoder, decoder] = [new HpackEncoder(), new HpackDecoder(4096, 9999)];
      return lists.map(list => {
        const block = encoder.encode(list);
        return {block, decoded: decoder.decode(block.slice())};
      });
    };
    // Encoders and decoders have a cache each, which other tests share. Each is cleared after a number of new states, so
    // each may be cleared once between these calls. Blocks before and after that are encoded or decoded twice.
    const calls = Array.from({length: 6}, roundTrip);
    const isSame = (one: Shared, other: Shared) =>
      one.every(({block, decoded}, i) => block === other[i]?.block && decoded === other[i]?.decoded);
    const other = calls.find((call, i) => i > 0 && isSame(calls[i - 1] ?? [], call)) ?? [];
    expect(other).toHaveLength(lists.length);
    // After as many states as two panes with the largest page have, the cache has been cleared.
    const [encoder, decoder] = [new HpackEncoder(), new HpackDecoder(4096, 9999)];
    for (let i = 0; i <= 4 * MOST_OBJECTS; i++) decoder.decode(encoder.encode([['n', String(i)]]));
    const [later] = roundTrip();
    expect(later).toEqual(other[0]);
    expect(later?.block).not.toBe(other[0]?.block);
    expect(later?.decoded).not.toBe(other[0]?.decoded);
  });

  test('share the blocks of the largest page', () => {
    const load = () => {
      const [encoder, decoder] = [new HpackEncoder(), new HpackDecoder(4096, 9999)];
      return pages.map(fields => decoder.decode(encoder.encode(fields)));
    };
    const pages = Array.from({length: MOST_OBJECTS}, (_, i): Field[] => [[':path', `/${i}`]]);
    load();
    // the caches may have been cleared during the first load, because other tests share them
    const second = load();
    expect(load().filter((decoded, i) => decoded !== second[i])).toEqual([]);
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
