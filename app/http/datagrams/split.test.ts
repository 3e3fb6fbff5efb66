import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {bytesOf} from '../../base/bytes.ts';
import {assemblePage} from '../../page/assemble.ts';
import type {ResponseEvent} from '../exchange.ts';
import {pageResponses} from '../response.ts';
import type {Frame} from './datagramFrame.ts';
import {encodePieces, readPieces} from './htmlFramePieces.ts';
import {type Receiver, SequenceReceiver} from './receiver.ts';
import {SplitReceiver} from './splitReceiver.ts';
import {splitResponse} from './splitResponse.ts';

const TALE = 'the quick brown fox jumps over the lazy dog '.repeat(12);
const HTML = `<!DOCTYPE html><body><p>${TALE}</p><img src=a.jpg><p>a second paragraph</p><p>and a third one</p>`;
const page = assemblePage('p', bytesOf(HTML), () => bytesOf('y'.repeat(500)));
const respond = pageResponses(page);
const framed = splitResponse(respond('/'), 200);

describe('HTML in frames', () => {
  test('has its tags first, then texts that are cut after words; short texts share a frame', () => {
    const {abstractFrames, frames} = framed;
    expect(frames.every(({payload}) => payload.length <= 200)).toBe(true);
    const data = frames.slice(abstractFrames).map(({payload}) => {
      return readPieces(payload, HTML.length).map(({first, bytes}) => [
        text(bytes),
        HTML.indexOf(text(bytes)) <= first,
      ]);
    });
    // The text of 528 B needs three frames and is cut after words. Each frame but the first continues the one before.
    expect(data.slice(0, 3).map(([piece]) => String(piece?.[0]).endsWith(' '))).toEqual([true, true, true]);
    expect(frames.slice(abstractFrames).map(({continues}) => continues)).toEqual([false, true, true]);
    expect(
      data
        .at(-1)
        ?.slice(1)
        .map(([piece]) => piece),
    ).toEqual(['a second paragraph', 'and a third one']);
  });

  test('shows its tags when the abstract is complete, and then data in any order', () => {
    const {abstractFrames, frames} = framed;
    expect(abstractFrames).toBe(2);
    const receiver = new SplitReceiver();
    const last = frames.length - 1;
    expect(receiver.take(frameAt(last))).toEqual([]);
    expect(receiver.isWaiting(last)).toBe(true);
    expect(receiver.take(frameAt(1))).toEqual([]);
    const events = receiver.take(frameAt(0));
    expect(receiver.isWaiting(last)).toBe(false);
    expect(events[0]).toMatchObject({type: 'head', status: 200, bodyBytes: HTML.length});
    expect(shown(events)).toContain('a second paragraph');
    expect(shown(events)).toContain('<!DOCTYPE html><body><p>');
    expect(events.find(({type}) => type === 'read')).toMatchObject({
      bytes: bytesOf('<!DOCTYPE html><body><p></p><img src=a.jpg><p></p><p></p>'),
    });
    expect(shown(receiver.take(frameAt(3)))).toEqual([expect.stringContaining('fox')]);
  });

  test('shows each byte once, in whatever order its frames arrive', () => {
    const orders = fc.shuffledSubarray(Array.from(framed.frames.keys()), {minLength: framed.frames.length});
    fc.assert(
      fc.property(orders, order => {
        const receiver = new SplitReceiver();
        const events = order.flatMap(index => receiver.take(frameAt(index)));
        const bytes = events.flatMap(event =>
          event.type === 'shown' ? Array.from({length: event.bytes}, (_, i) => event.first + i) : [],
        );
        expect(bytes.sort((a, b) => a - b)).toEqual(Array.from(bytesOf(HTML).keys()));
        expect(events.filter(({type}) => type === 'end')).toHaveLength(1);
        expect(events.at(-1)).toEqual({type: 'end'});
      }),
    );
  });

  test('is cut between characters where it has no spaces', () => {
    const html = bytesOf(`<p>${'\xc3\xa4\xe2\x82\xac'.repeat(100)}</p>`);
    const other = pageResponses(assemblePage('p', html, () => undefined));
    const {frames, abstractFrames} = splitResponse(other('/'), 200);
    const pieces = frames.slice(abstractFrames).flatMap(({payload}) => readPieces(payload, html.length));
    expect(pieces.length).toBeGreaterThan(2);
    for (const {first} of pieces) expect(((html[first] ?? 0) & 0xc0) === 0x80).toBe(false);
  });
});

