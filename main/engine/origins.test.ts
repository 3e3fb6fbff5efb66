import {describe, expect, test} from 'vitest';
import {bytesOf} from '../../app/base/bytes.ts';
import type {Json} from '../../app/base/json.ts';
import {assemblePage} from '../../app/page/assemble.ts';
import {measure} from '../../app/run/metrics/metrics.ts';
import {capturedPackets} from '../../app/run/packets/captureFile.ts';
import {decodePacket} from '../../app/run/packets/decodePacket.ts';
import {parseScenario, type Scenario} from '../../app/run/scenario/scenario.ts';
import {Trace} from '../../app/run/trace/trace.ts';
import {fileName} from '../../app/run/trace/traceTexts.ts';
import {takeSnapshot} from '../pages/base/pageSnapshot.ts';
import {capture, load} from './load.ts';

// These tests load a page with objects of three origins. The pictures are from another host of the document's site, and
// the font is from another site.

const MS = 1e6;
const html = `<!doctype html><html><head><link rel="stylesheet" href="main.css"></head><body><p>text</p>
<img src="near-a.jpg" width="400" height="300"><img src="near-b.jpg" width="400" height="300"></body></html>`;
const css = 'p { font-family: One } @font-face { font-family: One; src: url(far-one.woff2) }';
const HOSTS: {readonly [prefix: string]: string} = {near: 'img.shop.test', far: 'fonts.other.test'};
const assembled = assemblePage('three', bytesOf(html), url =>
  url === '/main.css' ? bytesOf(css) : bytesOf('x'.repeat(8000)),
);
const page = takeSnapshot(
  {
    ...assembled,
    objects: assembled.objects.map(object => {
      const [prefix = ''] = object.url.slice(1).split('-');
      return {...object, address: `https://${HOSTS[prefix] ?? 'www.shop.test'}${object.url}`};
    }),
  },
  [],
);

const document = {
  page: 'gallery',
  path: {rateBps: 10_000_000, rttMs: 100, loss: 0},
  browser: 'chromium',
  panes: [{pipeline: 'h2', profile: 'modern'}],
};

function scenarioOf(value: Json): Scenario {
  const answer = parseScenario(value);
  if (!answer.ok) throw new Error(answer.problems.map(({message}) => message).join('; '));
  return answer.scenario;
}

function loaded(changes: object = {}): Trace {
  const scenario = scenarioOf({...document, ...changes});
  const [data] = load(page, scenario, scenario.seed).panes;
  if (data === undefined) throw new Error('no trace');
  return new Trace(data);
}

/** The connection of each object, by the object's name. */
function connections({data}: Trace): {readonly [name: string]: number | null} {
  return Object.fromEntries(data.objects.map(({url, connection}) => [fileName(url), connection]));
}

function requestMs({objects}: Trace, name: string): number {
  return (objects.find(({url}) => url === `/${name}`)?.requestNs ?? Number.NaN) / MS;
}

/** The sender's address in a packet. */
function senderOf(packets: readonly Uint8Array[], row: number): string | undefined {
  return decodePacket(packets, row)[0]?.fields.find(({name}) => name === 'from')?.text;
}

describe('with a browser', () => {
  test('each origin has connections of its own, which the trace names', () => {
    const trace = loaded();
    expect(connections(trace)).toEqual({
      'index.html': 0,
      'main.css': 0,
      'near-a.jpg': 1,
      'near-b.jpg': 1,
      'far-one.woff2': 2,
    });
    expect(trace.data.connections.map(({origin, isAnonymous}) => [origin, isAnonymous])).toEqual([
      ['https://www.shop.test', undefined],
      ['https://img.shop.test', undefined],
      ['https://fonts.other.test', true],
    ]);
  });

  test('over HTTP/1.1, each origin has up to six connections', () => {
    const trace = loaded({panes: [{pipeline: 'tcp', connections: 6, pipelining: false}]});
    expect(new Set(Object.values(connections(trace))).size).toBe(4);
  });

  test('a connection to another origin is opened when the first object of this origin is found', () => {
    // TCP and TLS 1.3 need two round trips
    const trace = loaded();
    expect(requestMs(trace, 'near-a.jpg') - requestMs(trace, 'main.css')).toBeGreaterThanOrEqual(200);
    expect(requestMs(trace, 'near-a.jpg') - requestMs(trace, 'main.css')).toBeLessThan(230);
  });

  test('packets of each origin have an address of their own', () => {
    const scenario = scenarioOf(document);
    const packets = capturedPackets(capture(page, scenario, scenario.seed, 0));
    const from = new Set([...packets.keys()].map(row => senderOf(packets, row)));
    expect([...from].sort()).toEqual(['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.4']);
  });
});

