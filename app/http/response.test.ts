import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {bytesOf} from '../base/bytes.ts';
import {failureText} from '../page/failure.ts';
import {joinedBytes} from './buffers.ts';
import {type ParserEvent, ResponseParser} from './response.ts';
import {encodeResponse} from './testing/encodeResponse.ts';

const body = Uint8Array.from({length: 300}, (_, i) => i & 0xff);

describe('responses on a byte stream', () => {
  test('have headers of exactly the requested size', () => {
    for (const headerBytes of [100, 101, 250, 8192]) {
      expect(encodeResponse('200 OK', 'image/jpeg', body, headerBytes)).toHaveLength(headerBytes + 300);
    }
  });

  test('are parsed correctly from pieces of any size', () => {
    const stream = joinedBytes([ok(body), ok(new Uint8Array(0)), ok(body)]);
    const whole = summaryOf([stream]);
    expect(whole).toEqual(['head 200 300', 'body 300', 'end', 'head 200 0', 'end', 'head 200 300', 'body 300', 'end']);
    fc.assert(
      fc.property(fc.array(fc.integer({min: 1, max: 90}), {minLength: 1}), sizes => {
        expect(summaryOf(cut(stream, sizes))).toEqual(whole);
      }),
    );
  });

  test('of arbitrary bytes never crash the parser', () => {
    const piece = fc.oneof(
      fc.uint8Array({maxLength: 50}),
      fc.constantFrom(...['HTTP/1.1 200 OK', '\r\n\r\n', '\r\n'].map(bytesOf)),
    );
    fc.assert(
      fc.property(fc.array(piece, {maxLength: 30}), pieces => {
        const parser = new ResponseParser();
        for (const bytes of pieces) parser.push(bytes);
      }),
    );
  });
});

describe('the next response is parsed after', () => {
  const good = ['head 200 300', 'body 300', 'end'];

  test('a status that is not 200', () => {
    expect(summaryOf([joinedBytes([encodeResponse('404 Not Found', 'text/plain', body, 250), ok(body)])])).toEqual([
      'head 404 300',
      'body 300',
      'end',
      ...good,
    ]);
  });

  test('a header that is too long, with a body', () => {
    const large = encodeResponse('200 OK', 'text/plain', body, 20_000);
    const expected = ['bad header larger than 16384 B', 'end', ...good];
    expect(summaryOf([joinedBytes([large, ok(body)])])).toEqual(expected);
    expect(summaryOf(cut(joinedBytes([large, ok(body)]), [1000]))).toEqual(expected);
  });

  test('a header that does not end', () => {
    const endless = joinedBytes([bytesOf('HTTP/1.1 200 OK\r\nX: '), new Uint8Array(1_100_000).fill(65)]);
    expect(summaryOf([joinedBytes([endless, ok(body)])])).toEqual([
      'bad header larger than 16384 B',
      'end',
      'surplus',
      ...good,
    ]);
  });

  test('an invalid status line or length', () => {
    const malformed = bytesOf('HTTP/1.1 OK\r\nContent-Length: 2\r\n\r\nxx');
    expect(summaryOf([joinedBytes([malformed, ok(body)])])).toEqual(['bad malformed status line', 'end', ...good]);
    const unsized = bytesOf('HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\n');
    expect(summaryOf([joinedBytes([unsized, ok(body)])])).toEqual(['bad malformed Content-Length', 'end', ...good]);
  });

  test('a body that is longer than its Content-Length', () => {
    const long = joinedBytes([
      bytesOf('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nxx and\r\n\r\n some more'),
      ok(body),
    ]);
    const expected = ['head 200 2', 'body 2', 'end', 'surplus', ...good];
    expect(summaryOf([long])).toEqual(expected);
    expect(summaryOf(cut(long, [3]))).toEqual(expected);
  });
});

function ok(bytes: Uint8Array): Uint8Array {
  return encodeResponse('200 OK', 'image/jpeg', bytes, 250);
}

/** Returns the events of the parser as texts. The pieces of a body are joined. */
function summaryOf(pieces: readonly Uint8Array[]): string[] {
  const parser = new ResponseParser();
  const words: string[] = [];
  let bodyBytes = 0;
  for (const event of pieces.flatMap(piece => [...parser.push(piece)])) {
    if (event.type === 'body') {
      bodyBytes += event.bytes.length;
      continue;
    }
    if (bodyBytes > 0) words.push(`body ${bodyBytes}`);
    bodyBytes = 0;
    words.push(inWords(event));
  }
  return words;
}

function inWords(event: ParserEvent): string {
  if (event.type === 'head') return `head ${event.status} ${event.bodyBytes}`;
  return event.type === 'bad' ? `bad ${failureText(event.failure)}` : event.type;
}

function cut(bytes: Uint8Array, sizes: readonly number[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length] ?? 1;
    pieces.push(bytes.subarray(at, at + size));
    at += size;
  }
  return pieces;
}