test('a picture is cut in sequence, and each of its frames depends on the one before', () => {
  const {frames, abstractFrames} = splitResponse(respond('/a.jpg'), 200);
  expect(abstractFrames).toBe(0);
  expect(frames.map(({continues}) => continues)).toEqual([false, true, true, true]);
});

test('if a piece is sent many times, no more bytes are shown than the page has', () => {
  const {frames, abstractFrames} = framed;
  const receiver = new SplitReceiver();
  const data = frames[abstractFrames]?.payload ?? new Uint8Array(0);
  let bytes = 0;
  for (let index = 0; index < 20; index++) {
    const payload = frames[index < abstractFrames ? index : abstractFrames]?.payload ?? data;
    for (const event of receiver.take({...frameAt(0), index, frames: 20, payload})) {
      if (event.type === 'shown') bytes += event.bytes;
    }
  }
  expect(bytes).toBeLessThanOrEqual(HTML.length);
});

test('a waiting frame does not change when the memory in which it arrived is reused', () => {
  const {abstractFrames} = framed;
  const [split, sequence] = [new SplitReceiver(), new SequenceReceiver()];
  const take = (receiver: Receiver, index: number, all: typeof framed) => {
    const payload = all.frames[index]?.payload.slice() ?? new Uint8Array(0);
    const header = {...frameAt(0), frames: all.frames.length, abstractFrames: all.abstractFrames};
    const events = receiver.take({...header, index, payload});
    const texts = events.map(event => (event.type === 'body' ? text(event.bytes) : event.type));
    payload.fill(0);
    return texts;
  };
  take(split, abstractFrames, framed);
  take(split, 1, framed);
  expect(take(split, 0, framed).slice(0, 2)).toEqual(['head', 'read']);
  const picture = splitResponse(respond('/a.jpg'), 200);
  take(sequence, 2, picture);
  take(sequence, 0, picture);
  expect(take(sequence, 1, picture)).toEqual(['head', 'y'.repeat(150), 'y'.repeat(200)]);
});

test('a piece that exceeds the body, is incomplete or is empty is ignored, and so are all pieces after it', () => {
  const fine = {first: 0, bytes: bytesOf('abc')};
  const read = (piece: {first: number; bytes: Uint8Array}) => readPieces(encodePieces([fine, piece, fine]), 10);
  expect(read({first: 8, bytes: bytesOf('ab')})).toHaveLength(3);
  expect(read({first: 8, bytes: bytesOf('abc')})).toHaveLength(1);
  expect(read({first: 8, bytes: bytesOf('')})).toHaveLength(1);
  expect(readPieces(encodePieces([fine, fine]).subarray(0, 17), 10)).toHaveLength(1);
});

test('for arbitrary frames, no more bytes are shown than the page has', () => {
  const payload = fc.oneof(
    fc.uint8Array({maxLength: 80}),
    fc.constantFrom(...framed.frames.map(({payload}) => payload)),
  );
  fc.assert(
    fc.property(fc.array(payload, {minLength: 3, maxLength: 6}), fc.nat(3), (payloads, abstractFrames) => {
      const receiver = new SplitReceiver();
      let [bytes, most] = [0, 0];
      for (const [index, payload] of payloads.entries()) {
        const header = {request: 0, frames: payloads.length, answers: null, abstractFrames, continues: false};
        for (const event of receiver.take({...header, index, payload})) {
          if (event.type === 'head') most = event.bodyBytes;
          if (event.type === 'shown') {
            bytes += event.bytes;
            expect(event.first + event.bytes).toBeLessThanOrEqual(most);
          }
        }
      }
      expect(bytes).toBeLessThanOrEqual(most);
    }),
  );
});

function frameAt(index: number): Frame {
  const {frames, abstractFrames} = framed;
  const {payload = new Uint8Array(0), continues = false} = frames[index] ?? {};
  return {request: 0, index, frames: frames.length, answers: null, abstractFrames, continues, payload};
}

function shown(events: readonly ResponseEvent[]): readonly string[] {
  return events.flatMap(event => (event.type === 'shown' ? [HTML.slice(event.first, event.first + event.bytes)] : []));
}

function text(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}
