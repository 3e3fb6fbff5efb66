import {expect, test} from 'vitest';
import {hello, helloOf, peerOf, REFUSAL, WELCOME} from './shimProtocol.ts';

test('a hello contains the token, and other requests are not read as a hello', () => {
  expect(helloOf(hello('a:1', 'T'))).toEqual({authorization: 'Bearer T'});
  expect(helloOf(hello('a:1', undefined))).toEqual({authorization: undefined});
  expect(helloOf(Buffer.from('OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n'))).toBeUndefined();
  expect(helloOf(Buffer.from('GET / HTTP/1.1\r\nUpgrade: interleave-shim/1\r\n\r\n'))).toBeUndefined();
});

test('the first message shows what the peer is', () => {
  expect([WELCOME, REFUSAL].map(peerOf)).toEqual(['gateway', 'refuses']);
  const answers = ['HTTP/1.1 400 Bad Request\r\n', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n', '\0'];
  expect(answers.map(answer => peerOf(Buffer.from(answer)))).toEqual(['server', 'unknown', 'unknown']);
});
