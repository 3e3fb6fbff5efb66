import {expect, test} from 'vitest';
import {bytesOf} from '../base/bytes.ts';
import {encodeHead, HeadReader} from './head.ts';
import {encodeRequest} from './requestHead.ts';

test('bytes that are appended after a whole head are counted as its rest, also if the head was read before', () => {
  const head = encodeHead('GET / HTTP/1.1', [['Host', 'a.test']]);
  for (let time = 0; time < 2; time++) {
    const reader = new HeadReader();
    expect(reader.appendHead(head)).toBe(head.length);
    reader.append(bytesOf('abc'));
    const found = reader.take();
    expect(found?.rest).toBe(3);
    expect(found?.head.fields.get('host')).toBe('a.test');
    expect(reader.text).toBe('');
  }
});

test('a head that arrives in two parts is read like one that arrives at once', () => {
  const bytes = encodeHead('GET /x HTTP/1.1', [['Host', 'b.test']]);
  const [parts, whole] = [new HeadReader(), new HeadReader()];
  parts.appendHead(bytes.subarray(0, 10));
  expect(parts.take()).toBeUndefined();
  parts.appendHead(bytes.subarray(10));
  whole.appendHead(bytes);
  expect(parts.take()).toEqual(whole.take());
});

test('equal requests share their bytes, except for requests with a token', () => {
  expect(encodeRequest('/a', 300)).toBe(encodeRequest('/a', 300));
  expect(encodeRequest('/a', 301)).not.toEqual(encodeRequest('/a', 300));
  const [one, other] = ['first', 'second'].map(token => encodeRequest('/a', 300, token));
  expect(one).not.toEqual(other);
  expect(encodeRequest('/a', 300, 'first')).not.toBe(one);
});
