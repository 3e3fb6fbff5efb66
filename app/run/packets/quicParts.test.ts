import {describe, expect, test} from 'vitest';
import {FRAME, frame, settingsFrame} from '../../http/h3/h3Frame.ts';
import type {Field} from '../../http/hpack/field.ts';
import {QpackEncoder} from '../../http/qpack/qpackEncoder.ts';
import {
  DOWN,
  datagrams,
  GET,
  joined,
  long,
  outline,
  type Sent,
  short,
  stream,
  textOf,
  textsOf,
  UP,
} from './testing/packetsByHand.ts';

const OK = [
  [':status', '200'],
  ['content-length', '30'],
] as const;

describe('QUIC', () => {
  const crypto = Uint8Array.of(0x06, 0, 8, 1, 0, 0, 4, 0, 0, 0, 0);
  const request = frame(FRAME.headers, encodeFields([...GET]));
  const answer = joined(frame(FRAME.headers, encodeFields([...OK])), frame(FRAME.data, new Uint8Array(30)));
  const initial = long(0, joined(crypto, Uint8Array.of(0, 0, 0)));
  const ask = short(0, stream(4, 0, request, true));

  test('all packets of a datagram with long headers are decoded, with their frames', () => {
    const [parts] = datagrams([[UP, joined(initial, long(2, Uint8Array.of(0x01)))]]);
    expect(outline(parts)).toEqual([
      'QUIC Initial packet',
      '  CRYPTO',
      '    ClientHello',
      '  PADDING',
      'QUIC Handshake packet',
      '  PING',
    ]);
    expect(textsOf(parts?.[0])).toMatchObject({
      'Header Form': '1 (long)',
      'Long Packet Type': '0 (Initial)',
      Version: '1',
      Token: '0 B',
      'Destination Connection ID': '0102',
      'Source Connection ID': '03',
      'Packet Payload': '14 B',
      tag: '16 B',
    });
    expect(textsOf(parts?.[0]?.parts[1])).toEqual({padding: '3 B'});
  });

  test('a STREAM frame has its offset and the HTTP/3 frames at that offset', () => {
    const [, , first, rest] = datagrams([
      [UP, initial],
      [UP, ask],
      [DOWN, short(0, stream(4, 0, answer.subarray(0, answer.length - 10)))],
      [DOWN, short(1, stream(4, answer.length - 10, answer.subarray(answer.length - 10), true))],
    ]);
    expect(outline(first)).toEqual(['QUIC 1-RTT packet', '  STREAM, stream 4 (river.jpg)', '    HEADERS', '    DATA']);
    expect(outline(rest)).toEqual(['QUIC 1-RTT packet', '  STREAM, stream 4 (river.jpg)', '    continues DATA']);
    expect(textsOf(rest?.[0]?.parts[0])).toEqual({
      'Stream ID': '4 (client-initiated, bidirectional)',
      Offset: String(answer.length - 10),
      Length: '10 B',
      Fin: 'yes',
    });
  });

  test('field sections are read with the dynamic table, also if the entries are sent later', () => {
    // Capacity 4096, then the entry `a: v`; a section that refers to it, and a path.
    const entries = Uint8Array.of(0x02, 0x3f, 0xe1, 0x1f, 0x41, 0x61, 0x01, 0x76);
    const section = joined(Uint8Array.of(2, 0, 0x80), encodeFields([...GET]).subarray(2));
    const control = joined(Uint8Array.of(0), settingsFrame([[0x1, 4096]]));
    const [, , asked, inserted] = datagrams([
      [UP, initial],
      [DOWN, short(0, stream(3, 0, control))],
      [UP, short(0, stream(4, 0, frame(FRAME.headers, section), true))],
      [UP, short(1, stream(6, 0, entries))],
    ]);
    expect(outline(asked)).toEqual(['QUIC 1-RTT packet', '  STREAM, stream 4 (river.jpg)', '    HEADERS']);
    expect(textsOf(asked?.[0]?.parts[0]?.parts[0])).toMatchObject({a: 'v', ':method': 'GET'});
    expect(outline(inserted)).toEqual([
      'QUIC 1-RTT packet',
      '  STREAM, stream 6',
      '    stream header',
      '    Set Dynamic Table Capacity',
      '    Insert with Literal Name',
    ]);
    expect(textsOf(inserted?.[0]?.parts[0]?.parts[2])).toEqual({a: 'v'});
  });

  test('a control stream begins with its type, and its settings have names', () => {
    const control = joined(Uint8Array.of(0), settingsFrame([[0x6, 4096]]));
    const [, parts] = datagrams([
      [UP, initial],
      [UP, short(0, stream(2, 0, control))],
    ]);
    const [header, settings] = parts?.[0]?.parts[0]?.parts ?? [];
    expect(textsOf(header)).toEqual({'Stream Type': '0x00 (control)'});
    expect(textsOf(settings)).toMatchObject({SETTINGS_MAX_FIELD_SECTION_SIZE: '4096'});
  });

  test('an ACK frame has its ranges as packet numbers, the highest first', () => {
    const ack = Uint8Array.of(0x02, 10, 5, 2, 2, 1, 1, 1, 1);
    const [, parts] = datagrams([
      [UP, initial],
      [UP, short(0, ack)],
    ]);
    expect(parts?.[0]?.parts[0]?.fields.map(({name, text}) => `${name}: ${text}`)).toEqual([
      'Largest Acknowledged: 10',
      'ACK Delay: 5 (40 µs)',
      'ACK Range Count: 2',
      'First ACK Range: packets 8 – 10',
      'ACK Range: packets 4 – 5',
      'ACK Range: packets 0 – 1',
    ]);
    const below = (bytes: readonly number[]) => {
      const [, told] = datagrams([
        [UP, initial],
        [UP, short(0, Uint8Array.from(bytes))],
      ]);
      return told?.[0]?.parts[0]?.fault;
    };
    expect(below([0x02, 10, 5, 0, 11])).toBe('a range of packets below number 0');
    expect(below([0x02, 10, 5, 1, 10, 0, 0])).toBe('a range of packets below number 0');
  });

  test('a packet number is completed from the numbers that its sender sent before', () => {
    const of = (...number: readonly number[]) =>
      joined(Uint8Array.of(0x40 + number.length - 1, 1, 2, 3, 4, 5, 6, 7, 8, ...number, 1), new Uint8Array(16));
    const told = datagrams([
      [UP, initial],
      ...[of(0, 255), of(0), of(1, 254), of(2), of(1)].map((bytes): Sent => [UP, bytes]),
    ]);
    expect(told.slice(1).map(parts => textOf(parts[0], 'Packet Number'))).toEqual([
      '255 (sent as 2 B: 0x00ff)',
      '256 (sent as 1 B: 0x00)',
      '510 (sent as 2 B: 0x01fe)',
      // The result is the number nearest to the expected one, which is 511 here, and 515 in the next line.
      '514 (sent as 1 B: 0x02)',
      '513 (sent as 1 B: 0x01)',
    ]);
    const [, , back] = datagrams([
      [UP, initial],
      [UP, of(1, 0)],
      [UP, of(254)],
    ]);
    expect(textOf(back?.[0], 'Packet Number')).toBe('254 (sent as 1 B: 0xfe)');
  });

  test.each([
    [[0x1c, 0x0a, 0x06, 1, 65], 'CONNECTION_CLOSE', {'Error Code': '0x000a', 'Frame Type': '0x06'}],
    [[0x1d, 1, 0], 'CONNECTION_CLOSE, by the application', {'Error Code': '0x0001', 'Reason Phrase': 'none'}],
    [[0x04, 8, 1, 9], 'RESET_STREAM', {'Stream ID': '8', 'Final Size': '9'}],
    [[0x11, 8, 0x44, 0], 'MAX_STREAM_DATA', {'Maximum Stream Data': '1024'}],
    [[0x1e], 'HANDSHAKE_DONE', {}],
  ])('frame %j has its name and fields', (bytes, name, fields) => {
    const [, parts] = datagrams([
      [UP, initial],
      [DOWN, short(0, Uint8Array.from(bytes))],
    ]);
    const [part] = parts?.[0]?.parts ?? [];
    expect([part?.name, part?.fault]).toEqual([name, undefined]);
    expect(textsOf(part)).toMatchObject(fields);
  });

  test('an unknown or truncated frame ends the decoding', () => {
    const told = (bytes: readonly number[]) => {
      const [, parts] = datagrams([
        [UP, initial],
        [DOWN, short(0, Uint8Array.from(bytes))],
      ]);
      return outline(parts).slice(1);
    };
    expect(told([1, 0x3f, 1])).toEqual(['  PING', '  frame type 0x3f !unknown frame type']);
    expect(told([0x06, 0, 5, 1])).toEqual(['  CRYPTO !cut short: Crypto Data takes 5 B, and 1 B are left']);
    const [, parts] = datagrams([
      [UP, initial],
      [DOWN, Uint8Array.of(0x40, 1, 2)],
    ]);
    expect(outline(parts)).toEqual([
      'QUIC 1-RTT packet !cut short: Destination Connection ID takes 8 B, and 2 B are left',
    ]);
  });
});

function encodeFields(fields: readonly Field[]): Uint8Array {
  return new QpackEncoder(0).encode(0, fields);
}
