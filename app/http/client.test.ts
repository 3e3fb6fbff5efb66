import {describe, expect, test} from 'vitest';
import {assemblePage} from '../page/assemble.ts';
import type {Failure} from '../trace/failure.ts';
import {type ClientEvent, HttpClient} from './client.ts';
import {readTag, tagMessage} from './framing.ts';
import {bytesOf} from './head.ts';
import {encodeRequest} from './request.ts';
import {encodeResponse, encodeTooLarge, pageResponses} from './response.ts';
import {HttpServer} from './server.ts';

const html = '<img src=1><img src=2><img src=3><img src=4>';
const page = assemblePage('p', bytesOf(html), url => bytesOf(`object ${url}`));
const index = encodeResponse('200 OK', 'text/html', bytesOf(html), 250);

describe('a client', () => {
  test('asks round-robin over the streams, index.html on stream 0', () => {
    const client = connected(3);
    client.handleBytes(0, index);
    expect(drainRequests(client)).toEqual(['/ 0', '/1 1', '/2 2', '/3 0', '/4 1']);
  });

  test('with streaming discovery asks as soon as a tag is there, else when index.html is complete', () => {
    const [streaming, complete] = [connected(3), connected(3, 'complete')];
    const cut = 250 + html.indexOf('<img src=3>');
    streaming.handleBytes(0, index.subarray(0, cut));
    complete.handleBytes(0, index.subarray(0, cut));
    expect(drainRequests(streaming)).toEqual(['/ 0', '/1 1', '/2 2']);
    expect(drainRequests(complete)).toEqual(['/ 0']);
    complete.handleBytes(0, index.subarray(cut));
    expect(drainRequests(complete)).toEqual(['/1 1', '/2 2', '/3 0', '/4 1']);
  });

  test('gives data to the head of its stream’s queue', () => {
    const client = connected(2);
    client.handleBytes(0, index);
    client.handleBytes(1, ok('one'));
    client.handleBytes(0, ok('two'));
    client.handleBytes(1, ok('three'));
    expect(completions(client)).toEqual([0, 1, 2, 3]);
  });

  test('of an interleaving server sorts pieces by their tags', () => {
    const client = new HttpClient({discovery: 'streaming', requestBytes: 200, isTagged: true});
    client.handleConnected(1);
    client.handleBytes(0, tagMessage(0, index));
    const [one, two] = [ok('one'), ok('two')];
    client.handleBytes(0, tagMessage(1, one.subarray(0, 100)));
    client.handleBytes(0, tagMessage(2, two.subarray(0, 100)));
    client.handleBytes(0, tagMessage(2, two.subarray(100)));
    client.handleBytes(0, tagMessage(1, one.subarray(100)));
    expect(completions(client)).toEqual([0, 2, 1]);
  });

  test.each<[string, Uint8Array, Failure]>([
    [
      'status 404',
      encodeResponse('404 Not Found', 'text/plain', bytesOf('no'), 250),
      {kind: 'status', status: 404},
    ],
    [
      'a status that says what its server could not send',
      encodeTooLarge(5000, 4096),
      {kind: 'too-large', what: 'message', bytes: 5000, limitBytes: 4096},
    ],
    [
      'a header beyond the limit',
      encodeResponse('200 OK', 'text/plain', bytesOf('no'), 17_000),
      {kind: 'too-large', what: 'header', bytes: null, limitBytes: 16_384},
    ],
    [
      'a longer body than it says',
      bytesOf('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nnoagain'),
      {kind: 'surplus', bytes: 5},
    ],
    [
      'a malformed status line',
      bytesOf('HTTP/1.1 maybe\r\nContent-Length: 2\r\n\r\nno'),
      {kind: 'malformed', what: 'status line'},
    ],
  ])('ends an object with %s and leaves the others alone, on the same stream', (_, response, failure) => {
    const client = connected(1);
    for (const bytes of [index, response, ok('two'), ok('three'), ok('four')]) client.handleBytes(0, bytes);
    const events = drainEvents(client);
    expect(events.findLast(event => event.object === 1)).toEqual({type: 'failed', object: 1, failure});
    expect(
      events
        .filter(event => event.type === 'complete')
        .map(event => event.object)
        .slice(-3),
    ).toEqual([2, 3, 4]);
    expect(client.isDone).toBe(true);
  });

  test('never sends a GET beyond the limit of a head, and asks for the others as if it were not there', () => {
    const longest = `/${'x'.repeat(16_384 - encodeRequest('/', 0).length)}`;
    const client = connected(2);
    const html = bytesOf(`<img src=1><img src="${longest}y"><img src="${longest}"><img src=2>`);
    client.handleBytes(0, encodeResponse('200 OK', 'text/html', html, 250));
    const requests: (readonly [string, number])[] = [];
    for (let request = client.pollRequest(); request !== undefined; request = client.pollRequest()) {
      requests.push([`${request.url.slice(0, 3)} ${request.stream}`, request.bytes.length]);
    }
    expect(requests).toEqual([
      ['/ 0', 200],
      ['/1 1', 200],
      ['/xx 0', 16_384],
      ['/2 1', 200],
    ]);
    expect(drainEvents(client).filter(event => event.type === 'failed')).toEqual([
      {
        type: 'failed',
        object: 2,
        failure: {kind: 'too-large', what: 'request', bytes: 16_385, limitBytes: 16_384},
      },
    ]);
    for (const stream of [1, 0, 1]) client.handleBytes(stream, ok('whole'));
    expect(client.isDone).toBe(true);
  });

  test('says how much of a truncated response came, and finishes the other streams', () => {
    const client = connected(5);
    client.handleBytes(0, index);
    client.handleBytes(1, ok('truncated').subarray(0, 254));
    for (const stream of [2, 3]) client.handleBytes(stream, ok('whole'));
    expect(client.isDone).toBe(false);
    const end = {kind: 'aborted', reason: 'peer-abort'} as const;
    client.handleEnd(end);
    expect(drainEvents(client).filter(event => event.type === 'failed')).toEqual([
      {type: 'failed', object: 1, failure: {...end, bytes: 4, ofBytes: 9}},
      {type: 'failed', object: 4, failure: {...end, bytes: 0, ofBytes: null}},
    ]);
  });
});

