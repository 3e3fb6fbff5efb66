import {describe, expect, test} from 'vitest';
import type {Json} from '../../app/base/json.ts';
import type {Trace} from '../../app/run/trace/trace.ts';
import {traces} from '../workers/testing/runs.ts';

// These tests load by HTTP/1.1 over several TCP connections, as browsers do.

const page = {synthetic: {objects: 12, objectBytes: 10_000}};
const path = {rateBps: 1_000_000, rttMs: 350};
const browser = {pipeline: 'tcp', connections: 6, pipelining: false};

describe('six connections without pipelining', () => {
  test('are not opened at once: the first is opened for index.html, and every further one when an object waits', () => {
    const [trace] = load({panes: [browser], path: {loss: 0}});
    const setUps = opened(trace);
    expect(setUps).toHaveLength(6);
    expect(setUps[0]).toBe(0);
    for (const openedNs of setUps.slice(1))
      expect(openedNs).toBeGreaterThanOrEqual(trace.objects[0]?.firstByteNs ?? Number.NaN);
    const [few] = load({panes: [browser], page: {synthetic: {objects: 2, objectBytes: 10_000}}});
    // The connection of index.html is still busy when the images are discovered.
    expect(opened(few)).toHaveLength(3);
  });

  test('have one request each at a time, and request the objects in the order of the page', () => {
    for (const seed of [1, 2, 3]) {
      const [trace] = load({panes: [browser], seed});
      for (let connection = 0; connection < 6; connection++) {
        const inTurn = trace.objects
          .filter(object => object.connection === connection)
          .sort((a, b) => (a.requestNs ?? 0) - (b.requestNs ?? 0));
        expect(inTurn.length).toBeGreaterThan(0);
        for (const [i, {completeNs}] of inTurn.slice(0, -1).entries())
          expect(inTurn[i + 1]?.requestNs).toBeGreaterThanOrEqual(completeNs ?? Number.NaN);
      }
      const asked = trace.objects.map(({requestNs}) => requestNs);
      expect(asked).toEqual(asked.toSorted((a, b) => (a ?? 0) - (b ?? 0)));
    }
  });

  test('delay one object when a packet is lost; a single pipelined connection delays all later objects too', () => {
    const panes = [browser, {pipeline: 'tcp'}];
    const without = load({panes, path: {loss: 0}});
    // Data packet 40 towards the client belongs to the images.
    const loss = {down: {packets: [40], applies: 'data'}, up: 0};
    const delayed = load({panes, path: {loss}}).map((trace, pane) => {
      const usual = without[pane]?.objects ?? [];
      return trace.objects.filter(({completeNs}, i) => {
        return (completeNs ?? 0) > (usual[i]?.completeNs ?? 0) + 100e6;
      });
    });
    expect(delayed.map(({length}) => length)).toEqual([1, 7]);
  });
});

test('if every packet is lost, any number of connections ends with a timeout', () => {
  const panes = [browser, {pipeline: 'tcp', connections: 6}, {pipeline: 'tcp'}];
  for (const trace of load({panes, path: {loss: 1}}))
    expect(trace.data).toMatchObject({outcome: 'aborted', reason: 'connect-timeout', setupNs: null});
});

test('with pipelining, requests are distributed round-robin over connections that are opened at once', () => {
  const [trace] = load({panes: [{pipeline: 'tcp', connections: 3}], path: {loss: 0}});
  expect(opened(trace)).toEqual([0, 0, 0]);
  expect(trace.objects.map(({connection}) => connection)).toEqual([0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0]);
});

test('if the SYN of one of two connections is lost, all objects use the other connection', () => {
  // The lost packet is the SYN of the second connection.
  const loss = {up: {packets: [1]}, down: 0};
  const [trace] = load({panes: [{pipeline: 'tcp', connections: 2}], path: {loss}});
  expect(trace.data.outcome).toBe('complete');
  expect(trace.objects.every(({connection}) => connection === 0)).toBe(true);
});

describe('Chromium over HTTP/1.1', () => {
  const load = (rttMs: number): Trace => {
    const panes = [{pipeline: 'tcp', profile: 'modern', connections: 6, pipelining: false, tls: true}];
    const path = {rateBps: 10_000_000, rttMs, loss: 0};
    const [trace] = traces({page: 'gallery', browser: 'chromium', server: 'nginx', path, panes} as never);
    if (trace === undefined) throw new Error('no trace');
    return trace;
  };
  const completed = ({objects}: Trace): readonly number[] =>
    [...objects.keys()].sort((a, b) => (objects[a]?.completeNs ?? 0) - (objects[b]?.completeNs ?? 0));

  // In 24 of 24 real loads without loss with an RTT of 30 or 100 ms (docs/browsers.md), the logo (1) was followed by the
  // last five pictures (7 to 11), which layout makes urgent before they get a connection, and these by the first five
  // (2 to 6).
  test('completes the pictures of the gallery in the order of real loads', () => {
    expect(completed(load(100))).toEqual([0, 1, 7, 8, 9, 10, 11, 2, 3, 4, 5, 6]);
  });

  // In 6 of 6 real loads with an RTT of 300 ms, the logo and the first picture had connections of their own.
  test('opens a second connection if the first one is not established after 250 ms', () => {
    const [logo, first, second] = [1, 2, 7].map(object => load(300).objects[object]);
    expect((first?.completeNs ?? 0) - (logo?.completeNs ?? 0)).toBeLessThan(20e6);
    expect((second?.completeNs ?? 0) - (logo?.completeNs ?? 0)).toBeGreaterThan(250e6);
  });
});

