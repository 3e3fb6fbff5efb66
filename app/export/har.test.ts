import {expect, test} from 'vitest';
import type {Page} from '../page/page.ts';
import {parseScenario} from '../run/scenario/scenario.ts';
import {smallTrace} from '../run/trace/testing/smallTrace.ts';
import {Trace} from '../run/trace/trace.ts';
import type {ObjectTrace, TraceData} from '../run/trace/traceData.ts';
import {type HarOptions, har} from './har.ts';
import {dateText} from './harEntry.ts';
import {type Archive, type ArchivedEntry, archiveProblems, readArchive} from './testing/harShape.ts';

const PAGE: Page = {
  name: 'small',
  objects: [
    {url: '/', contentType: 'text/html', body: new Uint8Array(100).fill(60)},
    {url: '/image.jpg', contentType: 'image/jpeg', body: new Uint8Array(400).fill(1)},
  ],
  headerBytes: 0,
  requestBytes: 0,
};

const parsed = parseScenario({panes: [{pipeline: 'tcp'}]});
const pane = parsed.ok ? parsed.scenario.panes[0] : undefined;
if (pane === undefined) throw new Error('no pane');
const PANE = pane;

function text(data: TraceData, hasContent = false, more: Partial<HarOptions> = {}): string {
  const options = {page: PAGE, pane: PANE, isLive: false, title: 'small', version: '1', hasContent, ...more};
  return har(new Trace(data), options);
}

function log(data: TraceData): Archive['log'] {
  return readArchive(text(data)).log;
}

/** Returns the small trace with changes to its second object and to the trace. */
function withImage(image: Partial<ObjectTrace>, end: Partial<TraceData> = {}): TraceData {
  const data = smallTrace();
  const [index, usual] = data.objects;
  if (index === undefined || usual === undefined) throw new Error('the small trace has two objects');
  return {...data, ...end, objects: [index, {...usual, ...image}]};
}

function image(data: TraceData): ArchivedEntry | undefined {
  return log(data).entries[1];
}

const CUT: Partial<ObjectTrace> = {
  completeNs: null,
  failedNs: 60e6,
  failure: {kind: 'aborted', reason: 'data-timeout', bytes: 100, ofBytes: 400},
};

test('an archive has all fields that HAR 1.2 requires, and no unknown ones', () => {
  expect(archiveProblems(text(smallTrace()))).toEqual([]);
  expect(archiveProblems(text(withImage(CUT), true))).toEqual([]);
  expect(archiveProblems(text({...smallTrace(), objects: [], connections: [], setupNs: null}))).toEqual([]);
});

test('the first object waits for the connection, and the others wait until they are requested', () => {
  const [index, second] = log(smallTrace()).entries;
  expect(index).toMatchObject({
    startedDateTime: '2000-01-01T00:00:00.000000000Z',
    time: 20,
    timings: {blocked: 0, connect: 10, send: 0, wait: 10, receive: 0},
  });
  const late = withImage({discoveredNs: 15.5e6});
  expect(image(late)).toMatchObject({
    startedDateTime: '2000-01-01T00:00:00.015500000Z',
    time: 54.5,
    timings: {blocked: 4.5, connect: -1, wait: 10, receive: 40},
  });
  expect(second?.request.url).toBe('http://page.test/image.jpg');
});