describe('a server', () => {
  const requests = [1, 2].map(i => bytesOf(`GET /${i} HTTP/1.1\r\nHost: page.test\r\n\r\n`));

  test('answers in order, on the stream of the request, in pieces of the size asked for', () => {
    const server = newServer('sequential', 100);
    server.handleBytes(3, requests[0] ?? bytesOf(''), 0);
    server.handleBytes(5, requests[1] ?? bytesOf(''), 0);
    expect(pieces(server)).toEqual(['3 100', '3 100', '3 59', '5 100', '5 100', '5 59']);
  });

  test('that interleaves writes a piece of each in turn, with its tag', () => {
    const server = newServer('interleaving', 104);
    server.handleBytes(3, requests[0] ?? bytesOf(''), 0);
    server.handleBytes(3, requests[1] ?? bytesOf(''), 0);
    expect(pieces(server)).toEqual(['3 104 #0', '3 104 #1', '3 104 #0', '3 104 #1', '3 63 #0', '3 63 #1']);
  });

  test('thinks before each answer, one thread one after the other', () => {
    const server = newServer('sequential', 1000, 10);
    server.handleBytes(0, requests[0] ?? bytesOf(''), 5);
    server.handleBytes(1, requests[1] ?? bytesOf(''), 6);
    expect(server.peekPiece(14)).toBeUndefined();
    expect(server.pollTimeoutNs(14)).toBe(15);
    server.handleWritten(server.peekPiece(15)?.bytes.length ?? 0, 15);
    expect(server.pollTimeoutNs(15)).toBe(25);
    expect(server.peekPiece(25)?.stream).toBe(1);
  });

  test('takes requests cut anywhere, and answers nonsense with a status', () => {
    const server = newServer('sequential', 1000);
    for (const byte of requests[0] ?? []) server.handleBytes(0, Uint8Array.of(byte), 0);
    server.handleBytes(0, bytesOf('BREW /pot HTCPCP/1.0\r\n\r\n'), 0);
    server.handleBytes(0, bytesOf('GET /gone HTTP/1.1\r\n\r\n'), 0);
    expect(statusesOf(server)).toEqual(['200', '400', '404']);
  });

  // the fourth cut is within the empty line at the end of the head that is too long
  test.each([50, 1000, 16_384, 33_200 + encodeRequest('/', 0).length - 3, 40_000])(
    'answers a head beyond the limit once, come in %i bytes at a time',
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

  test('says of a message that its transport never takes how large it is', () => {
    const framing = {mode: 'sequential', isTagged: false, largestPieceBytes: 258} as const;
    const [whole, cut] = [1e6, 100].map(
      pieceBytes =>
        new HttpServer({respond: pageResponses(page), thinkNs: 0, framing: {...framing, pieceBytes}}),
    ) as [HttpServer, HttpServer];
    for (const server of [whole, cut]) server.handleBytes(0, requests[0] ?? bytesOf(''), 0);
    const client = connected(1);
    client.handleBytes(0, whole.peekPiece(0)?.bytes ?? bytesOf(''));
    expect(drainEvents(client).at(-1)).toEqual({
      ...{type: 'failed', object: 0},
      failure: {kind: 'too-large', what: 'message', bytes: 259, limitBytes: 258},
    });
    expect(statusesOf(cut)[0]).toBe('200');
  });
});

function newServer(mode: 'sequential' | 'interleaving', pieceBytes: number, thinkNs = 0): HttpServer {
  const isTagged = mode === 'interleaving';
  const framing = {mode, isTagged, pieceBytes, largestPieceBytes: 1e6};
  return new HttpServer({respond: pageResponses(page), thinkNs, framing});
}

/** Of all answers, each in one piece. */
function statusesOf(server: HttpServer): string[] {
  const statuses: string[] = [];
  for (let piece = server.peekPiece(0); piece !== undefined; piece = server.peekPiece(0)) {
    statuses.push(String.fromCharCode(...piece.bytes.subarray(9, 12)));
    server.handleWritten(piece.bytes.length, 0);
  }
  return statuses;
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

function connected(streams: number, discovery: 'streaming' | 'complete' = 'streaming'): HttpClient {
  const client = new HttpClient({discovery, requestBytes: 200, isTagged: false});
  client.handleConnected(streams);
  return client;
}

function ok(text: string): Uint8Array {
  return encodeResponse('200 OK', 'image/jpeg', bytesOf(text), 250);
}

function drainRequests(client: HttpClient): string[] {
  const requests: string[] = [];
  for (let request = client.pollRequest(); request !== undefined; request = client.pollRequest()) {
    expect(request.bytes).toHaveLength(200);
    requests.push(`${request.url} ${request.stream}`);
  }
  return requests;
}

function drainEvents(client: HttpClient): ClientEvent[] {
  const events: ClientEvent[] = [];
  for (let event = client.pollEvent(); event !== undefined; event = client.pollEvent()) events.push(event);
  return events;
}

function completions(client: HttpClient): number[] {
  return drainEvents(client)
    .filter(event => event.type === 'complete')
    .map(event => event.object);
}
