import {expect, test} from 'vitest';
import {QuicPackets} from './quicPackets.ts';

const TAG = Array.from({length: 16}, () => 0);
const DCID = [1, 2, 3, 4, 5, 6, 7, 8];

/** Returns an IP packet: IPv4 and UDP headers, and then `bytes`. In the headers only the IPv4 header length is set. */
function packet(...bytes: readonly number[]): Uint8Array {
  return Uint8Array.of(0x45, ...Array.from({length: 27}, () => 0), ...bytes);
}

/** Returns a packet with a short header and a packet number of one byte. */
function short(number: number, ...frames: readonly number[]): readonly number[] {
  return [0x40, ...DCID, number, ...frames, ...TAG];
}

/** Returns a 0-RTT packet with a packet number of two bytes. */
function zeroRtt(number: number, ...frames: readonly number[]): readonly number[] {
  return [0xd1, 0, 0, 0, 1, 8, ...DCID, 0, 2 + frames.length + 16, number >> 8, number & 255, ...frames, ...TAG];
}

test('0-RTT and 1-RTT packets share a packet number space, in which truncated numbers are completed', () => {
  const packets = new QuicPackets();
  const numbers = [packet(...zeroRtt(300, 1)), packet(...short(301 - 256, 1)), packet(...short(302 - 256, 1))].map(
    bytes => packets.read(bytes).map(({type, number}) => `${type} ${number}`),
  );
  expect(numbers).toEqual([['0RTT 300'], ['1RTT 301'], ['1RTT 302']]);
});

test('the packets of a datagram are read one by one, with their sizes', () => {
  const found = new QuicPackets().read(packet(...zeroRtt(0, 1, 0, 0), ...short(1, 1)));
  expect(found.map(({type, bytes, payloadBytes}) => [type, bytes, payloadBytes])).toEqual([
    ['0RTT', 5 + 10 + 1 + 2 + 3 + 16, 3],
    ['1RTT', 1 + 8 + 1 + 1 + 16, 1],
  ]);
  expect(found[0]?.frames).toEqual([
    {frame_type: 'ping', frame_size: 1},
    {frame_type: 'padding', raw: {length: 2}, frame_size: 2},
  ]);
});

test('an acknowledgement’s ranges ascend, both ends included (RFC 9000 §19.3)', () => {
  // The frame has the largest number 20, a delay of 1 × 8 µs, and the ranges 18–20, 15 and 10–12.
  const [found] = new QuicPackets().read(packet(...short(0, 0x02, 20, 1, 2, 2, 1, 0, 1, 2)));
  expect(found?.frames).toEqual([
    {frame_type: 'ack', ack_delay: 0.008, acked_ranges: [[10, 12], [15], [18, 20]], frame_size: 9},
  ]);
});

test('frames are read with all fields, and a packet with an invalid frame is left out', () => {
  const of = (...frames: readonly number[]) => new QuicPackets().read(packet(...short(0, ...frames)))[0]?.frames;
  expect(of(0x0f, 4, 9, 2, 7, 7)).toEqual([
    {
      frame_type: 'stream',
      stream_id: 4,
      offset: 9,
      length: 2,
      fin: true,
      raw: {payload_length: 2},
      frame_size: 6,
    },
  ]);
  expect(of(0x08, 4, 7, 7)).toEqual([
    {frame_type: 'stream', stream_id: 4, offset: 0, length: 2, raw: {payload_length: 2}, frame_size: 4},
  ]);
  expect(of(0x1c, 10, 6, 2, 0x6e, 0x6f)).toEqual([
    {
      frame_type: 'connection_close',
      error_space: 'transport',
      error: 'unknown',
      error_code: 10,
      reason: 'no',
      frame_size: 6,
    },
  ]);
  expect(of(0x13, 3, 0x04, 4, 1, 9)).toEqual([
    {frame_type: 'max_streams', maximum: 3, stream_type: 'unidirectional', frame_size: 2},
    {frame_type: 'reset_stream', error: 'unknown', stream_id: 4, error_code: 1, final_size: 9, frame_size: 4},
  ]);
  expect(of(0x3f)).toBeUndefined();
  expect(of(0x02, 5, 0, 0, 6)).toBeUndefined();
  expect(new QuicPackets().read(packet(0xc0, 0, 0))).toEqual([]);
  expect(new QuicPackets().read(new Uint8Array(3))).toEqual([]);
});
