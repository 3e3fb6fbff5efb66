import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {bytesOf} from '../../base/bytes.ts';
import {PREFACE} from '../../http/h2/h2Frame.ts';
import {decodePacket} from './decodePacket.ts';
import {DOWN, datagrams, joined, long, outline, segment, short, UP, udp} from './testing/packetsByHand.ts';

describe('hostile bytes', () => {
  test('any packets in any order are decoded without an exception', () => {
    const start = fc.constantFrom(
      PREFACE,
      Uint8Array.of(0, 0, 0, 4, 0, 0, 0, 0, 0),
      Uint8Array.of(22, 3, 3, 0, 9),
      bytesOf('GET / HTTP/1.1\r\n'),
      bytesOf('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n'),
      Uint8Array.of(0, 40),
      new Uint8Array(),
    );
    const sent = fc.record({
      isUp: fc.boolean(),
      isTcp: fc.boolean(),
      sequence: fc.integer({min: 0, max: 90}),
      start,
      bytes: fc.uint8Array({maxLength: 80}),
      isQuic: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(sent, {minLength: 1, maxLength: 5}), all => {
        const packets = all.map(({isUp, isTcp, sequence, start, bytes, isQuic}) => {
          const side = isUp ? UP : DOWN;
          if (isTcp) return segment(side, sequence, joined(start, bytes));
          return udp(side, isQuic ? joined(long(bytes[0] ?? 0, bytes), bytes) : bytes);
        });
        for (const at of packets.keys()) {
          const told = JSON.stringify(decodePacket(packets, at));
          expect(told).not.toMatch(/undefined|NaN/);
          expect(told.length).toBeLessThan(50_000);
        }
      }),
      {numRuns: 300},
    );
  });

  test('a STREAM frame with a huge offset is shown without its content', () => {
    const far = Uint8Array.of(0x0e, 4, 0xff, 255, 255, 255, 255, 255, 255, 255, 2, 1, 1);
    const [, parts] = datagrams([
      [UP, long(0, Uint8Array.of(1))],
      [UP, short(0, far)],
    ]);
    expect(outline(parts)).toEqual(['QUIC 1-RTT packet', '  STREAM, stream 4']);
  });
});