test('the connect time counts from the later of SYN and discovery, and is −1 if the set-up ended earlier', () => {
  /** Returns the timings of an object on a second connection, given the time of its SYN and of the discovery. */
  const timingsOf = (synMs: number, discoveredMs: number) => {
    const data = smallTrace();
    const {packets} = data;
    const more = {
      ...packets,
      endpoint: Uint32Array.of(...packets.endpoint, 2, 2),
      direction: Uint8Array.of(...packets.direction, 1, 1),
      bytes: Uint32Array.of(...packets.bytes, 40, 40),
      sentNs: Float64Array.of(...packets.sentNs, synMs * 1e6, 45e6),
      leftNs: Float64Array.of(...packets.leftNs, synMs * 1e6, 45e6),
      copyNs: Float64Array.of(...packets.copyNs, Number.NaN, Number.NaN),
      ecn: Uint8Array.of(...packets.ecn, 0, 0),
      marked: Uint8Array.of(...packets.marked, 0, 0),
      fate: Uint8Array.of(...packets.fate, 1, 1),
      fateNs: Float64Array.of(...packets.fateNs, synMs * 1e6, 45e6),
      kind: Uint8Array.of(...packets.kind, 0, 0),
      cumulativeAck: Float64Array.of(...packets.cumulativeAck, Number.NaN, 0),
    };
    const asked = {
      connection: 1,
      discoveredNs: discoveredMs * 1e6,
      requestNs: Math.max(45, discoveredMs) * 1e6,
    };
    const late = {...asked, firstByteNs: 60e6};
    const connections = [...data.connections, {client: 2, server: 3, streams: 1}];
    const trace = withImage(late, {packets: more, connections});
    expect(archiveProblems(text(trace))).toEqual([]);
    return image(trace)?.timings;
  };
  expect(timingsOf(30, 20)).toMatchObject({blocked: 10, connect: 15, ssl: -1});
  expect(timingsOf(15, 20)).toMatchObject({blocked: 0, connect: 25});
  expect(timingsOf(15, 50)).toMatchObject({blocked: 0, connect: -1});
});

test('onContentLoad is the end of the HTML, and onLoad that of the last object, or −1 after an abort', () => {
  expect(log(smallTrace()).pages[0]?.pageTimings).toEqual({onContentLoad: 20, onLoad: 70});
  const failed = withImage(CUT, {outcome: 'partial', reason: 'one'});
  expect(log(failed).pages[0]).toMatchObject({pageTimings: {onLoad: 60}, comment: 'partial: one'});
  const aborted = withImage(CUT, {outcome: 'aborted', reason: 'data-timeout'});
  expect(log(aborted).pages[0]?.pageTimings).toEqual({onContentLoad: 20, onLoad: -1});
});

test('bodies have the received size, and heads have the size of the sent bytes minus the body', () => {
  const data = smallTrace();
  const {chunkPieces} = data;
  const longer = {...data, chunkPieces: {...chunkPieces, bytes: Uint32Array.of(130, 100, 125, 200, 100)}};
  const [index, second] = log(longer).entries;
  expect(index?.response).toMatchObject({headersSize: 30, bodySize: 100, _transferSize: 130});
  expect(second?.response).toMatchObject({headersSize: 25, bodySize: 400, _transferSize: 425});
  expect(index?.request.headersSize).toBe(-1);
});

test('the size of a GET is the number of bytes that the client sent for the object', () => {
  const data = smallTrace();
  const {packets} = data;
  const upwards = {...data, packets: {...packets, direction: Uint8Array.of(1, 1, 0, 0, 0, 0)}};
  expect(log(upwards).entries[0]?.request.headersSize).toBe(100);
});

test('a truncated object has the received size, its error, and no head size', () => {
  const entry = image(withImage(CUT, {endNs: 60e6}));
  expect(entry?.response).toMatchObject({
    status: 200,
    headersSize: -1,
    bodySize: 100,
    _error: 'truncated at 100 of 400 B: data-timeout',
  });
  expect(entry?.response).not.toHaveProperty('_transferSize');
  expect(entry?.timings).toMatchObject({wait: 10, receive: 30});
});

test('an object without a received header has status 0', () => {
  const entry = image(withImage({...CUT, firstByteNs: null}));
  expect(entry).toMatchObject({response: {status: 0}, timings: {wait: 40, receive: 0}});
  const awaited = image(withImage({completeNs: null, firstByteNs: null}));
  expect(awaited).toMatchObject({response: {status: 0}, timings: {wait: 50, receive: 0}});
});

