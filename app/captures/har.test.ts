import fc from 'fast-check';
import {expect, test} from 'vitest';
import {har} from '../export/har.ts';
import type {Page} from '../page/page.ts';
import {parseScenario} from '../run/scenario/scenario.ts';
import {smallTrace} from '../run/trace/testing/smallTrace.ts';
import {Trace} from '../run/trace/trace.ts';
import type {TraceData} from '../run/trace/traceData.ts';
import {traceProblem} from '../run/trace/traceProblem.ts';
import type {CapturedLoad} from './capturedLoad.ts';
import {captureTrace} from './captureTrace.ts';
import {readHar} from './har.ts';
import {dateNs} from './harCaptureEntry.ts';
import {loadsOf, messageOf, onlyLoad} from './testing/capturedLoads.ts';

const MS = 1e6;

type Entry = {readonly [key: string]: unknown};

interface EntryOptions {
  readonly timings?: Entry;
  readonly response?: Entry;
  readonly own?: Entry;
}

/** Returns an entry as Chromium writes it. It starts `atMs` after the page, and by default it is sent 2 ms later. */
function entry(url: string, atMs: number, {timings, response, own}: EntryOptions = {}): Entry {
  const parts = {blocked: 2, dns: -1, ssl: -1, connect: -1, send: 1, wait: 30, receive: 7, ...timings};
  const {ssl: _, ...sum} = parts;
  return {
    startedDateTime: dateAt(atMs),
    time: Object.values(sum).reduce((all, ms) => all + Math.max(0, ms), 0),
    request: {
      method: 'GET',
      url,
      httpVersion: 'h2',
      headers: [{name: 'Accept', value: '*/*'}],
      headersSize: -1,
      bodySize: 0,
    },
    response: {
      status: 200,
      httpVersion: 'h2',
      headers: [{name: 'Content-Type', value: 'image/png'}],
      content: {size: 500, mimeType: 'image/png'},
      headersSize: -1,
      bodySize: -1,
      _transferSize: 620,
      _error: null,
      ...response,
    },
    timings: parts,
    pageref: 'page_1',
    connection: '443',
    _priority: 'High',
    _initiator: {type: 'parser', url: 'https://host.example/', lineNumber: 4},
    ...own,
  };
}

/** The date of a time in ms since the page's start. */
function dateAt(ms: number): string {
  return `2026-06-01T12:00:00.${String(ms).padStart(3, '0')}Z`;
}

const HTML = {content: {size: 300, mimeType: 'text/html', text: '<p>é'}, _transferSize: 400};

function page(own: Entry = {}): Entry {
  return {
    id: 'page_1',
    startedDateTime: dateAt(0),
    pageTimings: {onContentLoad: 90, onLoad: 120.5},
    ...own,
  };
}

function read(entries: readonly Entry[], pages: readonly Entry[] = [page()]): CapturedLoad {
  return onlyLoad(readHar(JSON.stringify({log: {version: '1.2', pages, entries}})));
}

test('an entry has the times of its phases, since the first request', () => {
  const load = read([
    entry('https://host.example/', 5, {
      timings: {blocked: 10, dns: 5, connect: 40, ssl: 25, send: 1, wait: 30, receive: 4},
      response: HTML,
    }),
    entry('https://host.example/a.png', 80),
  ]);
  expect(load).toMatchObject({kind: 'har', pipeline: 'h2', seenAt: 'client', packets: [], samples: [], notes: []});
  expect(load.exchanges[0]).toMatchObject({
    connection: 0,
    method: 'GET',
    url: 'https://host.example/',
    discoveredNs: 0,
    requestNs: 55 * MS,
    firstByteNs: 86 * MS,
    completeNs: 90 * MS,
    status: 200,
    requestFields: [['accept', '*/*']],
    responseFields: [['content-type', 'image/png']],
  });
  expect(load.exchanges[1]).toMatchObject({
    discoveredNs: 75 * MS,
    requestNs: 77 * MS,
    firstByteNs: 108 * MS,
    completeNs: 115 * MS,
    priority: 'High',
    initiator: {type: 'parser', url: 'https://host.example/'},
  });
  expect(load.connections).toEqual([
    {
      origin: 'https://host.example',
      hasTls: true,
      openNs: 15 * MS,
      connectedNs: 30 * MS,
      tlsNs: 55 * MS,
      streams: 1,
    },
  ]);
  expect(load.milestones).toEqual({fcpNs: null, lcpNs: null, dclNs: 85 * MS, loadNs: 115.5 * MS});
});

test('the connect time includes the time of TLS, except in archives of Firefox', () => {
  const timings = {blocked: 0, connect: 10, ssl: 20, send: 0, wait: 30, receive: 0};
  const firefox = read([entry('https://host.example/', 0, {timings, response: HTML, own: {time: 60}})]);
  expect(firefox.exchanges[0]?.requestNs).toBe(30 * MS);
  expect(firefox.connections[0]).toMatchObject({openNs: 0, connectedNs: 10 * MS, tlsNs: 30 * MS});
  const chromium = read([entry('https://host.example/', 0, {timings: {...timings, ssl: 4}, response: HTML})]);
  expect(chromium.exchanges[0]?.requestNs).toBe(10 * MS);
  expect(chromium.connections[0]).toMatchObject({openNs: 0, connectedNs: 6 * MS, tlsNs: 10 * MS});
});

