import {describe, expect, test} from 'vitest';
import {bytesOf} from '../base/bytes.ts';
import type {CapturedExchange, CapturedLoad} from './capturedLoad.ts';
import {captureTrace} from './captureTrace.ts';
import {knownTimesOf} from './knownTimes.ts';
import {connection, exchange, packet, smallLoad} from './testing/capturedLoads.ts';

const MS = 1e6;
const HOST = 'https://host.example';
/** The name of a.png ends at byte 18, that of b.png at byte 35. */
const HTML = '<p><img src="a.png"><img src="b.png"><link href=c.css><img src="/d/%20e.png?v=1,2#f">';

/** The HTML, whose first 20 bytes came at 40 ms and the rest at 48 ms. */
function html(own: Partial<CapturedExchange> = {}): CapturedExchange {
  const times = {at: 30, firstByte: 40, complete: 48, bytes: HTML.length} as const;
  const deliveries = [[40, 20] as const, [48, HTML.length] as const];
  return exchange(`${HOST}/`, {...times, deliveries}, {body: bytesOf(HTML), ...own});
}

const at = (name: string, ms: number, complete: number, own: Partial<CapturedExchange> = {}) =>
  exchange(`${HOST}/${name}`, {at: ms, firstByte: complete, complete, bytes: 10}, own);

/** When the browser knew each object, in ms since the start of the load. The page has one connection, unless given. */
function known(exchanges: readonly CapturedExchange[], own: Partial<CapturedLoad> = {}): readonly (number | null)[] {
  const load = {...smallLoad(), packets: [], connections: [connection()], ...own, exchanges};
  return knownTimesOf(load).map(ns => ns && ns / MS);
}

describe('over HTTP/1.1, an object waited for a connection', () => {
  const [a, b] = [at('a.png', 49, 100), at('b.png', 101, 150)];

  test('since its name came, if all connections were in use until its request went', () => {
    expect(known([html(), a, b])).toEqual([null, 40, 48]);
    // another origin has connections of its own
    const free = connection({origin: 'https://other.example'});
    expect(known([html(), a, b], {connections: [connection(), free]})).toEqual([null, 40, 48]);
  });

  test('only since the last free connection was taken', () => {
    const second = {connections: [connection(), connection()]};
    const taken = at('x.png', 60, 140, {connection: 1});
    expect(known([html(), a, b, taken], second)[2]).toBe(60);
    // one that is free when the request goes could have carried it
    expect(known([html(), a, b, at('x.png', 60, 90, {connection: 1})], second)[2]).toBeNull();
    // a browser may need 5 ms to react
    expect(known([html(), a, b, at('x.png', 60, 97, {connection: 1})], second)[2]).toBe(60);
  });

  test('but not if its own connection was free for more than 5 ms, or still carried another request', () => {
    expect(known([html(), a, at('b.png', 105, 150)])[2]).toBe(48);
    expect(known([html(), a, at('b.png', 106, 150)])[2]).toBeNull();
    expect(known([html(), a, at('b.png', 90, 150)])[2]).toBeNull();
  });

  test('also while other connections were set up, or after they were closed', () => {
    const late = connection({openNs: 60 * MS, connectedNs: 70 * MS, tlsNs: 101 * MS});
    expect(known([html(), a, {...b, connection: 1}], {connections: [connection(), late]})[2]).toBe(48);
    expect(known([html(), a, b], {connections: [connection(), {...late, tlsNs: null}]})[2]).toBe(48);
    // without TLS, the handshake of TCP is all
    const plain = {...late, hasTls: false, tlsNs: null};
    expect(known([html(), a, b], {connections: [connection(), plain]})[2]).toBeNull();
    const packets = [packet('down', 80, {connection: 1, kind: 'close'})];
    expect(known([html(), a, b], {connections: [connection(), plain], packets})[2]).toBe(80);
  });

  test('that the end of the capture does not free', () => {
    const open = exchange(`${HOST}/x.png`, {at: 50}, {connection: 1});
    expect(known([html(), a, b, open], {connections: [connection(), connection()]})[2]).toBe(50);
  });
});

