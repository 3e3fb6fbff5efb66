import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {type Field, fieldBytes} from './field.ts';
import {HpackDecoder} from './hpackDecoder.ts';
import {HpackEncoder} from './hpackEncoder.ts';
import {HpackTable} from './hpackTable.ts';
import {huffmanDecode, huffmanEncode} from './huffman.ts';
import {HpackError} from './primitives.ts';

const authority: Field = [':authority', 'www.example.com'];
const get: Field = [':method', 'GET'];
const requests: readonly (readonly Field[])[] = [
  [get, [':scheme', 'http'], [':path', '/'], authority],
  [get, [':scheme', 'http'], [':path', '/'], authority, ['cache-control', 'no-cache']],
  [get, [':scheme', 'https'], [':path', '/index.html'], authority, ['custom-key', 'custom-value']],
];
const location: Field = ['location', 'https://www.example.com'];
const date: Field = ['date', 'Mon, 21 Oct 2013 20:13:21 GMT'];
const responses: readonly (readonly Field[])[] = [
  [[':status', '302'], ['cache-control', 'private'], date, location],
  [[':status', '307'], ['cache-control', 'private'], date, location],
  [
    [':status', '200'],
    ['cache-control', 'private'],
    ['date', 'Mon, 21 Oct 2013 20:13:22 GMT'],
    location,
    ['content-encoding', 'gzip'],
    ['set-cookie', 'foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1'],
  ],
];

describe('the examples of RFC 7541 appendix C', () => {
  const plain = [
    '828684410f7777772e6578616d706c652e636f6d',
    '828684be58086e6f2d6361636865',
    '828785bf400a637573746f6d2d6b65790c637573746f6d2d76616c7565',
  ];
  const coded = [
    '828684418cf1e3c2e5f23a6ba0ab90f4ff',
    '828684be5886a8eb10649cbf',
    '828785bf408825a849e95ba97d7f8925a849e95bb8e8b4bf',
  ];
  const answers = [
    '488264025885aec3771a4b6196d07abe941054d444a8200595040b8166e082a62d1bff6e919d29ad171863c78f0b97c8e9ae82ae43d3',
    '4883640effc1c0bf',
    '88c16196d07abe941054d444a8200595040b8166e084a62d1bffc05a839bd9ab77ad94e7821dd7f2e6c7b335dfdfcd5b3960d5af27087f3672c1ab270fb5291f9587316065c003ed4ee5b1063d5007',
  ];

  test('C.3 and C.4: requests, without and with Huffman code', () => {
    for (const blocks of [plain, coded]) expect(decodedBy(newDecoder(), blocks)).toEqual(requests);
    const encoder = new HpackEncoder();
    expect(requests.map(fields => hexOf(encoder.encode(fields)))).toEqual(coded);
  });

  test('C.6: responses, with a table of 256 bytes that evicts the oldest entries', () => {
    expect(decodedBy(new HpackDecoder(256, 1e6), answers)).toEqual(responses);
    const encoder = new HpackEncoder();
    encoder.limit(256);
    const [first = '', ...others] = responses.map(fields => hexOf(encoder.encode(fields)));
    // Our first block begins with the change of the table's size (§4.2).
    expect([first.slice(6), ...others]).toEqual(answers);
    expect(first.slice(0, 6)).toBe('3fe101');
  });

  test('C.2: literals without indexing and never indexed', () => {
    const decoder = newDecoder();
    expect(decodedBy(decoder, ['040c2f73616d706c652f70617468'])).toEqual([[[':path', '/sample/path']]]);
    expect(decodedBy(decoder, ['100870617373776f726406736563726574'])).toEqual([[['password', 'secret']]]);
    expect(() => decoder.decode(bytesOf('be'))).toThrow(HpackError);
  });
});

describe('the Huffman code', () => {
  test('decodes every byte, alone and among others', () => {
    const all = Array.from({length: 256}, (_, code) => String.fromCharCode(code));
    for (const text of [...all, all.join(''), '']) {
      const coded = Uint8Array.from(huffmanEncode(text));
      expect(huffmanDecode(coded)).toBe(text);
    }
  });

  test('must not contain EOS, and its padding must be the beginning of EOS (RFC 7541 §5.2)', () => {
    expect(huffmanDecode(bytesOf('1fff'))).toBeUndefined(); // 'a', then 11 ones
    expect(huffmanDecode(bytesOf('1f'))).toBe('a');
    expect(huffmanDecode(bytesOf('18'))).toBeUndefined(); // 'a', then zeros
    expect(huffmanDecode(bytesOf('ffffffff'))).toBeUndefined();
    expect(huffmanDecode(bytesOf('ff'))).toBeUndefined();
  });
});

