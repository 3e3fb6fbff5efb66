import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {type Field, fieldBytes} from '../hpack/field.ts';
import {InstructionReader} from './instructionReader.ts';
import {QpackDecoder} from './qpackDecoder.ts';
import {QpackEncoder} from './qpackEncoder.ts';
import {QpackError} from './qpackError.ts';
import {STATIC_TABLE} from './staticTable.ts';

describe('a field section without a dynamic table', () => {
  test('is that of RFC 9204 B.1, except for the Huffman code', () => {
    // The literal in the RFC is not Huffman-coded.
    expect(decoded(newDecoder(), 0, '0000510b2f696e6465782e68746d6c')).toEqual([[':path', '/index.html']]);
    expect(hexOf(encodeStatic([[':path', '/index.html']]))).toBe('0000518860d5485f2bce9a68');
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
      expect(encodeStatic([field])).toEqual(Uint8Array.of(0, 0, ...bytes));
    }
  });

  test('is equal after encoding and decoding', () => {
    fc.assert(
      fc.property(fc.array(anyField), fields => {
        expect(decoded(newDecoder(0), 0, encodeStatic(fields))).toEqual(fields.map(([name, value]) => [name, value]));
      }),
    );
  });

  test('can contain fields that must never be indexed, with a literal or indexed name (RFC 9204 §4.5.4, §4.5.6)', () => {
    const fields = [
      [':path', '/a'],
      ['a', 'b'],
    ];
    for (const section of ['0000' + '51022f61' + '21610162', '0000' + '71022f61' + '31610162']) {
      expect(decoded(newDecoder(), 0, section)).toEqual(fields);
    }
  });

  test('that exceeds the limit is reported', () => {
    const fields: Field[] = [['name', 'v'.repeat(64)]];
    const section = encodeStatic(fields);
    expect(newDecoder(0, 100).decode(0, section)).toEqual({state: 'decoded', fields});
    expect(newDecoder(0, 99).decode(0, section)).toEqual({state: 'too-large'});
  });

  test('that is decoded again gives the same list', () => {
    const section = encodeStatic([['a', 'b'.repeat(50)]]);
    expect(decoded(newDecoder(), 0, section)).toBe(decoded(newDecoder(), 4, section.slice()));
  });
});

describe('the examples of RFC 9204 B', () => {
  const authority: Field = [':authority', 'www.example.com'];
  const path: Field = [':path', '/sample/path'];
  const custom: Field = ['custom-key', 'custom-value'];

  test('B.2 to B.5: a decoder inserts, evicts, duplicates and acknowledges entries', () => {
    const decoder = newDecoder(220);
    // B.2: the section arrives before the insertions.
    expect(decoder.decode(4, fromHex('03811011'))).toEqual({state: 'blocked'});
    expect(decoder.pollUnblocked()).toBeUndefined();
    decoder.handleEncoderStream(
      fromHex('3fbd01' + 'c00f7777772e6578616d706c652e636f6d' + 'c10c2f73616d706c652f70617468'),
    );
    expect([decoder.pollUnblocked(), decoder.pollUnblocked()]).toEqual([4, undefined]);
    expect(decoded(decoder, 4, '03811011')).toEqual([authority, path]);
    expect(instructionsOf(decoder)).toBe('84');
    // B.3
    decoder.handleEncoderStream(fromHex('4a637573746f6d2d6b65790c637573746f6d2d76616c7565'));
    expect(instructionsOf(decoder)).toBe('01');
    // B.4
    decoder.handleEncoderStream(fromHex('02'));
    expect(instructionsOf(decoder)).toBe('01');
    expect(decoded(decoder, 8, '050080c181')).toEqual([authority, [':path', '/'], custom]);
    decoder.cancel(8);
    expect(instructionsOf(decoder)).toBe('8848');
    // B.5: the oldest entry is evicted.
    decoder.handleEncoderStream(fromHex('810d637573746f6d2d76616c756532'));
    expect(() => decoder.decode(12, fromHex('028082'))).toThrow(QpackError);
  });
});

test('a decoder cancels a blocked section before any entry has arrived (RFC 9204 §2.2.2.2)', () => {
  const decoder = newDecoder(220);
  decoder.cancel(4);
  expect(instructionsOf(decoder)).toBe('');
  expect(decoder.decode(8, fromHex('03811011'))).toEqual({state: 'blocked'});
  decoder.cancel(8);
  expect(instructionsOf(decoder)).toBe('48');
  expect(decoder.pollUnblocked()).toBeUndefined();
});

