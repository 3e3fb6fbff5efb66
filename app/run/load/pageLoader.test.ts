import {describe, expect, test} from 'vitest';
import {bytesOf} from '../../base/bytes.ts';
import {HttpClient} from '../../http/h1/h1Client.ts';
import {tagMessage} from '../../http/h1/tag.ts';
import {encodeRequest} from '../../http/requestHead.ts';
import {encodeTooLarge} from '../../http/response.ts';
import {encodeResponse} from '../../http/testing/encodeResponse.ts';
import type {Failure} from '../../page/failure.ts';
import {type ObjectEvent, PageLoader} from './pageLoader.ts';

const html = '<img src=1><img src=2><img src=3><img src=4>';
const index = encodeResponse('200 OK', 'text/html', bytesOf(html), 250);

describe('a page over streams', () => {
  test('requests objects round-robin over the streams, and index.html on stream 0', () => {
    const client = connected(3);
    client.http.handleBytes(0, index);
    expect(drainRequests(client)).toEqual(['/ 0', '/1 1', '/2 2', '/3 0', '/4 1']);
  });

  test('requests an object when its tag arrives, or with complete discovery when index.html is complete', () => {
    const [streaming, complete] = [connected(3), connected(3, {discovery: 'complete'})];
    const cut = 250 + html.indexOf('<img src=3>');
    streaming.http.handleBytes(0, index.subarray(0, cut));
    complete.http.handleBytes(0, index.subarray(0, cut));
    expect(drainRequests(streaming)).toEqual(['/ 0', '/1 1', '/2 2']);
    expect(drainRequests(complete)).toEqual(['/ 0']);
    complete.http.handleBytes(0, index.subarray(cut));
    expect(drainRequests(complete)).toEqual(['/1 1', '/2 2', '/3 0', '/4 1']);
  });

  test('finds objects only in the read bytes of index.html, and reports shown bytes with their offsets', () => {
    const {loader, events} = connected(1);
    loader.handleResponse(0, {type: 'head', status: 200, bodyBytes: 90, failure: null});
    loader.handleResponse(0, {type: 'shown', first: 60, bytes: 30});
    loader.handleResponse(0, {type: 'shown', first: 0, bytes: 20});
    loader.handleResponse(0, {type: 'read', bytes: bytesOf('<img src=1>')});
    loader.handleResponse(1, {type: 'read', bytes: bytesOf('<img src=2>')});
    expect(events.slice(2)).toEqual([
      {type: 'body', object: 0, first: 60, bytes: 30},
      {type: 'body', object: 0, first: 0, bytes: 20},
      {type: 'discovered', object: 1, url: '/1'},
    ]);
  });

  test('requests the known objects that a style sheet names once the sheet is complete', () => {
    const known = ['/', '/a.css', '/1', '/b.css', '/c.png'];
    const page = encodeResponse('200 OK', 'text/html', bytesOf('<link rel=stylesheet href=a.css><img src=1>'), 250);
    for (const discovery of [undefined, 'complete'] as const) {
      const client = connected(1, {known, ...(discovery === undefined ? {} : {discovery})});
      client.http.handleBytes(0, page);
      drainRequests(client);
      const css = ok('@import "b.css";a{background:url(c.png),url(1),url(unknown.png)}');
      client.http.handleBytes(0, css.subarray(0, css.length - 1));
      expect(drainRequests(client)).toEqual([]);
      client.http.handleBytes(0, css.subarray(css.length - 1));
      expect(drainRequests(client)).toEqual(['/b.css 0', '/c.png 0']);
      client.http.handleBytes(0, ok('one'));
      client.http.handleBytes(0, ok('@import "a.css";'));
      expect(client.loader.isDone).toBe(false);
      client.http.handleBytes(0, ok('c'));
      expect(client.loader.isDone).toBe(true);
      expect(completions(client)).toEqual([0, 1, 2, 3, 4]);
    }
  });

  test('assigns data to the first incomplete request of its stream', () => {
    const client = connected(2);
    client.http.handleBytes(0, index);
    client.http.handleBytes(1, ok('one'));
    client.http.handleBytes(0, ok('two'));
    client.http.handleBytes(1, ok('three'));
    expect(completions(client)).toEqual([0, 1, 2, 3]);
  });

  test('assigns an interleaving server’s pieces by their tags', () => {
    const client = connected(1, {isTagged: true});
    client.http.handleBytes(0, tagMessage(0, index));
    const [one, two] = [ok('one'), ok('two')];
    client.http.handleBytes(0, tagMessage(1, one.subarray(0, 100)));
    client.http.handleBytes(0, tagMessage(2, two.subarray(0, 100)));
    client.http.handleBytes(0, tagMessage(2, two.subarray(100)));
    client.http.handleBytes(0, tagMessage(1, one.subarray(100)));
    expect(completions(client)).toEqual([0, 2, 1]);
  });

  test.each<[string, Uint8Array, Failure]>([
    ['status 404', encodeResponse('404 Not Found', 'text/plain', bytesOf('no'), 250), {kind: 'status', status: 404}],
    [
      'a status that means that the server could not send the message',
      encodeTooLarge(5000, 4096),
      {kind: 'too-large', what: 'message', bytes: 5000, limitBytes: 4096},
    ],
    [
      'a header beyond the limit',
      encodeResponse('200 OK', 'text/plain', bytesOf('no'), 17_000),
      {kind: 'too-large', what: 'header', bytes: null, limitBytes: 16_384},
    ],
    [
      'a body longer than its Content-Length',
      bytesOf('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nnoagain'),
      {kind: 'surplus', bytes: 5},
    ],
    [
      'a malformed status line',
      bytesOf('HTTP/1.1 maybe\r\nContent-Length: 2\r\n\r\nno'),
      {kind: 'malformed', what: 'status line'},
    ],
  ])('with %s makes one object fail, but not the others on the same stream', (_, response, failure) => {
    const client = connected(1);
    for (const bytes of [index, response, ok('two'), ok('three'), ok('four')]) client.http.handleBytes(0, bytes);
    const events = drainEvents(client);
    expect(events.findLast(event => event.object === 1)).toEqual({type: 'failed', object: 1, failure});
    expect(
      events
        .filter(event => event.type === 'complete')
        .map(event => event.object)
        .slice(-3),
    ).toEqual([2, 3, 4]);
    expect(client.loader.isDone).toBe(true);
  });

  test('sends no GET that is longer than a head may be, and requests all other objects', () => {
    const longest = `/${'x'.repeat(16_384 - encodeRequest('/', 0).length)}`;
    const client = connected(2);
    const html = bytesOf(`<img src=1><img src="${longest}y"><img src="${longest}"><img src=2>`);
    client.http.handleBytes(0, encodeResponse('200 OK', 'text/html', html, 250));
    const requests: (readonly [string, number])[] = [];
    for (let request = client.http.pollRequest(); request !== undefined; request = client.http.pollRequest()) {
      requests.push([`${urlOf(request.bytes).slice(0, 3)} ${request.stream}`, request.bytes.length]);
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
    for (const stream of [1, 0, 1]) client.http.handleBytes(stream, ok('whole'));
    expect(client.loader.isDone).toBe(true);
  });

  test('reports how much of a truncated response arrived, and completes the objects on other streams', () => {
    const client = connected(5);
    client.http.handleBytes(0, index);
    client.http.handleBytes(1, ok('truncated').subarray(0, 254));
    for (const stream of [2, 3]) client.http.handleBytes(stream, ok('whole'));
    expect(client.loader.isDone).toBe(false);
    const end = {kind: 'aborted', reason: 'peer-abort'} as const;
    client.loader.handleEnd(end);
    expect(drainEvents(client).filter(event => event.type === 'failed')).toEqual([
      {type: 'failed', object: 1, failure: {...end, bytes: 4, ofBytes: 9}},
      {type: 'failed', object: 4, failure: {...end, bytes: 0, ofBytes: null}},
    ]);
  });
});

/** A page loader over HTTP/1.1, with its events. */
interface Client {
  readonly loader: PageLoader;
  readonly http: HttpClient;
  readonly events: ObjectEvent[];
}

function connected(
  streams: number,
  options: {
    readonly discovery?: 'complete';
    readonly isTagged?: boolean;
    readonly known?: readonly string[];
  } = {},
): Client {
  const events: ObjectEvent[] = [];
  const http: HttpClient = new HttpClient({
    requestBytes: 200,
    requests: 'round-robin',
    isTagged: options.isTagged ?? false,
    onResponse: (object, event) => loader.handleResponse(object, event),
  });
  const loader = new PageLoader({
    discovery: options.discovery ?? 'streaming',
    known: options.known ?? [],
    html: new Uint8Array(0),
    request: (object, url) => http.request(object, url),
    onEvent: event => events.push(event),
  });
  http.handleConnected(streams);
  loader.start();
  return {loader, http, events};
}

function ok(text: string): Uint8Array {
  return encodeResponse('200 OK', 'image/jpeg', bytesOf(text), 250);
}

function urlOf(request: Uint8Array): string {
  return String.fromCharCode(...request).split(' ')[1] ?? '';
}

function drainRequests({http}: Client): string[] {
  const requests: string[] = [];
  for (let request = http.pollRequest(); request !== undefined; request = http.pollRequest()) {
    expect(request.bytes).toHaveLength(200);
    requests.push(`${urlOf(request.bytes)} ${request.stream}`);
  }
  return requests;
}

function drainEvents({events}: Client): ObjectEvent[] {
  return events.splice(0);
}

function completions(client: Client): number[] {
  return drainEvents(client)
    .filter(event => event.type === 'complete')
    .map(event => event.object);
}
