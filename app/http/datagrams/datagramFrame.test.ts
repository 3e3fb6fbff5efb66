import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {bytesOf} from '../../base/bytes.ts';
import {encodeFrame, FRAME_HEADER_BYTES, MOST_FRAMES, readFrame} from './datagramFrame.ts';
import {encodeDatagramRequest, mostRanges, readDatagramRequest} from './datagramRequest.ts';
import {rangesOf} from './frameRanges.ts';

const frame = {
  request: 3,
  index: 4,
  frames: 7,
  answers: 0,
  abstractFrames: 2,
  continues: true,
  payload: Uint8Array.of(1, 2, 3),
};

describe('a frame', () => {
  test('is equal after encoding and parsing', () => {
    expect(readFrame(encodeFrame(frame))).toEqual(frame);
    const plain = {...frame, answers: null, continues: false, abstractFrames: 0, payload: new Uint8Array(0)};
    expect(readFrame(encodeFrame(plain))).toEqual(plain);
  });

  test('is invalid if a field of its header is out of range, or if the header is truncated', () => {
    expect(readFrame(encodeFrame({...frame, index: 7}))).toBeUndefined();
    expect(readFrame(encodeFrame({...frame, abstractFrames: 8}))).toBeUndefined();
    expect(readFrame(encodeFrame({...frame, frames: MOST_FRAMES + 1}))).toBeUndefined();
    expect(readFrame(encodeFrame(frame).subarray(0, FRAME_HEADER_BYTES - 1))).toBeUndefined();
    const flags = encodeFrame(frame);
    flags[19] = 2;
    expect(readFrame(flags)).toBeUndefined();
  });
});

describe('a request in a datagram', () => {
  const request = {url: '/a.jpg', request: 12, datagram: 99, ranges: null, rttUs: null};

  test('is padded to the given size, and is equal after encoding and parsing', () => {
    const bytes = encodeDatagramRequest(request, 200);
    expect(bytes).toHaveLength(200);
    expect(readDatagramRequest(bytes)).toEqual(request);
    const some = {...request, ranges: rangesOf([1, 2, 3, 7]), rttUs: 243_200};
    expect(some.ranges).toEqual([
      {first: 1, last: 3},
      {first: 7, last: 7},
    ]);
    expect(readDatagramRequest(encodeDatagramRequest(some, 0))).toEqual(some);
  });

  test('fits in its datagram with the number of ranges that mostRanges returns', () => {
    const url = `/${'x'.repeat(100)}`;
    for (const limitBytes of [300, 400, 548, 1472]) {
      const most = mostRanges(url, limitBytes);
      const far = Array.from({length: most}, (_, i) => ({
        first: MOST_FRAMES - 99 + 2 * i,
        last: MOST_FRAMES - 99 + 2 * i,
      }));
      const asked = {url, request: 1, datagram: 999_999_999, ranges: far, rttUs: 999_999_999};
      expect(encodeDatagramRequest(asked, 0).length).toBeLessThanOrEqual(limitBytes);
    }
    expect(mostRanges(url, 1472)).toBe(16);
    expect(mostRanges(`/${'x'.repeat(1400)}`, 1472)).toBeLessThan(1);
  });

  test.each([
    ['GET /a HTTP/1.1\r\nRequest: 1\r\n\r\n', 'a number is missing'],
    ['GET /a HTTP/1.1\r\nRequest: 1\r\nDatagram: 0\r\n\r\nmore', 'bytes after the head'],
    ['GET /a HTTP/1.1\r\nRequest: -1\r\nDatagram: 0\r\n\r\n', 'a negative number'],
    ['GET /a HTTP/1.1\r\nRequest: 1\r\nDatagram: 0\r\nRange: bytes=1-2\r\n\r\n', 'an unknown unit'],
    ['GET /a HTTP/1.1\r\nRequest: 1\r\nDatagram: 0\r\nRange: frames=5-3\r\n\r\n', 'a descending range'],
    [
      'GET /a HTTP/1.1\r\nRequest: 1\r\nDatagram: 0\r\nRange: frames=0-1048576\r\n\r\n',
      'a frame beyond the last possible one',
    ],
    [`GET /a HTTP/1.1\r\nRequest: 1\r\nDatagram: 0\r\nRange: frames=0${',0'.repeat(16)}\r\n\r\n`, 'too many ranges'],
    ['GET /a HTTP/1.1\r\nRequest: 1\r\nDatagram: 0\r\nRTT: soon\r\n\r\n', 'the RTT is not a number'],
    ['POST /a HTTP/1.1\r\nRequest: 1\r\nDatagram: 0\r\n\r\n', 'not a GET'],
    ['GET /a HTTP/1.1\r\nRequest: 1\r\nDatagram: 0\r\n', 'an incomplete head'],
  ])('is invalid: %j (%s)', text => {
    expect(readDatagramRequest(bytesOf(text))).toBeUndefined();
  });
});

test('arbitrary bytes are a valid frame or are dropped, and are never a request', () => {
  fc.assert(
    fc.property(fc.uint8Array({maxLength: 60}), bytes => {
      const read = readFrame(bytes);
      if (read !== undefined) expect(read.index).toBeLessThan(read.frames);
      expect(readDatagramRequest(bytes)).toBeUndefined();
    }),
  );
});