describe('an encoder', () => {
  test('adds fields to its table, except for paths and lengths', () => {
    const encoder = new HpackEncoder();
    const [once, again] = [0, 1].map(() =>
      [[':path', '/a'] as const, ['content-length', '9'] as const, ['x', 'y'] as const].map(
        field => encoder.encode([field]).length,
      ),
    );
    expect([once, again]).toEqual([
      [4, 4, 5],
      [4, 4, 1],
    ]);
  });

  test('announces the smallest size of its table since the last block (RFC 7541 §4.2)', () => {
    const encoder = new HpackEncoder();
    for (const bytes of [100, 0, 4096]) encoder.limit(bytes);
    expect(hexOf(encoder.encode([get]))).toBe('203fe11f82');
    expect(hexOf(encoder.encode([get]))).toBe('82');
  });

  test('does not use the Huffman code if it is longer than the string', () => {
    expect(hexOf(new HpackEncoder().encode([[':path', '\0']]))).toBe('040100');
  });
});

describe('a decoder', () => {
  test.each([
    ['80', 'index 0 is not in the table'],
    ['be', 'index 62 is not in the table'],
    ['40', 'the block ends early'],
    ['400a63', 'a string ends early'],
    ['ffffffffffff0f', 'an integer is too large'],
    ['3fe21f', 'a table of 4097 bytes (at most 4096)'],
    ['8220', 'a change of the table size after a field (must come before all fields)'],
    ['008118', 'a Huffman code is invalid'],
  ])('reports for %s: %s', (block, message) => {
    expect(() => newDecoder().decode(bytesOf(block))).toThrow(new HpackError(message));
  });

  test('returns no more fields than its limit, and still updates its table', () => {
    const [encoder, decoder] = [new HpackEncoder(), new HpackDecoder(4096, 1000)];
    const large: readonly Field[] = Array.from({length: 30}, (_, i) => ['x', `${i}`.padEnd(100, 'x')]);
    const {fields, isTooLarge} = decoder.decode(encoder.encode(large));
    expect(isTooLarge).toBe(true);
    expect(fields.reduce((sum, field) => sum + fieldBytes(field), 0)).toBeLessThanOrEqual(1000);
    const last = large.slice(-1);
    expect(decoder.decode(encoder.encode(last))).toEqual({fields: last, isTooLarge: false});
  });

  test('decodes the blocks of an encoder whose table grows and shrinks', () => {
    const word = fc.constantFrom('a', 'bb', ':path', 'content-length', 'x'.repeat(60), 'date', ':status');
    const block = fc.record({
      fields: fc.array(fc.tuple(word, fc.oneof(word, fc.string({unit: 'binary-ascii'})))),
      limit: fc.option(fc.integer({min: 0, max: 8000})),
    });
    fc.assert(
      fc.property(fc.array(block), blocks => {
        const [encoder, decoder] = [new HpackEncoder(), new HpackDecoder(65_536, 1e6)];
        for (const {fields, limit} of blocks) {
          if (limit !== null) encoder.limit(limit);
          expect(decoder.decode(encoder.encode(fields)).fields).toEqual(fields);
        }
      }),
    );
  });

  test('throws nothing but HpackErrors for arbitrary bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({maxLength: 60}), {maxLength: 6}), blocks => {
        const decoder = newDecoder();
        try {
          for (const block of blocks) decoder.decode(block);
        } catch (error) {
          expect(error).toBeInstanceOf(HpackError);
        }
      }),
    );
  });
});

test('a table never exceeds its size, and a field that is larger than the table empties it', () => {
  const table = new HpackTable(100);
  table.add(['a', 'b'.repeat(27)]); // the entries now have 60 bytes
  expect(table.at(62)?.[0]).toBe('a');
  table.add(['c', '']); // the entries now have 93 bytes
  expect([table.at(62)?.[0], table.at(63)?.[0]]).toEqual(['c', 'a']);
  table.add(['d', '']);
  expect([table.at(62)?.[0], table.at(63)?.[0], table.at(64)]).toEqual(['d', 'c', undefined]);
  table.add(['e', 'e'.repeat(100)]);
  expect(table.at(62)).toBeUndefined();
});

test('a table that is exactly full after an addition or a resize keeps its entries (RFC 7541 §4.3, §4.4)', () => {
  const table = new HpackTable(66);
  table.add(['a', '']); // 33
  table.add(['b', '']);
  expect([table.at(62)?.[0], table.at(63)?.[0]]).toEqual(['b', 'a']);
  table.resize(33);
  expect([table.at(62)?.[0], table.at(63)]).toEqual(['b', undefined]);
  table.resize(32);
  expect(table.at(62)).toBeUndefined();
});

function newDecoder(): HpackDecoder {
  return new HpackDecoder(4096, 1e6);
}

function decodedBy(decoder: HpackDecoder, blocks: readonly string[]) {
  return blocks.map(block => decoder.decode(bytesOf(block)).fields);
}

function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], byte => Number.parseInt(byte, 16));
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
}
