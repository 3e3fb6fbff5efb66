import {describe, expect, test} from 'vitest';
import {bytesOf, latin1} from '../../base/bytes.ts';
import {assemblePage} from '../../page/assemble.ts';
import {encodeRequest} from '../requestHead.ts';
import {pageResponses, ResponseParser} from '../response.ts';
import type {ThinkOptions} from '../thinkTimes.ts';
import {HttpServer} from './h1Server.ts';
import {readTag, TAG_BYTES} from './tag.ts';

const html = '<img src=1><img src=2><img src=3><img src=4>';
const page = assemblePage('p', bytesOf(html), url => bytesOf(`object ${url}`));

describe('a server', () => {
  const requests = [1, 2].map(i => bytesOf(`GET /${i} HTTP/1.1\r\nHost: page.test\r\n\r\n`));

  test('states the object of each response, even if the server does not have the object', () => {
    const incomplete = assemblePage('p', bytesOf('<img src=1><img src=2>'), url =>
      url === '/1' ? undefined : bytesOf('2'),
    );
    const respond = pageResponses(incomplete);
    expect(['/', '/1', '/2', '/3', undefined].map(url => respond(url).object)).toEqual([0, 1, 2, null, null]);
    expect(['/', '/1', '/2', '/3', undefined].map(url => respond(url).status)).toEqual([200, 404, 200, 404, 400]);
  });

  test('answers in order, on the stream of the request, in pieces of the configured size', () => {
    const server = newServer('sequential', 100);
    server.handleBytes(3, requests[0] ?? bytesOf(''), 0);
    server.handleBytes(5, requests[1] ?? bytesOf(''), 0);
    expect(pieces(server)).toEqual(['3 100', '3 100', '3 59', '5 100', '5 100', '5 59']);
  });

  test('with interleaving writes a tagged piece of each response in turn', () => {
    const server = newServer('interleaving', 104);
    server.handleBytes(3, requests[0] ?? bytesOf(''), 0);
    server.handleBytes(3, requests[1] ?? bytesOf(''), 0);
    expect(pieces(server)).toEqual(['3 104 #0', '3 104 #1', '3 104 #0', '3 104 #1', '3 63 #0', '3 63 #1']);
  });

  test('with the first-come scheduler writes the document before pictures', () => {
    const framing = {mode: 'interleaving', isTagged: true, pieceBytes: 104, largestPieceBytes: 1e6} as const;
    const server = new HttpServer({
      respond: pageResponses(page),
      thinkNs: 0,
      framing: {...framing, scheduler: 'first-come'},
    });
    for (const url of ['/1', '/']) server.handleBytes(3, encodeRequest(url, 0), 0);
    const written = pieces(server).map(piece => piece.slice(-1));
    expect(written.join('')).toBe('111000');
  });

  test('with the scan-aware scheduler ends a large message after each turn, but fills messages of one packet', () => {
    const scan = (bytes: number) => [0xff, 0xda, 0, 4, 0, 0, ...new Array<number>(bytes - 6).fill(1)];
    const picture = Uint8Array.from([0xff, 0xd8, ...scan(1000), ...scan(3000), ...scan(2000), 0xff, 0xd9]);
    const pictures = assemblePage('p', bytesOf('<img src=1.jpg>'), () => picture);
    const [packets, scans] = [false, true].map(endsWithTurn => {
      const pieceBytes = endsWithTurn ? Number.POSITIVE_INFINITY : 1404;
      const framing = {mode: 'interleaving', isTagged: true, pieceBytes, largestPieceBytes: 1e6} as const;
      const server = new HttpServer({
        respond: pageResponses(pictures),
        thinkNs: 0,
        framing: {...framing, scheduler: 'scan-aware', endsWithTurn},
      });
      server.handleBytes(3, encodeRequest('/1.jpg', 0), 0);
      return pieces(server).map(piece => Number(piece.split(' ')[1]) - TAG_BYTES);
    });
    const [headBytes = 0] = scans ?? [];
    expect(scans).toEqual([headBytes, 700, 2300, 2002]);
    expect(packets).toEqual([1400, 1400, 1400, 1400, headBytes + 5002 - 5600]);
  });

  test.each([
    [false, 16],
    [true, 25],
  ])('that is sequential thinks about all requests at once or in turn (thinksInTurn: %s)', (thinksInTurn, secondNs) => {
    const server = newServer('sequential', 1000, {thinkNs: 10, thinksInTurn});
    server.handleBytes(0, requests[0] ?? bytesOf(''), 5);
    server.handleBytes(1, requests[1] ?? bytesOf(''), 6);
    expect(server.peekPiece(14)).toBeUndefined();
    expect(server.pollTimeoutNs(14)).toBe(15);
    server.handleWritten(server.peekPiece(15)?.bytes.length ?? 0, 15);
    expect(server.pollTimeoutNs(15)).toBe(secondNs);
    expect(server.peekPiece(secondNs - 1)).toBeUndefined();
    expect(server.peekPiece(secondNs)?.stream).toBe(1);
  });

  test('reads requests that arrive byte by byte, and answers invalid ones with an error status', () => {
    const server = newServer('sequential', 1000);
    for (const byte of requests[0] ?? []) server.handleBytes(0, Uint8Array.of(byte), 0);
    server.handleBytes(0, bytesOf('BREW /pot HTTP/1.1\r\n\r\n'), 0);
    server.handleBytes(0, bytesOf('GET /gone HTTP/1.1\r\n\r\n'), 0);
    expect(statusesOf(server)).toEqual(['200', '400', '404']);
  });

  test('reports the number of bytes of incomplete heads on all streams', () => {
    const server = newServer('sequential', 1000);
    const head = bytesOf('GET /1 HTTP/1.1\r\n\r\n');
    for (const stream of [0, 1]) server.handleBytes(stream, head.subarray(0, 10), 0);
    expect(server.headBytes).toBe(20);
    server.handleBytes(0, head.subarray(10), 0);
    expect(server.headBytes).toBe(10);
    // Only a few bytes of a head that is too long are kept.
    server.handleBytes(1, new Uint8Array(20_000).fill(65), 0);
    expect(server.headBytes).toBeLessThan(50);
  });

  test('answers HEAD like GET, but without the body', () => {
    const server = newServer('sequential', 1000);
    server.handleBytes(0, bytesOf('HEAD /1 HTTP/1.1\r\n\r\nGET /1 HTTP/1.1\r\n\r\n'), 0);
    const [head = '', whole = ''] = textsOf(server);
    expect(head).toMatch(/^HTTP\/1\.1 200 .*\r\nContent-Length: 9\r\n.*\r\n\r\n$/s);
    expect(whole).toBe(`${head}object /1`);
  });

  test.each([1, 7, 1000])('does not read requests in a body that arrives in pieces of %i bytes', cut => {
    const server = newServer('sequential', 1000);
    const hidden = 'GET /1 HTTP/1.1\r\n\r\n';
    const [long, short] = [`Content-Length: ${hidden.length}`, 'Content-Length: 0'];
    const all = `GET /2 HTTP/1.1\r\n${long}\r\n\r\n${hidden}POST / HTTP/1.1\r\n${long}\r\n\r\n${hidden}`;
    const sent = bytesOf(
      `${all}GET /gone HTTP/1.1\r\n${short}\r\n\r\nGET /2 HTTP/1.1\r\n${long}\r\n\r\n${hidden.slice(1)}`,
    );
    for (let at = 0; at < sent.length; at += cut) server.handleBytes(0, sent.subarray(at, at + cut), 0);
    expect(server.isReading).toBe(true);
    server.handleBytes(0, bytesOf('!'), 0);
    expect(server.isReading).toBe(false);
    expect(statusesOf(server)).toEqual(['200', '400', '404', '200']);
    expect(server.isOver).toBe(false);
  });

  test.each([
    ['chunks', 'Transfer-Encoding: chunked', 411],
    ['chunks and a length', 'Transfer-Encoding: chunked\r\nContent-Length: 5', 400],
    ['two lengths', 'Content-Length: 5\r\nContent-Length: 6', 400],
    ['one length twice', 'Content-Length: 5\r\nContent-Length: 5', 400],
    ['a length that is not a number', 'Content-Length: +5', 400],
    ['a non-breaking space after a length', 'Content-Length: 5\xa0', 400],
  ])('reads nothing after a request with %s', (_, fields, status) => {
    const server = newServer('sequential', 1000);
    const request = `GET /1 HTTP/1.1\r\n${fields}\r\n\r\n5\r\nGET /2 HTTP/1.1\r\n\r\n0\r\n\r\n`;
    server.handleBytes(0, bytesOf(request + request), 0);
    expect(server.isOver).toBe(true);
    expect(server.isReading).toBe(false);
    const texts = textsOf(server);
    expect(texts).toEqual([expect.stringMatching(/\r\nConnection: close\r\n/)]);
    expect(texts[0]).toContain(`HTTP/1.1 ${status} `);
    // A valid head on another stream is answered, and the connection stays open.
    server.handleBytes(1, bytesOf('GET /2 HTTP/1.1\r\n\r\n'), 0);
    expect([server.isOver, statusesOf(server)]).toEqual([false, ['200']]);
  });

  test.each([1, 13, 1000, 60_000])(
    'reads nothing after a head that is too long and announces a body, if it gets pieces of %i bytes',
    cut => {
      for (const at of [100, 16_370, 20_000, 32_980]) {
        const server = newServer('sequential', 1000);
        const lines = `${'x'.repeat(at)}\r\nContent-Length: 25\r\nY: ${'y'.repeat(33_000 - at)}`;
        const sent = bytesOf(`GET / HTTP/1.1\r\nX: ${lines}\r\n\r\nGET /1 HTTP/1.1\r\n\r\n`);
        for (let from = 0; from < sent.length; from += cut) server.handleBytes(0, sent.subarray(from, from + cut), 0);
        expect([server.isOver, statusesOf(server)]).toEqual([true, ['400']]);
      }
    },
  );

  // With the fourth size, the empty line at the end of the long head is divided between two pieces.
  test.each([50, 1000, 16_384, 33_200 + encodeRequest('/', 0).length - 3, 40_000])(
    'gives one answer to a head that is too long, if it gets pieces of %i bytes',
    cut => {
      const server = newServer('sequential', 1000);
      const long = encodeRequest(`/${'x'.repeat(33_000)}`, 0);
      const sent = new Uint8Array(long.length + 2 * 200);
      for (const [i, request] of [encodeRequest('/1', 200), long, encodeRequest('/2', 200)].entries()) {
        sent.set(request, [0, 200, 200 + long.length][i]);
      }
      for (let at = 0; at < sent.length; at += cut) server.handleBytes(0, sent.subarray(at, at + cut), 0);
      expect(statusesOf(server)).toEqual(['200', '400', '200']);
    },
  );

  test('replaces a message that is too large for its transport by an error with the size', () => {
    const framing = {mode: 'sequential', isTagged: false, largestPieceBytes: 258} as const;
    const [whole, cut] = [1e6, 100].map(
      pieceBytes => new HttpServer({respond: pageResponses(page), thinkNs: 0, framing: {...framing, pieceBytes}}),
    ) as [HttpServer, HttpServer];
    for (const server of [whole, cut]) server.handleBytes(0, requests[0] ?? bytesOf(''), 0);
    expect(new ResponseParser().push(whole.peekPiece(0)?.bytes ?? bytesOf(''))[0]).toMatchObject({
      failure: {kind: 'too-large', what: 'message', bytes: 259, limitBytes: 258},
    });
    expect(statusesOf(cut)[0]).toBe('200');
  });
});

