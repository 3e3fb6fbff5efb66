import {describe, expect, test} from 'vitest';
import {encodeFrame, encodeSettings, FLAG, FRAME, PREFACE} from '../../http/h2/h2Frame.ts';
import {HpackEncoder} from '../../http/hpack/hpackEncoder.ts';
import {CONTENT, plainRecord, sealedRecord} from '../../http/tls/tlsRecord.ts';
import {DOWN, GET, headers, joined, outline, segments, textOf, textsOf, UP} from './testing/packetsByHand.ts';

// Tests of TCP data: units that continue in the next segment, and invalid units.

const OK = [
  [':status', '200'],
  ['content-length', '30'],
  ['x-pad', '.'.repeat(70)],
] as const;

describe('HTTP/2', () => {
  const [asks, answers] = [new HpackEncoder(), new HpackEncoder()];
  const client = joined(PREFACE, encodeSettings([]), headers(5, asks.encode(GET), true));
  const twice = joined(client, headers(7, asks.encode([...GET.slice(0, 1), [':path', '/a/dunes.jpg']]), true));
  const head = joined(encodeSettings([[3, 128]]), headers(5, answers.encode(OK), false));
  const data = encodeFrame(FRAME.data, FLAG.endStream, 5, new Uint8Array(30));
  const server = joined(head, data);

  test('a frame that continues in the next segment is named with its stream and object', () => {
    const cut = head.length + 19;
    const [, first] = segments([
      [UP, 0, client],
      [DOWN, 0, server.subarray(0, cut)],
    ]);
    expect(outline(first)).toEqual([
      'SETTINGS',
      'HEADERS, stream 5 (river.jpg)',
      // The rest of the frame was not sent.
      'DATA, stream 5 (river.jpg) !cut short: Data takes 30 B, and 10 B are left',
    ]);
    const [, , rest] = segments([
      [UP, 0, client],
      [DOWN, 0, server.subarray(0, cut)],
      [DOWN, cut, server.subarray(cut)],
    ]);
    expect(outline(rest)).toEqual(['continues DATA of stream 5 (river.jpg)']);
    expect(textOf(rest?.[0], 'here')).toBe('bytes 20 – 39 of 39');
  });

  test('each field has its name from the RFC', () => {
    const [all] = segments([
      [DOWN, 0, joined(server, encodeFrame(FRAME.windowUpdate, 0, 0, Uint8Array.of(0, 0, 1, 0)))],
    ]);
    expect(all?.map(textsOf)).toMatchObject([
      {
        Length: '6 B',
        Type: '0x04',
        Flags: 'none',
        'Stream Identifier': '0',
        SETTINGS_MAX_CONCURRENT_STREAMS: '128',
      },
      {
        Flags: 'END_HEADERS',
        'Stream Identifier': '5',
        ':status': '200',
        'content-length': '30',
        'x-pad': '70 B',
      },
      {Length: '30 B', Type: '0x00', Flags: 'END_STREAM', Data: '30 B'},
      {'Window Size Increment': '256'},
    ]);
  });

  test('a later field block is decoded with the table of the earlier blocks', () => {
    const [whole] = segments([[UP, 0, twice]]);
    expect(outline(whole)).toEqual([
      'connection preface',
      'SETTINGS',
      'HEADERS, stream 5 (river.jpg)',
      'HEADERS, stream 7 (dunes.jpg)',
    ]);
    const [, last] = segments([
      [UP, 0, client],
      [UP, client.length, twice.subarray(client.length)],
    ]);
    expect(outline(last)).toEqual(['HEADERS, stream 7 (dunes.jpg)']);
  });

  test('a retransmission is decoded like the original, and data after a gap are not decoded', () => {
    const [, again] = segments([
      [DOWN, 0, server],
      [DOWN, head.length, data],
    ]);
    expect(outline(again)).toEqual(['DATA, stream 5']);
    const [, lone] = segments([
      [DOWN, 0, head],
      // The bytes in between were never sent.
      [DOWN, head.length + 9, data.subarray(9)],
    ]);
    expect(lone).toEqual([]);
  });

  test('padding longer than its frame, and an invalid field block, are faults', () => {
    const padded = encodeFrame(FRAME.data, FLAG.padded, 5, Uint8Array.of(9, 0, 0));
    const broken = headers(9, Uint8Array.of(0x80), false);
    const [parts] = segments([
      [DOWN, 0, joined(head, padded, broken, headers(11, new HpackEncoder().encode(OK), false))],
    ]);
    expect(parts?.slice(2).map(({fault}) => fault)).toEqual([
      'the padding has 9 B, but the whole payload has 3 B',
      'the fields cannot be read: index 0 is not in the table',
      undefined,
    ]);
    // The table is unknown after an invalid block.
    expect(textOf(parts?.at(-1), ':status')).toBeUndefined();
  });

  test('frames in TLS are shown inside their records, whole or in part', () => {
    const flight = joined(
      plainRecord(CONTENT.handshake, Uint8Array.of(2, 0, 0, 2, 0, 0)),
      sealedRecord(CONTENT.handshake, Uint8Array.of(20, 0, 0, 1, 0)),
      sealedRecord(CONTENT.applicationData, server.subarray(0, head.length + 20)),
      sealedRecord(CONTENT.applicationData, server.subarray(head.length + 20)),
    );
    const cut = flight.length - 15;
    const [parts, rest] = segments([
      [DOWN, 0, flight.subarray(0, cut)],
      [DOWN, cut, flight.subarray(cut)],
    ]);
    expect(outline(parts)).toEqual([
      'TLS record, handshake',
      '  ServerHello',
      'TLS record, handshake',
      '  Finished',
      'TLS record, application_data',
      '  SETTINGS',
      '  HEADERS, stream 5',
      '  DATA, stream 5',
      'TLS record, application_data',
      '  continues DATA of stream 5',
    ]);
    expect(textsOf(parts?.[1])).toMatchObject({
      opaque_type: '23 (application_data)',
      'inner type': '22 (handshake)',
    });
    // The tag belongs to no frame.
    expect(outline(rest)).toEqual(['continues TLS record, application_data']);
  });

  test('bytes that are not a TLS record end the decoding', () => {
    const [parts] = segments([
      [UP, 0, joined(plainRecord(CONTENT.handshake, Uint8Array.of(1, 0, 0, 0)), Uint8Array.of(9, 9, 9, 9, 9))],
    ]);
    expect(outline(parts)).toEqual(['TLS record, handshake', '  ClientHello', 'bytes !not a TLS record']);
  });
});