test.each([{pipeline: 'tcp', tls: true}, {pipeline: 'h2'}, {pipeline: 'h3'}])(
  'a browser that visits a page with several origins again uses early data: %o',
  pane => {
    const visited = (visit: string): Trace => loaded({panes: [{...pane, profile: 'modern', visit}]});
    const [first, again] = [visited('first'), visited('again')];
    expect(again.data.outcome).toBe('complete');
    expect(requestMs(again, 'main.css')).toBeLessThan(requestMs(first, 'main.css'));
  },
);

test('the plain browser requests everything from one origin', () => {
  const trace = loaded({browser: 'plain'});
  expect(new Set(Object.values(connections(trace)))).toEqual(new Set([0]));
  expect(trace.data.connections).toHaveLength(1);
});

describe('a certificate', () => {
  test('of the site lets both hosts of the site share a connection (RFC 9113 §9.1.1)', () => {
    const trace = loaded({certificate: 'site'});
    expect(connections(trace)).toMatchObject({'main.css': 0, 'near-a.jpg': 0, 'far-one.woff2': 1});
  });

  test('of the page lets all hosts share a connection, except for fonts in Chromium, which have no credentials', () => {
    const trace = loaded({certificate: 'page'});
    expect(connections(trace)).toMatchObject({'near-a.jpg': 0, 'far-one.woff2': 1});
    expect(connections(loaded({certificate: 'page', browser: 'safari'}))).toMatchObject({'far-one.woff2': 0});
  });

  test('changes nothing over HTTP/1.1', () => {
    const panes = [{pipeline: 'tcp', connections: 6, pipelining: false}];
    expect(connections(loaded({certificate: 'page', panes}))).toEqual(connections(loaded({panes})));
  });
});

describe('dnsMs', () => {
  test('delays the first connection to each host, also with the plain browser', () => {
    for (const browser of ['plain', 'chromium']) {
      const delay = requestMs(loaded({browser, dnsMs: 40}), '') - requestMs(loaded({browser}), '');
      expect(delay).toBeCloseTo(40, 3);
    }
    const wait = (trace: Trace): number => requestMs(trace, 'near-a.jpg') - requestMs(trace, 'main.css');
    expect(wait(loaded({dnsMs: 40})) - wait(loaded())).toBeCloseTo(40, 0);
  });

  test('is part of the set-up time, which counts from navigation and not from the first packet', () => {
    const [slow, fast] = [loaded({dnsMs: 40}), loaded()];
    const setUpMs = (trace: Trace): number => measure(trace.data, trace).setupMs ?? Number.NaN;
    expect(setUpMs(slow) - setUpMs(fast)).toBeCloseTo(40, 3);
    expect((slow.data.packets.sentNs[0] ?? 0) - (fast.data.packets.sentNs[0] ?? 0)).toBe(40 * MS);
  });

  test('delays each host name once, even if the host shares a connection', () => {
    const trace = loaded({dnsMs: 40, certificate: 'site'});
    expect(requestMs(trace, 'near-a.jpg') - requestMs(trace, 'main.css')).toBeCloseTo(40, 0);
    expect(requestMs(trace, 'near-b.jpg')).toBeCloseTo(requestMs(trace, 'near-a.jpg'), 0);
  });
});