// In 12 of 160 real loads with 5 % loss, the HTML came 250 ms late over HTTP/2 (docs/browsers.md).
test('HTTP/2 opens a second connection if the first is not ready after 250 ms, and uses the one ready first', () => {
  const load = (lost: readonly number[], rttMs = 100): Trace => {
    const path = {rateBps: 10_000_000, rttMs, loss: {up: {packets: lost, applies: 'all'}, down: 0}};
    const panes = [{pipeline: 'h2', profile: 'modern', tls: true}];
    const [trace] = traces({page: 'gallery', browser: 'firefox', server: 'nginx', path, panes} as never);
    if (trace === undefined) throw new Error('no trace');
    return trace;
  };
  const connectionsOf = ({data, objects}: Trace) => [
    data.connections.length,
    ...new Set(objects.map(({connection}) => connection)),
  ];
  const [usual, late, far] = [load([1000]), load([0]), load([1000], 300)];
  expect(connectionsOf(usual)).toEqual([1, 0]);
  expect(connectionsOf(late)).toEqual([2, 1]);
  expect(connectionsOf(far)).toEqual([2, 0]);
  expect([usual, late, far].map(({data}) => data.streams)).toEqual([1, 1, 1]);
  expect((late.objects[0]?.completeNs ?? 0) - (usual.objects[0]?.completeNs ?? 0)).toBe(250e6);
});

// the client's packets are lost from 300 ms on, so the server gives up
test.each(['plain', 'chromium'])(
  'over HTTP/2 in the browser %s, a connection that the server ends also ends the load',
  browser => {
    const changes = [{atMs: 300, path: {loss: {up: 1, down: 0}}}];
    const path = {rateBps: 10_000_000, rttMs: 100, loss: 0};
    const panes = [{pipeline: 'h2', profile: 'modern', tls: true}];
    const [trace] = traces({page: 'gallery', browser, discovery: 'streaming', path, panes, changes} as never);
    expect(trace?.data).toMatchObject({outcome: 'aborted', reason: 'peer-abort'});
  },
);

// With a think time, the server of the second connection has a timer of its own.
test('over HTTP/2, the server of a second connection thinks as long as that of the first', () => {
  const htmlNs = (lost: number): number => {
    const path = {rateBps: 10_000_000, rttMs: 100, loss: {up: {packets: [lost], applies: 'all'}, down: 0}};
    const panes = [{pipeline: 'h2', profile: 'modern', tls: true}];
    const [trace] = traces({page: 'gallery', browser: 'chromium', serverThinkMs: 500, path, panes} as never);
    return trace?.objects[0]?.completeNs ?? 0;
  };
  expect(htmlNs(0) - htmlNs(1000)).toBe(250e6);
});

describe('a pipeline', () => {
  /** Returns the greatest number of requests that are unanswered at the same time. */
  const deepest = ({objects}: Trace): number =>
    Math.max(
      ...objects.map(({requestNs}) => {
        const at = requestNs ?? Number.NaN;
        return objects.filter(each => (each.requestNs ?? Infinity) <= at && (each.completeNs ?? Infinity) > at).length;
      }),
    );

  test('has the largest number of unanswered requests that its depth allows', () => {
    const panes = [1, 4, 1000, null].map(pipelineDepth => ({pipeline: 'tcp', pipelineDepth}));
    const loaded = load({panes, path: {loss: 0}, discovery: 'complete'});
    expect(loaded.map(deepest)).toEqual([1, 4, 12, 12]);
    const [one, four, many, all] = loaded.map(({data}) => data);
    expect(many?.deliveries).toEqual(all?.deliveries);
    expect(four?.endNs).toBeGreaterThan(all?.endNs ?? Number.NaN);
    const [single] = load({
      panes: [{pipeline: 'tcp', pipelining: false}],
      path: {loss: 0},
      discovery: 'complete',
    });
    expect(one?.deliveries).toEqual(single?.data.deliveries);
  });
});

interface Wanted {
  readonly panes: Json;
  readonly page?: Json;
  readonly path?: {readonly loss: Json};
  readonly discovery?: string;
  readonly seed?: number;
}

function load(wanted: Wanted): readonly [Trace, ...Trace[]] {
  const found = traces({seed: 1, page, ...wanted, path: {...path, ...wanted.path}});
  return found as [Trace, ...Trace[]];
}

/** The time at which each connection sent its first packet, in ns. */
function opened(trace: Trace): readonly number[] {
  const {endpoint, sentNs} = trace.data.packets;
  return trace.data.connections.flatMap(({client}) => sentNs[endpoint.indexOf(client)] ?? []);
}
