import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {joinedBytes} from '../buffers.ts';
import {FRAME, type FramePart, frame, frameHead, H3FrameReader, readSettings, settingsFrame} from './h3Frame.ts';
import {encodeVarint, readVarint} from './varint.ts';

describe('variable-length integers', () => {
  test('are those of RFC 9000 A.1', () => {
    for (const [value, hex] of [
      [494_878_333, '9d7f3e7d'],
      [15_293, '7bbd'],
      [37, '25'],
    ] as const) {
      expect(encodeVarint(value)).toEqual(fromHex(hex));
      expect(readVarint(fromHex(hex), 0)).toEqual({value, end: hex.length / 2});
    }
    expect(readVarint(fromHex('4025'), 0)).toEqual({value: 37, end: 2});
    expect(readVarint(fromHex('c2197c5eff14e88c'), 0)?.value).toBeCloseTo(151_288_809_941_952_640, -3);
  });

  test('are equal after encoding and reading, and undefined if they are incomplete', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), value => {
        const bytes = encodeVarint(value);
        expect(readVarint(bytes, 0)).toEqual({value, end: bytes.length});
        expect(readVarint(bytes.subarray(0, -1), 0)).toBeUndefined();
      }),
    );
    for (const value of [-1, 0.5, 2 ** 53]) expect(() => encodeVarint(value)).toThrow(`invalid integer: ${value}`);
  });
});

describe('frames', () => {
  const frames = joinedBytes([
    settingsFrame([[6, 16_384]]),
    frame(0x21, new Uint8Array(300)),
    frame(FRAME.headers, Uint8Array.of(1, 2, 3)),
    frameHead(FRAME.data, 5),
    Uint8Array.of(5, 4, 3, 2, 1),
    frame(FRAME.data, new Uint8Array(0)),
    frame(FRAME.goaway, Uint8Array.of(0)),
  ]);

  test('are read correctly from pieces of any size, except for unknown frames, which are ignored', () => {
    const whole = partsOf([frames]);
    expect(whole.map(part => (part.kind === 'frame' ? part.type : part.kind))).toEqual([
      FRAME.settings,
      FRAME.headers,
      'data-head',
      'data',
      'data-head',
      FRAME.goaway,
    ]);
    fc.assert(
      fc.property(fc.array(fc.nat(frames.length)), cuts => {
        const at = [0, ...cuts.sort((a, b) => a - b), frames.length];
        const pieces = at.slice(1).map((end, i) => frames.subarray(at[i], end));
        expect(withDataJoined(partsOf(pieces))).toEqual(withDataJoined(whole));
      }),
    );
  });

  test('that are too large are reported, and nothing after them is read', () => {
    const reader = new H3FrameReader(100);
    const bytes = joinedBytes([
      frameHead(FRAME.headers, 101),
      new Uint8Array(101),
      frame(FRAME.goaway, Uint8Array.of(0)),
    ]);
    expect([...reader.read(bytes)]).toEqual([{kind: 'excessive', type: FRAME.headers, bytes: 101}]);
    expect([...reader.read(frames)]).toEqual([]);
  });

  test('that are incomplete leave the reader inside a frame', () => {
    const reader = new H3FrameReader(1000);
    expect(reader.isAtBorder).toBe(true);
    for (const part of [frameHead(FRAME.data, 5), Uint8Array.of(0x01)]) {
      for (const _ of reader.read(part)) expect(reader.isAtBorder).toBe(false);
      expect(reader.isAtBorder).toBe(false);
    }
  });

  test('never contain more bytes than arrived, for arbitrary bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({maxLength: 60})), pieces => {
        const came = pieces.reduce((sum, {length}) => sum + length, 0);
        const bytes = partsOf(pieces).reduce((sum, part) => {
          if (part.kind === 'data') return sum + part.bytes.length;
          return part.kind === 'frame' ? sum + part.payload.length : sum;
        }, 0);
        expect(bytes).toBeLessThanOrEqual(came);
      }),
    );
  });

  test('of settings are read correctly, unless they are truncated', () => {
    const payload = joinedBytes([encodeVarint(6), encodeVarint(16_384), encodeVarint(0x21), encodeVarint(1)]);
    expect(readSettings(payload)).toEqual(
      new Map([
        [6, 16_384],
        [0x21, 1],
      ]),
    );
    for (const end of [1, 4, 6]) expect(readSettings(payload.subarray(0, end))).toBeUndefined();
  });
});

function partsOf(pieces: readonly Uint8Array[]): FramePart[] {
  const reader = new H3FrameReader(1000);
  return pieces.flatMap(piece => {
    return [...reader.read(piece)].map(part => {
      return part.kind === 'frame' ? {...part, payload: part.payload.slice()} : part;
    });
  });
}

/** Joins consecutive DATA parts, so that the result does not depend on how the stream was divided. */
function withDataJoined(parts: readonly FramePart[]): unknown[] {
  const all: unknown[] = [];
  let data: number[] = [];
  for (const part of parts) {
    if (part.kind === 'data') data.push(...part.bytes);
    else {
      all.push(data, part);
      data = [];
    }
  }
  return [...all, data];
}

function fromHex(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], byte => Number.parseInt(byte, 16));
}