test('QUIC has one handshake, and a connection without a set-up in the archive has no times', () => {
  const response = {...HTML, httpVersion: 'h3'};
  const timings = {blocked: 0, connect: 10, ssl: 10};
  const load = read([
    entry('https://host.example/', 0, {timings, response}),
    entry('https://b.example/a', 50, {response, own: {connection: '7'}}),
    entry('http://c.example/a', 60, {own: {connection: '8'}, timings: {blocked: 1, connect: 4}}),
  ]);
  expect(load.pipeline).toBe('h3');
  expect(load.connections).toEqual([
    {origin: 'https://host.example', hasTls: true, openNs: 0, connectedNs: 10 * MS, tlsNs: null, streams: 1},
    {origin: 'https://b.example', hasTls: true, openNs: null, connectedNs: null, tlsNs: null, streams: 1},
    {origin: 'http://c.example', hasTls: false, openNs: 61 * MS, connectedNs: 65 * MS, tlsNs: null, streams: 1},
  ]);
  expect(load.notes).toEqual(['1 of 3 requests used a different version of HTTP than the request for the page.']);
});

test('the size of a body is the number of bytes that were sent for it', () => {
  const sizes = (response: Entry, own: Entry = {}) => {
    const found = read([entry('https://host.example/', 0, {response: {...HTML, ...response}, own})]).exchanges[0];
    return [found?.headerBytes, found?.bodyBytes];
  };
  const coded = [{name: 'Content-Encoding', value: 'br'}];
  expect(sizes({})).toEqual([100, 300]);
  expect(sizes({headers: coded, _transferSize: 150})).toEqual([0, 150]);
  expect(sizes({headers: coded, _transferSize: 150, headersSize: 60})).toEqual([60, 90]);
  expect(sizes({bodySize: 120, _transferSize: 150})).toEqual([30, 120]);
  expect(sizes({bodySize: 120, headersSize: 40, _transferSize: undefined})).toEqual([40, 120]);
  expect(sizes({_transferSize: undefined, content: {size: 300, compression: 200}})).toEqual([0, 100]);
  expect(sizes({_transferSize: 0}, {_fromCache: 'disk'})).toEqual([0, 0]);
});

test('bodies are those of the archive, as text or base64, and damaged ones are left out', () => {
  const body = (content: Entry) =>
    read([entry('https://host.example/', 0, {response: {content: {mimeType: 'text/html', ...content}}})]).exchanges[0]
      ?.body;
  expect(body({text: 'é'})).toEqual(Uint8Array.of(0xc3, 0xa9));
  expect(body({text: 'AAH/', encoding: 'base64'})).toEqual(Uint8Array.of(0, 1, 255));
  expect(body({text: '%%', encoding: 'base64'})).toBeNull();
  expect(body({})).toBeNull();
});

test('each page of an archive is a load, in the order of time', () => {
  const second = {own: {pageref: 'b'}, response: HTML};
  const text = JSON.stringify({
    log: {
      pages: [page(), page({id: 'b'})],
      entries: [entry('https://b.example/', 900, second), entry('https://host.example/', 0, {response: HTML})],
    },
  });
  expect(loadsOf(readHar(text)).map(({exchanges}) => exchanges.map(({url}) => url))).toEqual([
    ['https://host.example/'],
    ['https://b.example/'],
  ]);
});

test('a load lists its page before a redirect to the page, and says what it leaves out', () => {
  const load = read([
    entry('https://host.example/favicon.ico', 0),
    entry('http://host.example/', 10, {response: {...HTML, status: 301, httpVersion: 'HTTP/1.1'}}),
    entry('https://host.example/', 20, {response: HTML}),
    entry('https://ads.example/', 30, {
      response: {status: 0, _error: 'net::ERR_BLOCKED_BY_CLIENT'},
      timings: {send: 0, wait: 0, receive: 0},
      own: {connection: undefined},
    }),
    entry('wss://host.example/', 40),
    {},
  ]);
  expect(load.exchanges.map(({url, discoveredNs}) => [url, discoveredNs])).toEqual([
    ['https://host.example/', 10 * MS],
    ['http://host.example/', 0],
  ]);
  expect(load.pipeline).toBe('h2');
  expect(load.notes).toEqual([
    'The file has 2 entries that are not a request over HTTP.',
    '1 request was left out because the page was requested later.',
    '1 request was left out because the browser did not send it.',
    '1 of 2 requests used a different version of HTTP than the request for the page.',
  ]);
});