function newServer(
  mode: 'sequential' | 'interleaving',
  pieceBytes: number,
  think: ThinkOptions = {thinkNs: 0},
): HttpServer {
  const isTagged = mode === 'interleaving';
  const framing = {mode, isTagged, pieceBytes, largestPieceBytes: 1e6};
  return new HttpServer({respond: pageResponses(page), ...think, framing});
}

/** Returns the status codes of all responses. Each response must be one piece. */
function statusesOf(server: HttpServer): string[] {
  return textsOf(server).map(text => text.slice(9, 12));
}

/** Returns the texts of all responses. Each response must be one piece. */
function textsOf(server: HttpServer): string[] {
  const texts: string[] = [];
  for (let piece = server.peekPiece(0); piece !== undefined; piece = server.peekPiece(0)) {
    texts.push(latin1(piece.bytes));
    server.handleWritten(piece.bytes.length, 0);
  }
  return texts;
}

function pieces(server: HttpServer): string[] {
  const written: string[] = [];
  for (let piece = server.peekPiece(0); piece !== undefined; piece = server.peekPiece(0)) {
    const tag = readTag(piece.bytes)?.request ?? 99;
    written.push(`${piece.stream} ${piece.bytes.length}${tag < 2 ? ` #${tag}` : ''}`);
    server.handleWritten(piece.bytes.length, 0);
  }
  return written;
}