describe('an encoder', () => {
  const fields: readonly Field[] = [
    [':method', 'GET'],
    [':path', '/1'],
    ['user-agent', 'A browser'],
    ['x-own', 'v'],
  ];

  test('uses no dynamic table before the settings of the peer', () => {
    const encoder = new QpackEncoder(4096);
    expect(encoder.encode(0, fields)).toEqual(encodeStatic(fields));
    expect(encoder.takeInstructions()).toBeUndefined();
  });

  test('inserts fields that may repeat, and refers to them afterwards', () => {
    const {encoder, decoder, send} = connected();
    expect(send(0, fields)).toEqual(fields);
    expect(hexOf(encoder.takeInstructions())).toBe('');
    // Required Insert Count 2, Base 2, GET, :path with a literal value, entries 0 and 1
    expect(hexOf(encoder.encode(4, fields))).toBe(`0300d1${hexOf(encodeStatic([[':path', '/1']])).slice(4)}8180`);
    expect(encoder.takeInstructions()).toBeUndefined();
    expect(instructionsOf(decoder)).toBe('80');
  });

  test('never has more blocked streams than the peer allows, and then refers only to acknowledged entries', () => {
    const encoder = new QpackEncoder(4096);
    encoder.handleSettings({tableBytes: 4096, blockedStreams: 2});
    const isStatic = (section: Uint8Array) => section[0] === 0;
    const one = (stream: number, name: string) => encoder.encode(stream, [[name, 'v']]);
    expect([one(0, 'a'), one(0, 'b'), one(4, 'c'), one(8, 'd'), one(8, 'a')].map(isStatic)).toEqual([
      false,
      false,
      false,
      true,
      true,
    ]);
    // The sections of stream 0 are acknowledged, so 'a' and 'b' are known, and 'c' is not.
    encoder.handleDecoderStream(fromHex('8080'));
    expect([one(8, 'a'), one(8, 'b'), one(12, 'e')].map(isStatic)).toEqual([false, false, false]);
    // Streams 4 and 12 may be blocked now, and stream 8 is not, because it refers only to known entries.
    expect([one(16, 'f'), one(16, 'c'), one(16, 'a')].map(isStatic)).toEqual([true, true, false]);
    encoder.handleDecoderStream(fromHex('4c')); // stream 12 is cancelled
    expect(isStatic(one(16, 'f'))).toBe(false);
  });

  test('does not evict an entry that is not acknowledged, or that an unacknowledged section refers to', () => {
    const encoder = new QpackEncoder(4096);
    // There is room for two entries of 50 bytes.
    encoder.handleSettings({tableBytes: 100, blockedStreams: 100});
    const one = (stream: number, name: string) => encoder.encode(stream, [[name, 'v'.repeat(17)]])[0] !== 0;
    expect([one(0, 'a'), one(4, 'b'), one(8, 'c')]).toEqual([true, true, false]);
    encoder.handleDecoderStream(fromHex('02')); // both have arrived, but the sections have not been read
    expect(one(8, 'c')).toBe(false);
    encoder.handleDecoderStream(fromHex('84')); // the oldest entry is still needed by stream 0
    expect(one(8, 'c')).toBe(false);
    encoder.handleDecoderStream(fromHex('80'));
    expect(one(8, 'c')).toBe(true);
  });

  test('inserts an old entry again before it is evicted', () => {
    const {encoder, decoder, send} = connected({tableBytes: 200});
    const field = (name: string): Field => [name, 'v'.repeat(17)];
    for (const [i, name] of ['a', 'b', 'c', 'd'].entries()) send(4 * i, [field(name)]);
    encoder.handleDecoderStream(fromHex(instructionsOf(decoder)));
    // 'a' is in the oldest quarter of the table.
    encoder.encode(16, [field('a')]);
    expect(hexOf(encoder.takeInstructions())).toBe('03');
  });

  test.each([
    ['an acknowledgement of a stream without a section', '84'],
    ['an increment of 0', '00'],
    ['an increment beyond the insertions', '03'],
    ['an endless integer', 'ffffffffffffffff'],
  ])('ends the connection for %s', (_, hex) => {
    const {encoder} = connected();
    encoder.encode(0, fields);
    expect(codeOf(() => encoder.handleDecoderStream(fromHex(hex)))).toBe('QPACK_DECODER_STREAM_ERROR');
  });

  test('reads acknowledgements in pieces of any size', () => {
    const encoder = new QpackEncoder(4096);
    encoder.handleSettings({tableBytes: 4096, blockedStreams: 100});
    for (let i = 0; i < 100; i++) encoder.encode(4 * i, [['a', 'v']]);
    for (const byte of fromHex('80ff09')) encoder.handleDecoderStream(Uint8Array.of(byte));
    expect(codeOf(() => encoder.handleDecoderStream(fromHex('ff09')))).toBe('QPACK_DECODER_STREAM_ERROR');
  });
});

