import {describe, expect, test} from 'vitest';
import {parseScenario} from '../../app/run/scenario/scenario.ts';
import {DIRECTION} from '../../app/run/trace/columns.ts';
import {decodeRun, encodeRun} from '../../app/run/trace/runFile.ts';
import type {Trace} from '../../app/run/trace/trace.ts';
import {runDocument, traces} from '../workers/testing/runs.ts';

// These tests load a page of ten objects of 10 KB from models of real servers. The client states urgencies, but no
// dependencies.

const document = {
  page: {synthetic: {objects: 10, objectBytes: 10_000}},
  path: {rateBps: 1_000_000, rttMs: 100, loss: 0},
  discovery: 'complete',
};

function loaded(server: string, pipeline = 'h2'): Trace {
  const [trace] = traces({...document, server, panes: [{pipeline, profile: 'modern'}]});
  if (trace === undefined) throw new Error('no trace');
  return trace;
}

/** The objects in the order in which they were complete. */
function completed({objects}: Trace): readonly number[] {
  const atNs = (i: number): number => objects[i]?.completeNs ?? 0;
  return [...objects.keys()].slice(1).sort((a, b) => atNs(a) - atNs(b));
}

/**
 * The time from the completion of the first object to that of the last, as a share of the time from the first request
 * to the completion of the last object. Objects before the object `first` do not count.
 */
function spread({objects}: Trace, first = 1): number {
  const times = objects.slice(first).map(({completeNs}) => completeNs ?? 0);
  const from = objects[1]?.requestNs ?? 0;
  return (Math.max(...times) - Math.min(...times)) / (Math.max(...times) - from);
}

describe('over HTTP/2', () => {
  test('nginx and Apache send small responses one after the other, in the order of the requests', () => {
    for (const server of ['nginx', 'apache']) {
      expect(completed(loaded(server)), server).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
      expect(spread(loaded(server)), server).toBeGreaterThan(0.6);
    }
  });

  test('Caddy sends the responses to the newest requests first if requests state no dependencies', () => {
    // empty frames that end several streams arrive in one packet, so the objects of these streams are complete together
    expect(completed(loaded('caddy'))).toEqual([8, 9, 10, 6, 7, 4, 5, 1, 2, 3]);
  });

  test('h2o sends all responses at the same time', () => {
    expect(spread(loaded('h2o'))).toBeLessThan(0.3);
  });
});

test('over TLS, the first two flights have about as many packets as those of the real servers', () => {
  const path = {rateBps: 10_000_000, rttMs: 300, loss: 0};
  const panes = [{pipeline: 'h2', profile: 'modern'}];
  for (const [server, captured] of [
    // captured with tcpdump while Chromium loaded this page over this path: packets with data that carry the HTML and
    // what precedes it, and packets of the next flight, without those of the second connection, which has no requests
    ['nginx', [6, 12]],
    ['apache', [7, 15]],
    ['caddy', [7, 15]],
    ['caddy-2.11', [6, 12]],
    ['h2o', [5, 10]],
  ] as const) {
    const [trace] = traces({page: 'gallery', browser: 'chromium', server, path, panes});
    if (trace === undefined) throw new Error('no trace');
    const {endpoint, bytes, sentNs} = trace.data.packets;
    const sentMs = [...sentNs.keys()]
      .filter(row => endpoint[row] === trace.data.connections[0]?.server && (bytes[row] ?? 0) > 60)
      .map(row => (sentNs[row] ?? 0) / 1e6);
    const packets = [700, 1000].map(fromMs => sentMs.filter(ms => ms >= fromMs && ms < fromMs + 300).length);
    // the ticket of Caddy is not modelled, nor what its threads write at the same time
    const [most, mostNext] = server.startsWith('caddy') ? [1, 2] : [0, 1];
    expect(Math.abs((packets[0] ?? 0) - captured[0]), server).toBeLessThanOrEqual(most);
    expect(Math.abs((packets[1] ?? 0) - captured[1]), server).toBeLessThanOrEqual(mostNext);
  }
});