describe('the name of an object', () => {
  const other = at('other.png', 49, 100);

  test('is the last part of its path, also without quotes, and before a query', () => {
    expect(known([html(), other, at('d/%20e.png?v=1,2', 101, 150)])[2]).toBe(48);
    expect(known([html(), other, at('e.png', 101, 150)])[2]).toBeNull();
    expect(known([html(), at('c.css', 49, 100)])[1]).toBe(48);
  });

  test('says nothing if the picture is lazy, because the browser requests it after the layout', () => {
    const lazy = (tag: string) => {
      const body = bytesOf(`${tag}<img src="b.png">`);
      return known([
        html({body, bodyBytes: body.length, deliveries: [{atNs: 40e6, bytes: body.length}]}),
        other,
        at('a.png', 101, 150),
      ])[2];
    };
    expect(lazy('<img src="a.png">')).toBe(40);
    expect(lazy('<img src="a.png" loading="lazy" alt="">')).toBeNull();
    expect(lazy('<img loading=Lazy src="a.png">')).toBeNull();
    expect(lazy('<img src="a.png" loading="eager">')).toBe(40);
  });

  test('in compressed HTML is known when all of the HTML has come', () => {
    const coded = html({bodyBytes: 50, responseFields: [['content-encoding', 'gzip']]});
    const connections = [connection(), connection({openNs: 41 * MS, connectedNs: 42 * MS, tlsNs: 47 * MS})];
    const a = (ms: number) => at('a.png', ms, 100, {connection: 1});
    expect(known([coded, a(48)], {connections})[1]).toBe(48);
    expect(known([coded, a(47)], {connections})[1]).toBeNull();
    expect(known([html(), a(47)], {connections})[1]).toBe(40);
  });

  test('may be in a style sheet that was complete', () => {
    const css = at('c.css', 49, 100, {
      body: bytesOf('i{background:url(p.png)}'),
      responseFields: [['content-type', 'text/css']],
    });
    expect(known([html(), css, at('p.png', 101, 150)])[2]).toBe(100);
    expect(
      known([html(), {...css, responseFields: [['content-type', 'image/png']]}, at('p.png', 101, 150)])[2],
    ).toBeNull();
    expect(known([html(), {...css, completeNs: null}, at('p.png', 101, 150)])[2]).toBeNull();
    // the text that was complete first counts
    const second = {...css, url: `${HOST}/d.css`, requestNs: 101 * MS, completeNs: 140 * MS};
    expect(known([html(), css, second, at('p.png', 141, 150)])[3]).toBe(100);
  });

  test('may be in a script, in JSON or in XHTML, but not in other objects', () => {
    const inType = (type: string) => {
      const text = at('s.js', 49, 100, {body: bytesOf('add("p.png")'), responseFields: [['content-type', type]]});
      return known([html(), text, at('p.png', 101, 150)])[2];
    };
    for (const type of [
      'text/javascript',
      'application/javascript; charset=utf-8',
      'application/x-javascript',
      'application/ecmascript',
      'Application/JSON',
      'application/xhtml+xml',
    ])
      expect(inType(type), type).toBe(100);
    for (const type of ['application/octet-stream', 'image/svg+xml', 'x-text/javascript'])
      expect(inType(type), type).toBeNull();
  });

  test('has come with its last byte', () => {
    const withFirst = (bytes: number) =>
      html({
        deliveries: [
          {atNs: 40e6, bytes},
          {atNs: 48e6, bytes: HTML.length},
        ],
      });
    expect(known([withFirst(18), at('a.png', 49, 100)])[1]).toBe(40);
    expect(known([withFirst(17), at('a.png', 49, 100)])[1]).toBe(48);
  });

  test('is not empty, so that a link to / names no object', () => {
    const body = bytesOf('<a href="/">');
    const first = html({body, bodyBytes: body.length, deliveries: [{atNs: 40e6, bytes: body.length}]});
    expect(known([first, other, at('', 101, 150)])[2]).toBeNull();
  });
});

test('over HTTP/2 and HTTP/3, and at the server, packets do not show that an object waited', () => {
  const exchanges = [html(), at('a.png', 49, 100), at('b.png', 101, 150)];
  for (const pipeline of ['h2', 'h3'] as const) expect(known(exchanges, {pipeline})).toEqual([null, null, null]);
  expect(known(exchanges, {seenAt: 'server'})).toEqual([null, null, null]);
});

test('what the browser said counts more than packets', () => {
  const told = at('b.png', 101, 150, {discoveredNs: 70 * MS});
  expect(known([html(), at('a.png', 49, 100), told])).toEqual([null, 40, 70]);
  const load = {...smallLoad(), packets: [], exchanges: [html(), at('a.png', 49, 100), told]};
  expect(captureTrace(load).objects.map(({discoveredNs}) => discoveredNs)).toEqual([30, 40, 70].map(ms => ms * MS));
});