describe('a decoder', () => {
  test.each([
    ['requires more entries than the table can have', 'ff20'],
    ['has a Required Insert Count of 0 that is not encoded as 0', '0100'],
    ['has a negative Base', '0381'.replace('81', '85')],
    ['names a static entry that does not exist', '0000ff24'],
    ['names a dynamic entry, but requires none', '000080'],
    ['names a dynamic entry after the base, but requires none', '000010'],
    ['uses a name from the dynamic table, but requires no entry', '00004000'],
    ['uses a name from the dynamic table after the base, but requires no entry', '00000000'],
    ['names an entry that it does not require', '020011'],
    ['ends early', '0000510b2f69'],
    ['has no base', '00'],
  ])('ends the connection for a section that %s', (_, hex) => {
    const decoder = newDecoder();
    decoder.handleEncoderStream(fromHex('3fe11f' + '4161017641620176'));
    expect(codeOf(() => decoder.decode(0, fromHex(hex)))).toBe('QPACK_DECOMPRESSION_FAILED');
  });

  test.each([
    ['a table that is larger than allowed', '3fe21f'],
    ['an entry that is larger than the table', `3f01${'41610176'}`],
    ['an entry without a capacity', '41610176'],
    ['a static name that does not exist', '3fe11fff2400'],
    ['a dynamic name that does not exist', '3fe11f8000'],
    ['a duplicate of nothing', '3fe11f00'],
    ['a text that never fits', '3fe11f5fffffff7f'],
    ['an endless integer', '3fffffffffffff'],
    ['an invalid Huffman code', '3fe11f41618118'],
  ])('ends the connection for %s', (_, hex) => {
    expect(codeOf(() => newDecoder().handleEncoderStream(fromHex(hex)))).toBe('QPACK_ENCODER_STREAM_ERROR');
  });

  test('ends the connection if more streams are blocked than it allows', () => {
    const decoder = new QpackDecoder({tableBytes: 4096, blockedStreams: 2}, 1000);
    for (const stream of [0, 4, 4]) expect(decoder.decode(stream, fromHex('020080')).state).toBe('blocked');
    expect(codeOf(() => decoder.decode(8, fromHex('020080')))).toBe('QPACK_DECOMPRESSION_FAILED');
  });

  test('acknowledges a section whose fields exceed the limit, and reads the other sections', () => {
    const decoder = newDecoder(4096, 100);
    decoder.handleEncoderStream(fromHex('3fe11f41610176'));
    expect(decoder.decode(0, fromHex('0200808080808080'))).toEqual({state: 'too-large'});
    expect(instructionsOf(decoder)).toBe('80');
    expect(decoded(decoder, 4, '020080')).toEqual([['a', 'v']]);
  });

  test('ends the connection as soon as it reads the length of a text that cannot fit the table', () => {
    const begun = (instruction: string) => () => newDecoder(100).handleEncoderStream(fromHex(`3f45${instruction}`));
    // 100 characters have up to 375 bytes in the Huffman code: the name of an entry, and a value behind the name 'a'
    for (const [fits, exceeds] of [
      ['5fd802', '5fd902'],
      ['41617ff801', '41617ff901'],
    ] as const) {
      expect(begun(fits)).not.toThrow();
      expect(codeOf(begun(exceeds))).toBe('QPACK_ENCODER_STREAM_ERROR');
    }
  });

  test('throws nothing but a QpackError for arbitrary instructions and sections', () => {
    const bytes = fc.uint8Array({maxLength: 40});
    const hostile = fc.oneof(
      bytes,
      fc
        .tuple(fc.constantFrom(0x80, 0xc0, 0x20, 0x40, 0x00), bytes)
        .map(([first, rest]) => Uint8Array.of(first, ...rest)),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat(3), hostile), {maxLength: 30}), steps => {
        const decoder = new QpackDecoder({tableBytes: 300, blockedStreams: 2}, 500);
        decoder.handleEncoderStream(fromHex('3f8d01'));
        try {
          for (const [isSection, stream, part] of steps) {
            if (!isSection) decoder.handleEncoderStream(part);
            else {
              const section = decoder.decode(stream, part);
              const fields = section.state === 'decoded' ? section.fields : [];
              expect(fields.reduce((sum, field) => sum + fieldBytes(field), 0)).toBeLessThanOrEqual(500);
            }
            decoder.takeInstructions();
          }
        } catch (error) {
          expect(error).toBeInstanceOf(QpackError);
        }
      }),
      {numRuns: 500},
    );
  });
});

