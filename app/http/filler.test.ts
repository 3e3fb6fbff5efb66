import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {headBytes} from './head.ts';
import {HpackEncoder} from './hpack/hpackEncoder.ts';
import {answerFields, getFields} from './messageFields.ts';
import {USUAL_PRIORITY} from './priority.ts';
import {QpackEncoder} from './qpack/qpackEncoder.ts';
import {encodeRequest, requestFields} from './requestHead.ts';
import {encodedResponse, type Response, responseHeadFields} from './response.ts';

const urls = fc.oneof(
  fc.constantFrom('/', '/style.css', '/a.js', '/img/river.jpg'),
  fc.nat(300).map(length => `/${'x'.repeat(length)}.jpg`),
);

describe('a request', () => {
  test('has the given size in HTTP/1.1, unless no field fits', () => {
    fc.assert(
      fc.property(urls, fc.integer({min: 0, max: 8192}), fc.option(fc.constant('TOKEN')), (url, bytes, token) => {
        const bare = encodeRequest(url, 0, token ?? undefined).length;
        const {length} = encodeRequest(url, bytes, token ?? undefined);
        expect(length).toBe(bytes < bare + 'Cookie: \r\n'.length ? bare : bytes);
      }),
      {numRuns: 500},
    );
  });

  test('has the fields of a browser, and only the path and the last cookie depend on the address', () => {
    const [one, other] = ['/1.jpg', '/img/river.jpg'].map(url => fieldsOf(url, 1200));
    const equal = (fields: typeof one) => fields?.slice(0, -1).filter(([name]) => name !== ':path');
    expect(equal(one)).toEqual(equal(other));
    expect(one?.map(([name]) => name).join(' ')).toBe(
      ':method :authority :scheme :path sec-ch-ua-platform user-agent sec-ch-ua sec-ch-ua-mobile accept sec-fetch-site ' +
        'sec-fetch-mode sec-fetch-dest referer accept-encoding accept-language cookie cookie cookie cookie cookie',
    );
    expect(one?.at(-1)?.[1]).toMatch(/^last=[\w-]{26}$/);
    expect(other?.at(-1)?.[1]).toMatch(/^last=[\w-]{18}$/);
  });

  test.each([200, 600, 2000])('of %i bytes takes less than 60 bytes when fields repeat', bytes => {
    const hpack = new HpackEncoder();
    const qpack = new QpackEncoder(4096);
    qpack.handleSettings({tableBytes: 4096, blockedStreams: 100});
    const sizes = ['/a.jpg', '/b.jpg', '/img/river.jpg', '/c.jpg'].map((url, i) => {
      const fields = fieldsOf(url, bytes);
      const section = qpack.encode(4 * i, fields).length;
      return [hpack.encode(fields).length, section + (qpack.takeInstructions()?.length ?? 0)];
    });
    expect(Math.max(...(sizes[0] ?? []))).toBeGreaterThan(bytes / 3);
    expect(Math.max(...sizes.slice(1).flat())).toBeLessThan(60);
  });
});

describe('a response', () => {
  test('has a head of the given size in HTTP/1.1, unless no field fits', () => {
    fc.assert(
      fc.property(
        fc.nat(20_000),
        fc.integer({min: 0, max: 8192}),
        fc.constantFrom('a/b', 'image/jpeg'),
        (size, bytes, type) => {
          const response = responseOf(1, size, {headerBytes: bytes, contentType: type});
          const bare = headBytes('HTTP/1.1 200 OK', [
            ['Content-Type', type],
            ['Content-Length', `${size}`],
          ]);
          const expected = bytes < bare + 'ETag: \r\n'.length ? bare : bytes;
          expect(headBytes('HTTP/1.1 200 OK', responseHeadFields(response))).toBe(expected);
          expect(encodedResponse(response).length).toBe(expected + size);
        },
      ),
      {numRuns: 300},
    );
  });

  test('repeats all fields but its size and its entity tag', () => {
    const [one, other] = [responseOf(1, 900), responseOf(2, 12_000)].map(answerFields);
    const differing = one?.filter(([name, value]) => !other?.some(each => each[0] === name && each[1] === value));
    expect(differing?.map(([name]) => name)).toEqual(['content-length', 'etag']);
  });
});

function fieldsOf(url: string, bytes: number) {
  expect(requestFields(url, bytes).length).toBeGreaterThan(0);
  return getFields(url, 'https', bytes, USUAL_PRIORITY);
}

function responseOf(object: number, size: number, {headerBytes = 250, contentType = 'image/jpeg'} = {}): Response {
  return {object, status: 200, statusText: 'OK', contentType, body: new Uint8Array(size), headerBytes};
}
