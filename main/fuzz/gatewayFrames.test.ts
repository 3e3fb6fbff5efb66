import {encode} from '@msgpack/msgpack';
import fc from 'fast-check';
import {expect, test} from 'vitest';
import {FetchError} from '../pages/base/pageErrors.ts';
import {frameOf, readFrames} from '../pages/gateway/gatewayFrames.ts';
import {bundleOf} from '../pages/store/testing/bundleOf.ts';
import {cases, corpusOf, LONGEST_MS} from './fuzz.ts';

// This fuzzer decodes bytes as the messages of a gateway on another machine.

/**
 * Checks that every message has a known type, or that the stream is refused with a `FetchError`. Returns the number of
 * messages.
 */
async function messagesOf(bytes: Uint8Array, pieceBytes: number): Promise<number> {
  let messages = 0;
  const before = process.memoryUsage().heapTotal;
  try {
    for await (const {type} of readFrames(piecesOf(bytes, pieceBytes))) {
      expect(type).toMatch(/^(progress|bundle|refused)$/);
      messages += 1;
    }
  } catch (error) {
    expect(error).toBeInstanceOf(FetchError);
  }
  // a few bytes that claim a large size must not reserve memory
  expect(process.memoryUsage().heapTotal - before).toBeLessThan(200e6);
  return messages;
}

async function* piecesOf(bytes: Uint8Array, pieceBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

function framed(body: Uint8Array): Uint8Array {
  const frame = new Uint8Array(4 + body.length);
  new DataView(frame.buffer).setUint32(0, body.length);
  frame.set(body, 4);
  return frame;
}

test.each(corpusOf<string>('gatewayFrames'))('%s', {timeout: LONGEST_MS}, async (_, hex) => {
  expect(await messagesOf(framed(Buffer.from(hex, 'hex')), 7)).toBe(0);
});

const HEADS = [0x80, 0x8f, 0x90, 0x9f, 0xa5, 0xc0, 0xc1, 0xc4, 0xc6, 0xc9, 0xcb, 0xd9, 0xdb, 0xdc, 0xdd, 0xde, 0xdf];

test('any bytes give known messages or a FetchError', {timeout: LONGEST_MS}, async () => {
  const byte = fc.oneof(fc.constantFrom(...HEADS), fc.nat(255));
  const body = fc.array(byte, {maxLength: 200}).map(bytes => Uint8Array.from(bytes));
  const bodies = fc.array(body, {maxLength: 3});
  const input = fc.oneof(
    body,
    bodies.map(all => Buffer.concat(all.map(framed))),
  );
  await fc.assert(
    fc.asyncProperty(input, fc.integer({min: 1, max: 300}), async (bytes, piece) => {
      await messagesOf(bytes, piece);
    }),
    cases(3000),
  );
});

const FRAMES = [
  frameOf({type: 'progress', done: 1, all: 3}),
  frameOf({type: 'refused', why: 'nobody knows', isPrivate: true}),
  frameOf({type: 'bundle', bundle: bundleOf({'index.html': '<img src=files/1.png>', 'files/1.png': 'p'})}),
];

test('a gateway’s messages, changed or truncated, give known messages or a FetchError', {
  timeout: LONGEST_MS,
}, async () => {
  for (const frame of FRAMES) expect(await messagesOf(frame, 5)).toBe(1);
  const change = fc.record({at: fc.nat(), byte: fc.oneof(fc.constantFrom(...HEADS), fc.nat(255))});
  const input = fc.record({
    frame: fc.constantFrom(...FRAMES, Buffer.concat(FRAMES)),
    changes: fc.array(change, {maxLength: 4}),
    cut: fc.option(fc.nat()),
  });
  await fc.assert(
    fc.asyncProperty(input, fc.integer({min: 1, max: 300}), async ({frame, changes, cut}, piece) => {
      const changed = Uint8Array.from(frame);
      for (const {at, byte} of changes) changed[at % changed.length] = byte;
      await messagesOf(cut === null ? changed : changed.subarray(0, cut % changed.length), piece);
    }),
    cases(2000),
  );
});

test('other valid MessagePack gives known messages or a FetchError', {timeout: LONGEST_MS}, async () => {
  const type = fc.constantFrom('progress', 'bundle', 'refused', 'else');
  const any = fc.record({
    type,
    done: fc.anything(),
    all: fc.anything(),
    why: fc.anything(),
    bundle: fc.anything(),
  });
  await fc.assert(
    fc.asyncProperty(any, async message => {
      let body: Uint8Array;
      try {
        body = encode(JSON.parse(JSON.stringify(message)));
      } catch {
        return; // this value cannot be encoded
      }
      await messagesOf(framed(body), 64);
    }),
    cases(400),
  );
});