test('a response that failed is never complete', () => {
  const failed = {...HTML, status: 200, _error: 'net::ERR_CONNECTION_RESET'};
  const none = {...HTML, status: 0, _error: ''};
  const load = read([
    entry('https://host.example/', 0, {response: failed}),
    entry('https://host.example/b', 1, {response: none}),
  ]);
  expect(load.exchanges[0]).toMatchObject({status: 200, firstByteNs: 33 * MS, completeNs: null});
  expect(load.exchanges[1]).toMatchObject({status: null, firstByteNs: null, completeNs: null});
});

test('a file that is no archive, or has no request, gives one sentence', () => {
  expect(messageOf(readHar('x'))).toMatch(/^not a HAR file: not JSON/);
  expect(messageOf(readHar('{}'))).toBe('not a HAR file: it has no log.entries');
  expect(messageOf(readHar('{"log": {"entries": []}}'))).toBe('the HAR file has no request that was sent over HTTP');
  const many = {log: {entries: Array(20_001).fill(0)}};
  expect(messageOf(readHar(JSON.stringify(many)))).toBe('the HAR file has 20001 entries (at most 20000)');
});

test('dates have nanoseconds and zones, and other texts are no dates', () => {
  expect(dateNs('1970-01-01T00:00:00Z')).toBe(0n);
  expect(dateNs('2026-11-28T18:20:30.123Z')).toBe(1_795_890_030_123_000_000n);
  expect(dateNs('2024-02-29T23:59:59.5+02:00')).toBe(1_709_243_999_500_000_000n);
  expect(dateNs('2025-03-01T00:00:00-01:30')).toBe(1_740_792_600_000_000_000n);
  expect(dateNs('2000-01-01T00:00:00.000000789Z')).toBe(946_684_800_000_000_789n);
  expect([dateNs('2000-13-01T00:00:00Z'), dateNs('today'), dateNs(3)]).toEqual([null, null, null]);
});

const PAGE: Page = {
  name: 'small',
  objects: [
    {url: '/', contentType: 'text/html', body: new Uint8Array(100).fill(60)},
    {url: '/image.jpg', contentType: 'image/jpeg', body: new Uint8Array(400).fill(1)},
  ],
  headerBytes: 0,
  requestBytes: 0,
};

function ownTimes(data: TraceData, pipeline: TraceData['pipeline'] = 'tcp') {
  const parsed = parseScenario({panes: [{pipeline}]});
  const pane = parsed.ok ? parsed.scenario.panes[0] : undefined;
  if (pane === undefined) throw new Error('no pane');
  const text = har(new Trace({...data, pipeline}), {
    page: PAGE,
    pane,
    isLive: false,
    title: 's',
    version: '1',
    hasContent: true,
  });
  const load = onlyLoad(readHar(text));
  return {load, trace: captureTrace(load)};
}

test('an archive of this program reads back to the same objects and times', () => {
  const data = smallTrace();
  const odd = data.objects.map((each, i) => ({
    ...each,
    discoveredNs: i === 0 ? 0 : 19_999_999,
    completeNs: 70_123_457,
  }));
  const {load, trace} = ownTimes({...data, objects: odd});
  expect(trace.objects).toEqual(odd);
  expect(trace).toMatchObject({pipeline: 'tcp', outcome: 'complete', endNs: 70_123_457});
  expect(load.connections[0]).toMatchObject({openNs: 0, connectedNs: 10 * MS, hasTls: false});
  expect(load.exchanges.map(({body}) => body?.length)).toEqual([100, 400]);
  expect(traceProblem(trace)).toBeUndefined();
  expect(ownTimes(data, 'sctp').load.pipeline).toBe('sctp');
});

test('whatever an archive has, reading it gives a valid trace or one sentence', () => {
  const some = fc.oneof(
    fc.constantFrom(null, true, '', 'x', -1, 0, 1e300, 'https://a.example/', '2026-06-01T12:00:00Z', [], {}),
    fc.double({noNaN: true}),
  );
  const record = (names: readonly string[]) =>
    fc.record(Object.fromEntries(names.map(name => [name, some])), {requiredKeys: []});
  const timings = record(['blocked', 'dns', 'connect', 'ssl', 'send', 'wait', 'receive']);
  const response = fc
    .tuple(
      record(['status', 'bodySize', 'headersSize', '_transferSize', '_error', 'headers']),
      record(['size', 'text', 'encoding']),
    )
    .map(([own, content]) => ({...own, content}));
  const hostile = fc
    .tuple(record(['pageref', 'connection', '_fromCache', '_initiator', 'time']), timings, response, fc.boolean())
    .map(([own, times, answer, isValid]) =>
      isValid ? {...entry('https://a.example/', 3), ...own, timings: times, response: answer} : own,
    );
  fc.assert(
    fc.property(
      fc.array(hostile, {maxLength: 4}),
      fc.array(record(['id', 'startedDateTime', 'pageTimings'])),
      (entries, pages) => {
        const result = readHar(JSON.stringify({log: {entries, pages}}));
        if (!result.ok) expect(result.message).toMatch(/^[^\n]+$/);
        else for (const each of result.loads) expect(traceProblem(captureTrace(each))).toBeUndefined();
      },
    ),
    {numRuns: 300},
  );
});