test('an object that failed because of its status has this status', () => {
  const missing = withImage({
    completeNs: null,
    failedNs: 40e6,
    bytes: 0,
    failure: {kind: 'status', status: 404},
  });
  expect(image(missing)?.response).toMatchObject({status: 404, statusText: 'Not Found', headers: []});
  const absent = withImage({completeNs: null, failedNs: 40e6, failure: {kind: 'absent', status: 404}});
  expect(image(absent)?.response).toMatchObject({status: 404, statusText: 'Not Found'});
  const large = {kind: 'too-large', what: 'message', bytes: 9, limitBytes: 5} as const;
  expect(image(withImage({completeNs: null, failedNs: 40e6, failure: large}))?.response.status).toBe(500);
});

test('an object that was never requested has no entry, but the comment names it', () => {
  const {entries, comment} = log(withImage({requestNs: null, firstByteNs: null, completeNs: null}));
  expect(entries).toHaveLength(1);
  expect(comment).toContain('never requested: /image.jpg');
});

test('the comment says where the load comes from', () => {
  const commentOf = (more: Partial<HarOptions>) => readArchive(text(smallTrace(), false, more)).log.comment;
  const begins = 'begins at 2000-01-01T00:00:00.000000000Z by convention';
  expect(commentOf({})).toBe(`computed in virtual time, which ${begins}`);
  expect(commentOf({isLive: true})).toBe(`loaded from a live server; the load ${begins}`);
  expect(commentOf({pane: {...PANE, captured: 'har'}})).toBe(`recorded by another program; the load ${begins}`);
});

test('the received content is included on request', () => {
  expect(image(smallTrace())?.response.content).toEqual({size: 400, mimeType: 'image/jpeg'});
  const [index, cut] = readArchive(text(withImage(CUT, {endNs: 60e6}), true)).log.entries;
  expect(index?.response.content).toMatchObject({encoding: 'base64', text: `${'PDw8'.repeat(33)}PA==`});
  expect(cut?.response.content).toMatchObject({size: 100, text: `${'AQEB'.repeat(33)}AQ==`});
});

test('the query of an address is split into parameters', () => {
  expect(image(withImage({url: '/a?b=1&c&d=e=f'}))?.request.queryString).toEqual([
    {name: 'b', value: '1'},
    {name: 'c', value: ''},
    {name: 'd', value: 'e=f'},
  ]);
});

test('dates count from the start of the year 2000, and can pass midnight', () => {
  expect(dateText(0)).toBe('2000-01-01T00:00:00.000000000Z');
  expect(dateText(1_234_567_899)).toBe('2000-01-01T00:00:01.234567899Z');
  expect(dateText(86_399.5e9)).toBe('2000-01-01T23:59:59.500000000Z');
  expect(dateText(9 * 86_400e9 + 3_661e9)).toBe('2000-01-10T01:01:01.000000000Z');
});

test('the objects of a page from the web keep their addresses, hosts and queries', () => {
  const objects = PAGE.objects.map((object, i) =>
    i === 0 ? {...object, address: 'https://www.example:8443/start?a=b'} : object,
  );
  const options = {
    page: {...PAGE, objects},
    pane: PANE,
    isLive: false,
    title: 'small',
    version: '1',
    hasContent: false,
  };
  const archive = har(new Trace(smallTrace()), options);
  expect(archiveProblems(archive)).toEqual([]);
  const [index, other] = readArchive(archive).log.entries;
  expect(index?.request).toMatchObject({
    url: 'https://www.example:8443/start?a=b',
    headers: [{name: 'Host', value: 'www.example:8443'}],
    queryString: [{name: 'a', value: 'b'}],
  });
  // An object without a known address has the host page.test.
  expect(other?.request).toMatchObject({
    url: 'http://page.test/image.jpg',
    headers: [{name: 'Host', value: 'page.test'}],
  });
});
