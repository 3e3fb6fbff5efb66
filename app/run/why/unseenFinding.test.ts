import {expect, test} from 'vitest';
import type {CapturedExchange} from '../../captures/capturedLoad.ts';
import {captureTrace} from '../../captures/captureTrace.ts';
import {connection, exchange, smallLoad} from '../../captures/testing/capturedLoads.ts';
import {parseScenario} from '../scenario/scenario.ts';
import {Trace} from '../trace/trace.ts';
import {causeTotals} from './causeTotals.ts';
import {completeTarget, criticalPath} from './criticalPath.ts';
import {PLAIN_OPTIONS} from './testing/plainOptions.ts';
import {whyOptionsOf} from './whyOptions.ts';

const MS = 1e6;
const HTML = '<img src="a.png"><img src="b.png">';

/** The causes of the last object, in ms, in a capture of packets. The HTML came at 50 ms. */
function causes(others: readonly CapturedExchange[], pipeline: 'tcp' | 'h2' | 'sctp', isFindingSeen = false) {
  const times = {at: 30, firstByte: 50, complete: 50, bytes: HTML.length, deliveries: [[50, HTML.length]]} as const;
  const html = exchange('https://host.example/', times, {body: new TextEncoder().encode(HTML)});
  const load = {...smallLoad(), pipeline, packets: [], connections: [connection()], exchanges: [html, ...others]};
  const trace = new Trace(captureTrace(load));
  const target = completeTarget(trace, others.length);
  if (target === null) throw new Error('the last object is complete');
  const path = criticalPath(trace, target, {
    ...PLAIN_OPTIONS,
    seenAt: 'client',
    isFindingSeen,
    hasPriorities: pipeline === 'h2',
  });
  return Object.fromEntries(causeTotals(path).map(({name, ns}) => [name, ns / MS]));
}

const at = (name: string, ms: number, complete: number, own: Partial<CapturedExchange> = {}) =>
  exchange(`https://host.example/${name}`, {at: ms, firstByte: complete, complete, bytes: 10}, own);

test('without scripts, reading the HTML ends with the next request, and what delayed later ones is not known', () => {
  expect(causes([at('a.png', 62, 100), at('b.png', 90, 120)], 'h2')).toEqual({'set-up': 30, scripts: 12, unknown: 78});
  expect(causes([at('a.png', 62, 100)], 'h2')).toEqual({'set-up': 30, scripts: 12, unknown: 58});
});

test('a browser that reads the HTML sends its next request within 20 ms', () => {
  expect(causes([at('a.png', 70, 100)], 'h2')['scripts']).toBe(20);
  expect(causes([at('a.png', 71, 100)], 'h2')['scripts']).toBeUndefined();
});

test('on a page with a script, the script may have run', () => {
  expect(causes([at('a.js', 62, 80), at('b.png', 95, 120)], 'h2')['scripts']).toBe(45);
  expect(causes([at('a.mjs?1', 62, 80), at('b.png', 95, 120)], 'h2')['scripts']).toBe(45);
});

test('the time at which the browser found an object counts if it is known', () => {
  expect(causes([at('a.png', 62, 100), at('b.png', 90, 120)], 'h2', true)['scripts']).toBe(40);
});

test('an object that waited for its connection has no time of scripts', () => {
  const all = causes([at('a.png', 51, 100), at('b.png', 101, 150)], 'tcp');
  expect(all).toEqual({'set-up': 30, 'request-wait': 51, unknown: 69});
});

test('a request that follows a response within 5 ms has waited for it, even if it is not known since when', () => {
  expect(causes([at('a.js', 51, 100), at('lazy.png', 105, 150)], 'tcp')['scripts']).toBeUndefined();
  expect(causes([at('a.js', 51, 100), at('lazy.png', 106, 150)], 'tcp')['scripts']).toBe(56);
  // if it is known since when, the time before is that of scripts
  expect(causes([at('a.js', 62, 100), at('b.png', 105, 150)], 'tcp')).toMatchObject({'request-wait': 43, scripts: 12});
  // if the time of finding is known, the browser found the object only then
  expect(causes([at('a.js', 51, 100), at('lazy.png', 105, 150)], 'tcp', true)['scripts']).toBe(55);
  // over HTTP/2 the request did not have to wait for the response
  expect(causes([at('a.js', 51, 100), at('lazy.png', 105, 150)], 'h2')['scripts']).toBe(55);
});

test('a response that reports an error frees its connection, too', () => {
  const missing = at('a.js', 51, 100, {status: 404});
  expect(causes([missing, at('lazy.png', 105, 150)], 'tcp')['scripts']).toBeUndefined();
  expect(causes([missing, at('lazy.png', 106, 150)], 'tcp')['scripts']).toBe(56);
});

test('over SCTP, a request waits only for the response on its own stream', () => {
  const script = at('a.js', 51, 100);
  expect(causes([script, at('lazy.png', 105, 150)], 'sctp')['scripts']).toBeUndefined();
  expect(causes([script, at('lazy.png', 105, 150, {stream: 1})], 'sctp')['scripts']).toBe(55);
});

test('of captures, only HAR says when the browser found objects', () => {
  const isSeen = (path: object): boolean => {
    const parsed = parseScenario({path, panes: [{pipeline: 'tcp'}]});
    if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
    return whyOptionsOf(parsed.scenario, 0).isFindingSeen;
  };
  expect(['pcap', 'qlog', 'netlog', 'har'].map(captured => isSeen({captured, seenAt: 'client'}))).toEqual([
    false,
    false,
    false,
    true,
  ]);
  expect(isSeen({})).toBe(true);
});