test('a reader of instructions holds no more of an incomplete one than its texts and numbers can have', () => {
  const reader = new InstructionReader('QPACK_ENCODER_STREAM_ERROR', 10);
  const readByte = () => reader.read(Uint8Array.of(0x7e), each => void each.string());
  // three numbers of 5 bytes, and 10 bytes of texts, are less than the 126 bytes that the first byte announces
  for (let i = 0; i < 25; i++) readByte();
  expect(codeOf(readByte)).toBe('QPACK_ENCODER_STREAM_ERROR');
});

describe('an encoder and a decoder', () => {
  test('agree, whatever is delayed: entries, sections or acknowledgements', () => {
    const names = fc.constantFrom('a', 'b', 'cookie', ':path', 'user-agent', 'x-own');
    const list = fc.array(
      fc.oneof(fc.tuple(names, fc.constantFrom('', 'v', 'w'.repeat(30), 'x'.repeat(70))), anyField),
      {
        maxLength: 5,
      },
    );
    const step = fc.oneof(
      fc.record({send: list, stream: fc.nat(5)}),
      fc.record({deliver: fc.constantFrom('entries' as const, 'section' as const, 'acks' as const), which: fc.nat(9)}),
      fc.record({cancel: fc.nat(5)}),
    );
    fc.assert(
      fc.property(
        fc.array(step, {maxLength: 60}),
        fc.constantFrom(0, 31, 64, 150, 300, 4096),
        fc.constantFrom(0, 1, 2, 100),
        (steps, tableBytes, blockedStreams) => {
          const run = new DelayedConnection(tableBytes, blockedStreams);
          for (const each of steps) run.take(each);
          run.end();
        },
      ),
      {numRuns: 1000},
    );
  });

  test('repeated requests take less than an eighth of their size', () => {
    const {encoder, decoder, send} = connected();
    const request = (i: number): readonly Field[] => [
      [':method', 'GET'],
      [':path', `/${i}.jpg`],
      ['user-agent', 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36'],
      ['cookie', 'session=0123456789abcdef0123456789abcdef'],
      ['accept', 'image/avif,image/webp,*/*;q=0.8'],
    ];
    send(0, request(0));
    encoder.handleDecoderStream(fromHex(instructionsOf(decoder)));
    const later = encoder.encode(4, request(1)).length;
    expect(encoder.takeInstructions()).toBeUndefined();
    expect(later).toBeLessThan(encodeStatic(request(1)).length / 8);
  });
});

type Step =
  | {readonly send: readonly Field[]; readonly stream: number}
  | {readonly deliver: 'entries' | 'section' | 'acks'; readonly which: number}
  | {readonly cancel: number};

/** An encoder and a decoder, between which everything may be delayed. Each stream and each direction is in order. */
class DelayedConnection {
  readonly #encoder = new QpackEncoder(4096);
  readonly #decoder: QpackDecoder;
  readonly #blockedStreams: number;
  readonly #entries: Uint8Array[] = [];
  readonly #acks: Uint8Array[] = [];
  /** The sections that are in flight or blocked, with their fields, by stream. */
  readonly #sections = new Map<number, {readonly section: Uint8Array; readonly fields: readonly Field[]}[]>();
  readonly #blocked = new Set<number>();
  /** Streams whose later sections the decoder ignores. */
  readonly #cancelled = new Set<number>();

  constructor(tableBytes: number, blockedStreams: number) {
    this.#decoder = new QpackDecoder({tableBytes, blockedStreams}, 1e6);
    this.#blockedStreams = blockedStreams;
    this.#encoder.handleSettings({tableBytes, blockedStreams});
  }

  take(step: Step): void {
    if ('send' in step) {
      const section = this.#encoder.encode(step.stream, step.send);
      const instructions = this.#encoder.takeInstructions();
      if (instructions !== undefined) for (const byte of instructions) this.#entries.push(Uint8Array.of(byte));
      if (this.#cancelled.has(step.stream)) return;
      const sections = this.#sections.get(step.stream) ?? [];
      this.#sections.set(step.stream, sections);
      sections.push({section, fields: step.send});
    } else if ('cancel' in step) {
      this.#cancelled.add(step.cancel);
      this.#sections.delete(step.cancel);
      this.#blocked.delete(step.cancel);
      this.#decoder.cancel(step.cancel);
    } else if (step.deliver === 'entries') this.#deliverEntries(step.which * 20);
    else if (step.deliver === 'section') this.#deliverSection([...this.#sections.keys()][step.which]);
    else this.#deliverAcks(step.which);
    const instructions = this.#decoder.takeInstructions();
    if (instructions !== undefined) this.#acks.push(instructions);
  }

  /** Delivers everything. Nothing may stay blocked. */
  end(): void {
    this.#deliverEntries(Number.POSITIVE_INFINITY);
    for (const stream of [...this.#sections.keys()]) {
      while ((this.#sections.get(stream)?.length ?? 0) > 0) this.#deliverSection(stream);
    }
    expect(this.#blocked.size).toBe(0);
    const instructions = this.#decoder.takeInstructions();
    if (instructions !== undefined) this.#acks.push(instructions);
    this.#deliverAcks(Number.POSITIVE_INFINITY);
  }

  #deliverEntries(bytes: number): void {
    for (const piece of this.#entries.splice(0, bytes)) this.#decoder.handleEncoderStream(piece);
    for (let stream = this.#decoder.pollUnblocked(); stream !== undefined; stream = this.#decoder.pollUnblocked()) {
      expect(this.#blocked.delete(stream)).toBe(true);
      this.#deliverSection(stream);
    }
  }

  #deliverSection(stream: number | undefined): void {
    if (stream === undefined || this.#blocked.has(stream)) return;
    const sections = this.#sections.get(stream) ?? [];
    const [next] = sections;
    if (next === undefined) return;
    const result = this.#decoder.decode(stream, next.section);
    if (result.state === 'blocked') {
      this.#blocked.add(stream);
      expect(this.#blocked.size).toBeLessThanOrEqual(this.#blockedStreams);
      return;
    }
    sections.shift();
    expect(result).toEqual({state: 'decoded', fields: next.fields.map(([name, value]) => [name, value])});
  }

  #deliverAcks(count: number): void {
    for (const piece of this.#acks.splice(0, count)) this.#encoder.handleDecoderStream(piece);
  }
}

const texts = fc.string({unit: 'binary-ascii', maxLength: 300});
const anyField: fc.Arbitrary<Field> = fc.oneof(
  fc.constantFrom(...STATIC_TABLE),
  fc.tuple(texts, texts),
  fc.tuple(fc.constant('age'), texts),
);

function newDecoder(tableBytes = 4096, mostFieldsBytes = 1e6): QpackDecoder {
  return new QpackDecoder({tableBytes, blockedStreams: 100}, mostFieldsBytes);
}

/** Returns an encoder and a decoder, and a function that passes a section from one to the other. */
function connected({tableBytes = 4096}: {readonly tableBytes?: number} = {}) {
  const encoder = new QpackEncoder(4096);
  const decoder = newDecoder(tableBytes);
  encoder.handleSettings({tableBytes, blockedStreams: 100});
  const send = (stream: number, fields: readonly Field[]) => {
    const section = encoder.encode(stream, fields);
    decoder.handleEncoderStream(encoder.takeInstructions() ?? new Uint8Array(0));
    return decoded(decoder, stream, section);
  };
  return {encoder, decoder, send};
}

function encodeStatic(fields: readonly Field[]): Uint8Array {
  return new QpackEncoder(0).encode(0, fields);
}

function decoded(decoder: QpackDecoder, stream: number, section: string | Uint8Array): readonly Field[] {
  const result = decoder.decode(stream, typeof section === 'string' ? fromHex(section) : section);
  if (result.state !== 'decoded') throw new Error(`the section is ${result.state}`);
  return result.fields;
}

function instructionsOf(decoder: QpackDecoder): string {
  return hexOf(decoder.takeInstructions());
}

function codeOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (error instanceof QpackError) return error.code;
    throw error;
  }
  return 'no error';
}

function hexOf(bytes: Uint8Array | undefined): string {
  return Array.from(bytes ?? [], byte => byte.toString(16).padStart(2, '0')).join('');
}

function fromHex(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], byte => Number.parseInt(byte, 16));
}
