import {encode} from '@msgpack/msgpack';
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {decodeMessage, type MessageLimits} from './messagePack.ts';

const LIMITS: MessageLimits = {depth: 4, values: 40, arrayLength: 10, mapLength: 6, textBytes: 100, binaryBytes: 300};

const read = (value: unknown, limits = LIMITS): unknown => decodeMessage(encode(value), limits);

const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);

describe('a message', () => {
  test('is decoded if it reaches a limit, and is rejected if it exceeds the limit', () => {
    const list = (length: number) => Array.from({length}, () => 0);
    const map = (keys: number) => Object.fromEntries(list(keys).map((_, i) => [`k${i}`, i]));
    for (const [most, more] of [
      [nested(4), nested(5)],
      [list(10), list(11)],
      [map(6), map(7)],
      ['x'.repeat(100), 'x'.repeat(101)],
      [new Uint8Array(300), new Uint8Array(301)],
      // 4 · (9 + 1) = 40 values, and one more
      [list(4).map(() => list(9)), [...list(3).map(() => list(9)), list(10)]],
    ] as const) {
      expect(read(most)).toEqual(most);
      expect(() => read(more)).toThrow();
    }
  });

  test('that exceeds a limit is rejected with a text that states the limit', () => {
    expect(() => read(nested(5))).toThrow('the message is nested more than 4 deep');
    expect(() => read(Array.from({length: 41}, () => 0))).toThrow('the message holds more than 40 values');
    // The keys of maps count as values.
    const maps = Array.from({length: 4}, () => ({a: 1, b: 2, c: 3, d: 4, e: 5}));
    expect(() => read(maps)).toThrow('the message holds more than 40 values');
  });

  test('with an extension is rejected', () => {
    expect(() => decodeMessage(Uint8Array.of(0xd4, 1, 7), LIMITS)).toThrow();
  });

  test('that claims many values in a few bytes is rejected before it is decoded', () => {
    const most = {...LIMITS, depth: 1000, values: 1e6, arrayLength: 1e6, mapLength: 1e6};
    // 12 nested arrays of 33 million values each
    const arrays = Uint8Array.from({length: 60}, (_, i) => [0xdd, 1, 255, 255, 255][i % 5] ?? 0);
    expect(() => decodeMessage(arrays, most)).toThrow('the message holds more than 1000000 values');
    expect(() => decodeMessage(arrays, {...most, values: 1e12})).toThrow('the message ends too early');
    const deep = new Uint8Array(1_000_000).fill(0x91);
    expect(() => decodeMessage(deep, most)).toThrow('the message is nested more than 1000 deep');
    const text = Uint8Array.of(0xdb, 255, 255, 255, 255);
    expect(() => decodeMessage(text, most)).toThrow();
  });

  test('is equal after encoding and decoding', () => {
    const limits = {
      depth: 100,
      values: 1e6,
      arrayLength: 1e5,
      mapLength: 1e5,
      textBytes: 1e6,
      binaryBytes: 1e6,
    };
    const key = fc.string().filter(name => name !== '__proto__');
    const {value} = fc.letrec(tie => ({
      value: fc.oneof(
        {depthSize: 'small', withCrossShrink: true},
        fc.oneof(
          fc.integer(),
          fc.double({noNaN: true}),
          fc.string({maxLength: 300}),
          fc.boolean(),
          fc.constant(null),
          fc.uint8Array({maxLength: 300}),
          fc.maxSafeInteger(),
        ),
        fc.array(tie('value'), {maxLength: 20}),
        fc.dictionary(key, tie('value'), {maxKeys: 20}),
      ),
    }));
    fc.assert(
      fc.property(value, each => {
        const bytes = encode(each);
        expect(encode(decodeMessage(bytes, limits))).toEqual(bytes);
        // A truncated message ends too early.
        if (bytes.length > 1) expect(() => decodeMessage(bytes.subarray(0, -1), limits)).toThrow();
      }),
      {numRuns: 300},
    );
    const long = ['x'.repeat(70_000), new Uint8Array(70_000), Array.from({length: 70_000}, () => 1)];
    const map = Object.fromEntries(Array.from({length: 70_000}, (_, i) => [i, i]));
    expect(decodeMessage(encode([long, map]), limits)).toEqual([long, map]);
  });
});
