import {expect, test} from 'vitest';
import {readRequests} from './strictReader.ts';

const HOST = 'Host: a\r\n';

test('requests are read one after the other, with a body of known length or in chunks', () => {
  const [first, second] = ['POST /1 HTTP/1.1\r\n', 'PUT /2 HTTP/1.1\r\n'];
  const chunks = 'Transfer-Encoding: Chunked\r\n\r\n3;a=b\r\nabc\r\n00a\r\n0123456789\r\n0\r\nX: y \r\n\r\n';
  const all = `\r\n${first}${HOST}Content-Length:  2\t\r\n\r\nhi${second}${HOST}${chunks}GET /3`;
  const {requests, problem, rest} = readRequests(all);
  expect([problem, rest]).toEqual([undefined, 6]);
  expect(requests.map(({method, target, body, trailers}) => [method, target, body, trailers])).toEqual([
    ['POST', '/1', 'hi', []],
    ['PUT', '/2', 'abc0123456789', [['x', 'y']]],
  ]);
});

test('nothing is read after a request that ends the connection', () => {
  const next = `GET /2 HTTP/1.1\r\n${HOST}\r\n`;
  const read = {problem: undefined, rest: next.length, requests: [{target: '/'}]};
  for (const head of [`GET / HTTP/1.1\r\n${HOST}Connection: x, Close\r\n`, 'GET / HTTP/1.0\r\n'])
    expect(readRequests(`${head}\r\n${next}`)).toMatchObject(read);
});

test('a request without a host or with two hosts is reported, and the next request is read', () => {
  const all = `GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n${HOST}${HOST}\r\nGET /3 HTTP/1.1\r\n${HOST}\r\n`;
  expect(readRequests(all).requests.map(({hasHost}) => hasHost)).toEqual([false, false, true]);
});

test('a request whose body is incomplete counts as begun', () => {
  const read = readRequests(`POST /1 HTTP/1.1\r\n${HOST}Content-Length: 2\r\n\r\nh`);
  expect(read).toMatchObject({requests: [], problem: undefined, begun: {target: '/1', body: ''}});
});

test.each([
  ['a request line', 'GET  / HTTP/1.1\r\n\r\n'],
  ['a request line', 'GET / HTTP/2.0\r\n\r\n'],
  ['a line’s end', `GET / HTTP/1.1\n${HOST}\r\n`],
  ['a line’s end', `GET / HTTP/1.1\r\n${HOST}X: \rY: z\r\n\r\n`],
  ['a field', `GET / HTTP/1.1\r\n${HOST}X : y\r\n\r\n`],
  ['a field', `GET / HTTP/1.1\r\n${HOST}X: y\r\n z\r\n\r\n`],
  ['a field', `GET / HTTP/1.1\r\n${HOST}X: \0\r\n\r\n`],
  ['Content-Length', `GET / HTTP/1.1\r\n${HOST}Content-Length: 1\r\ncontent-length: 1\r\n\r\n1`],
  ['Content-Length', `GET / HTTP/1.1\r\n${HOST}Content-Length: +1\r\n\r\n1`],
  ['a coding where none is allowed', 'GET / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
  [
    'a coding where none is allowed',
    `GET / HTTP/1.1\r\n${HOST}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`,
  ],
  ['a coding other than chunked', `GET / HTTP/1.1\r\n${HOST}Transfer-Encoding: gzip, chunked\r\n\r\n`],
  ['a chunk’s size', `GET / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n0x1\r\n`],
  ['a chunk’s end', `GET / HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n`],
])('reading stops at text that RFC 9112 does not allow: %s', (problem, text) => {
  const before = `GET /0 HTTP/1.1\r\n${HOST}\r\n`;
  expect(readRequests(before + text)).toMatchObject({problem, requests: [{target: '/0'}]});
});