test('Caddy 2.11 gives equal turns over HTTP/2, so equal responses are complete nearly together, in order', () => {
  expect(spread(loaded('caddy-2.11'))).toBeLessThan(0.3);
  expect(completed(loaded('caddy-2.11'))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

describe('over HTTP/3', () => {
  test('Caddy first sends a burst of ten packets of the first response, and then a packet of each in turn', () => {
    for (const server of ['caddy', 'caddy-2.11']) {
      const trace = loaded(server, 'h3');
      expect(completed(trace)[0], server).toBe(1);
      expect(spread(trace), server).toBeGreaterThan(0.6);
      expect(spread(trace, 2), server).toBeLessThan(0.5);
    }
  });

  test('a long document of Caddy takes turns with the objects that it names', () => {
    const path = {rateBps: 10_000_000, rttMs: 100, loss: 0};
    const page = {synthetic: {objects: 3, objectBytes: 5000, indexBytes: 150_000}};
    const scenario = {
      page,
      path,
      discovery: 'streaming',
      server: 'caddy',
      panes: [{pipeline: 'h3', profile: 'modern'}],
    };
    const [html, first] = traces(scenario)[0]?.objects ?? [];
    // the tag of the first object comes after a quarter of the HTML
    expect(first?.completeNs ?? 0).toBeLessThan((html?.completeNs ?? 0) - 30e6);
  });

  test('Caddy paces each packet of its first window after the first ten', () => {
    const path = {rateBps: 100_000_000, rttMs: 100, loss: 0};
    const page = {synthetic: {objects: 1, objectBytes: 60_000}};
    const [trace] = traces({...document, page, path, server: 'caddy', panes: [{pipeline: 'h3', profile: 'modern'}]});
    const {direction, sentNs, bytes} = trace?.data.packets ?? {direction: [], sentNs: [], bytes: []};
    const fromNs = (trace?.objects[1]?.requestNs ?? 0) + 50e6;
    const flight = Array.from(sentNs).filter(
      (atNs, i) => direction[i] === DIRECTION.down && (bytes[i] ?? 0) > 1200 && atNs >= fromNs && atNs < fromNs + 90e6,
    );
    const sentIn = (fromMs: number, toMs: number): number =>
      flight.filter(atNs => atNs >= (flight[0] ?? 0) + fromMs * 1e6 && atNs < (flight[0] ?? 0) + toMs * 1e6).length;
    expect(Math.abs(sentIn(0, 1) - 10)).toBeLessThan(3);
    // 1.25 windows of 32 packets in a round trip of 100 ms are a packet each 2.5 ms
    expect(Math.abs(sentIn(5, 55) - 20)).toBeLessThan(3);
    for (const fromMs of [5, 15, 25, 35, 45])
      expect(Math.abs(sentIn(fromMs, fromMs + 10) - 4), `${fromMs} ms`).toBeLessThan(2);
  });

  test('Caddy allows no dynamic table of QPACK, whatever size the pane gives it', () => {
    const upBytes = (server: string, qpackTableBytes: number): number => {
      const panes = [{pipeline: 'h3', profile: 'modern', qpackTableBytes}];
      const [trace] = traces({...document, discovery: 'streaming', browser: 'chromium', server, panes});
      const {direction, bytes} = trace?.data.packets ?? {direction: [], bytes: []};
      return Array.from(bytes).reduce((sum, each, i) => sum + (direction[i] === DIRECTION.up ? each : 0), 0);
    };
    expect(upBytes('caddy', 4096)).toBe(upBytes('caddy', 0));
    expect(upBytes('plain', 4096)).toBeLessThan(upBytes('plain', 0));
  });
});

test('an h3 pane is refused if the server has no HTTP/3, and a pane may have a server of its own', () => {
  const problemsOf = (value: object) => {
    const parsed = parseScenario({...document, ...value});
    return parsed.ok ? [] : parsed.problems.map(({path, message}) => `${path}: ${message}`);
  };
  expect(problemsOf({server: 'nginx', panes: [{pipeline: 'h2'}, {pipeline: 'h3'}]})).toEqual([
    'server: server is "nginx": must be a server with HTTP/3 for an h3 pane, because nginx 1.22 has none',
  ]);
  expect(problemsOf({server: 'nginx', panes: [{pipeline: 'h2'}, {pipeline: 'h3', webServer: 'caddy'}]})).toEqual([]);
  expect(problemsOf({panes: [{pipeline: 'h3', webServer: 'h2o'}]})[0]).toMatch(/^panes\[0\]\.webServer: /);
});

test('a trace names its server, and a trace file with an unknown server is refused', () => {
  const run = runDocument({
    ...document,
    server: 'nginx',
    panes: [{pipeline: 'h2'}, {pipeline: 'h2', webServer: 'plain'}],
  });
  expect(run.panes.map(({server}) => server)).toEqual(['nginx', undefined]);
  expect(decodeRun(encodeRun(run))).toEqual({ok: true, run});
  const strange = {...run, panes: run.panes.map(pane => ({...pane, server: 'iis'}))};
  expect(decodeRun(encodeRun(strange as unknown as typeof run))).toMatchObject({
    ok: false,
    message: 'trace file of server "iis" (this program has plain, nginx, caddy, caddy-2.11, h2o, apache)',
  });
});

test('Caddy keeps the size of its datagrams over HTTP/3, unless the pane chooses another first size', () => {
  const largest = (server: string, more = {}, from: 'down' | 'up' = 'down'): number => {
    const panes = [{pipeline: 'h3', profile: 'modern', ...more}];
    const [trace] = traces({...document, page: {synthetic: {objects: 1, objectBytes: 200_000}}, server, panes});
    const {bytes, direction} = trace?.data.packets ?? {bytes: [], direction: []};
    return Math.max(...Array.from(bytes).filter((_, i) => direction[i] === DIRECTION[from]));
  };
  const headers = 28;
  expect(largest('caddy')).toBe(1252 + headers);
  expect(largest('caddy-2.11')).toBe(1280 + headers);
  expect(largest('caddy-2.11', {profile: 'classic'})).toBe(1280 + headers);
  expect(largest('caddy', {firstDatagramBytes: 1350})).toBe(1350 + headers);
  expect(largest('plain')).toBeGreaterThan(1400 + headers);
  // the client searches for larger datagrams, whatever the server does
  for (const server of ['caddy', 'caddy-2.11', 'plain']) expect(largest(server, {}, 'up'), server).toBe(1452 + headers);
});

test('only Caddy 2.11 and the plain server have a hybrid key share, over TLS and over QUIC', () => {
  /** The size of the packets with which the server answers the client's first messages. */
  const answerBytes = (server: string, pane: object): number => {
    const [trace] = traces({...document, server, panes: [{profile: 'modern', ...pane}]});
    if (trace === undefined) throw new Error('no trace');
    const {setupNs, packets} = trace.data;
    const {bytes, direction, sentNs} = packets;
    const isOfAnswer = (row: number): boolean =>
      direction[row] === DIRECTION.down && (sentNs[row] ?? 0) < (setupNs ?? 0) && (bytes[row] ?? 0) > 80;
    return [...bytes.keys()].filter(isOfAnswer).reduce((sum, row) => sum + (bytes[row] ?? 0), 0);
  };
  // the share for X25519MLKEM768 has 1120 bytes, and that for X25519 has 32 (draft-ietf-tls-ecdhe-mlkem §4.2)
  const [shorterBytes, headerBytes] = [1120 - 32, 52];
  for (const [pane, lacking, having] of [
    [{pipeline: 'tcp', tls: true}, ['nginx', 'apache', 'h2o', 'caddy'], ['caddy-2.11']],
    [{pipeline: 'h2', tls: true}, ['nginx', 'apache', 'h2o', 'caddy'], ['caddy-2.11']],
    [{pipeline: 'h3', firstDatagramBytes: 1280}, ['caddy'], ['caddy-2.11']],
  ] as const) {
    const lessBytes = (server: string): number => answerBytes('plain', pane) - answerBytes(server, pane);
    for (const server of lacking)
      expect(Math.abs(lessBytes(server) - shorterBytes), `${pane.pipeline} ${server}`).toBeLessThanOrEqual(headerBytes);
    for (const server of having) expect(lessBytes(server), `${pane.pipeline} ${server}`).toBe(0);
  }
});

test('Caddy begins HTTP/3 with the window of quic-go, unless the pane chooses one', () => {
  const firstFlight = (server: string, more = {}) => {
    const path = {rateBps: 100_000_000, rttMs: 300};
    const panes = [{pipeline: 'h3', profile: 'modern', ...more}];
    const page = {synthetic: {objects: 1, objectBytes: 200_000}};
    const [trace] = traces({...document, page, path, server, panes});
    const {fateNs, direction} = trace?.data.packets ?? {fateNs: [], direction: []};
    const requestNs = trace?.objects[1]?.requestNs ?? 0;
    // the first flight of the object arrives one round trip after its request
    return Array.from(fateNs).filter((atNs, i) => {
      return direction[i] === DIRECTION.down && atNs > requestNs && atNs < requestNs + 450e6;
    }).length;
  };
  for (const server of ['caddy', 'caddy-2.11']) expect(firstFlight(server), server).toBeGreaterThan(28);
  expect(firstFlight('plain')).toBeLessThan(20);
  expect(firstFlight('caddy', {firstWindowPackets: 10})).toBeLessThan(20);
});

describe('before the RTT is known, a probe follows a lost packet of the handshake', () => {
  const htmlMs = (lost: {readonly [direction: string]: readonly number[]}, more: object): number => {
    const losing = (direction: string) => ({packets: lost[direction] ?? [1000], applies: 'all'});
    const path = {rateBps: 10_000_000, rttMs: 100, loss: {down: losing('down'), up: losing('up')}};
    const panes = [{pipeline: 'h3', profile: 'modern'}];
    const [trace] = traces({...document, discovery: 'streaming', path, panes, ...more});
    return (trace?.objects[0]?.completeNs ?? 0) / 1e6;
  };

  test('after 300 ms from Chromium and Firefox, and after 1 s from the plain browser', () => {
    // both packets of the ClientHello are lost
    const later = (more: object) => htmlMs({up: [0, 1]}, more) - htmlMs({}, more);
    for (const browser of ['chromium', 'firefox'])
      expect(later({}) - later({browser}), browser).toBeCloseTo(1000 - 300, -1);
  });

  test('after 200 ms from Caddy, whatever the browser is', () => {
    // the first flight of the server is lost
    const later = (more: object) => htmlMs({down: [0, 1, 2, 3]}, more) - htmlMs({}, more);
    expect(later({server: 'plain'}) - later({server: 'caddy'})).toBeCloseTo(1000 - 200, -2);
    expect(later({server: 'caddy', browser: 'firefox'})).toBeLessThan(later({server: 'caddy'}) + 50);
  });
});

test('after a loss, Caddy keeps 70 % of the window over HTTP/3, unless the pane chooses its congestion control', () => {
  const kept = (server: string, pane = {}) => {
    const [trace] = traces({
      ...document,
      page: {synthetic: {objects: 1, objectBytes: 100_000}},
      path: {rateBps: 100_000_000, rttMs: 100, loss: {down: {packets: [20], applies: 'all'}, up: 0}},
      server,
      panes: [{pipeline: 'h3', profile: 'modern', firstWindowPackets: 32, ...pane}],
    });
    const {endpoint, ssthreshBytes, cwndBytes} = trace?.data.samples ?? {
      endpoint: [],
      ssthreshBytes: [],
      cwndBytes: [],
    };
    const rows = [...endpoint.keys()].filter(row => endpoint[row] === 1);
    const after = rows.find(row => Number.isFinite(ssthreshBytes[row])) ?? 0;
    const before = rows[rows.indexOf(after) - 1] ?? 0;
    return (ssthreshBytes[after] ?? 0) / (cwndBytes[before] ?? 0);
  };
  // the window may have grown between the last sample and the loss
  expect(Math.abs(kept('caddy') - 0.72)).toBeLessThan(0.03);
  expect(Math.abs(kept('caddy', {congestion: 'reno'}) - 0.52)).toBeLessThan(0.03);
});

test('Caddy ends slow start over HTTP/3 when the delay rises, before a long queue is full', () => {
  const drops = (pane: object) => {
    const [trace] = traces({
      ...document,
      page: {synthetic: {objects: 2, objectBytes: 3_000_000}},
      path: {rateBps: 10_000_000, rttMs: 100, loss: 0, queuePackets: 1000},
      server: 'caddy',
      panes: [{pipeline: 'h3', profile: 'modern', ...pane}],
    });
    return trace?.droppedPackets().length ?? 0;
  };
  expect(drops({})).toBe(0);
  expect(drops({congestion: 'reno'})).toBeGreaterThan(500);
});
