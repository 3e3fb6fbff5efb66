import {describe, expect, test} from 'vitest';
import type {Json} from '../../app/base/json.ts';
import {measure} from '../../app/run/metrics/metrics.ts';
import {scenarioDocument} from '../../app/run/scenario/document.ts';
import {parseScenario} from '../../app/run/scenario/scenario.ts';
import {DIRECTION, FATE} from '../../app/run/trace/columns.ts';
import {encodeRun} from '../../app/run/trace/runFile.ts';
import type {TraceData} from '../../app/run/trace/traceData.ts';
import {traceProblem} from '../../app/run/trace/traceProblem.ts';
import {changeCaptions} from '../../app/telling/movie/captions.ts';
import {runDocument} from '../workers/testing/runs.ts';

const SYNTHETIC = {indexBytes: 2000, objects: 8, objectBytes: 60_000, headerBytes: 250, requestBytes: 300};
const WIFI = {rateBps: 4_000_000, rttMs: 30};
const LTE = {rateBps: 3_000_000, rttMs: 80};
const AT_MS = 500;
const PANES = {
  h3: {pipeline: 'h3', profile: 'modern'},
  h2: {pipeline: 'h2', profile: 'modern'},
  'h1 × 6': {pipeline: 'tcp', profile: 'modern', connections: 6, pipelining: false, tls: true},
  'one pipelined': {pipeline: 'tcp', profile: 'modern'},
  sctp: {pipeline: 'sctp', profile: 'modern', streams: 9},
} as const;

function documentOf(panes: readonly Json[], handover: Json = true, more: {readonly [key: string]: Json} = {}) {
  const changes = [{atMs: AT_MS, path: {...LTE, handover}}];
  return {page: {synthetic: SYNTHETIC}, path: WIFI, panes: [...panes], changes, ...more};
}

function one(pane: Json, handover: Json = true, more: {readonly [key: string]: Json} = {}): TraceData {
  const [trace] = runDocument(documentOf([pane], handover, more)).panes;
  if (trace === undefined) throw new Error('no pane');
  return trace;
}

function totalBytes({deliveries, objects}: TraceData): readonly number[] {
  const totals = objects.map(() => 0);
  for (const [row, object] of deliveries.object.entries()) totals[object] = deliveries.bytes[row] ?? 0;
  return totals;
}

describe.each(Object.entries(PANES))('a hand-over in the middle of a load: %s', (name, pane) => {
  const trace = one(pane);

  test('the load is complete, and every byte is delivered once', () => {
    expect(trace.outcome).toBe('complete');
    expect(totalBytes(trace)).toEqual(trace.objects.map(({bytes}) => bytes));
    const {object, bytes, first} = trace.deliveries;
    const before = trace.objects.map(() => 0);
    for (const [row, each] of object.entries()) {
      expect(first[row]).toBe(before[each]);
      before[each] = bytes[row] ?? 0;
    }
    expect(traceProblem(trace)).toBeUndefined();
  });

  test('a QUIC connection follows the client, and other connections are replaced by as many new ones', () => {
    const before = name === 'h1 × 6' ? 6 : 1;
    expect(trace.connections.length).toBe(name === 'h3' ? before : 2 * before);
  });

  test('nothing that is sent to the old address arrives', () => {
    const {packets, connections} = trace;
    const sent = (row: number): number => packets.sentNs[row] ?? 0;
    const rows = Array.from(packets.sentNs.keys());
    const late = rows.filter(row => sent(row) > AT_MS * 1e6);
    const old = new Set(connections.slice(0, connections.length / 2).flatMap(({client, server}) => [client, server]));
    // a QUIC server sends to the old address until a packet from the new one arrives
    const moved = rows.find(row => packets.direction[row] === DIRECTION.up && sent(row) >= AT_MS * 1e6) ?? -1;
    const heardNs = packets.fateNs[moved] ?? 0;
    const isOld = (row: number): boolean =>
      name === 'h3'
        ? packets.direction[row] === DIRECTION.down && sent(row) < heardNs
        : old.has(packets.endpoint[row] ?? -1);
    const fates = late.filter(isOld).map(row => packets.fate[row]);
    expect(fates.length).toBeGreaterThan(0);
    expect(new Set(fates)).toEqual(new Set([FATE.handedOver]));
    if (name === 'h3') expect(late.some(row => packets.fate[row] === FATE.delivered)).toBe(true);
  });

  test('the same scenario gives the same bytes', () => {
    expect(encodeRun(runDocument(documentOf([pane])))).toEqual(encodeRun(runDocument(documentOf([pane]))));
  });
});

test('HTTP/3 loses less time than HTTP/2, which needs new connections and asks again', () => {
  const ms = (pane: Json, handover: Json) => measure(one(pane, handover)).pageTimeMs ?? Number.POSITIVE_INFINITY;
  const [h3, h2] = [PANES.h3, PANES.h2].map(pane => ms(pane, true) - ms(pane, false));
  expect(h3).toBeLessThan(h2 ?? 0);
});

test('a client that notices the hand-over late connects again late', () => {
  const again = (noticeMs: number): number => {
    const {packets, connections} = one(PANES.h2, {noticeMs});
    const client = connections[1]?.client;
    return (packets.sentNs[packets.endpoint.indexOf(client ?? -1)] ?? 0) / 1e6;
  };
  expect([again(0), again(700)]).toEqual([AT_MS, AT_MS + 700]);
});

test('a load with two hand-overs is complete, and HTTP/2 connects again after each of them', () => {
  const path = {...LTE, handover: true};
  const changes = [300, 700].map(atMs => ({atMs, path}));
  for (const pane of [PANES.h3, PANES.h2]) expect(one(pane, true, {changes}).outcome).toBe('complete');
  expect(one(PANES.h2, true, {changes}).connections.length).toBe(3);
});

test('a load is complete after a hand-over at any time, also during the handshakes', () => {
  for (const pane of [...Object.values(PANES), {...PANES.h3, zeroRtt: true}])
    for (let atMs = 1; atMs < 400; atMs += atMs < 150 ? 7 : 31) {
      const trace = one(pane, true, {changes: [{atMs, path: {...LTE, handover: true}}]});
      expect([atMs, trace.outcome]).toEqual([atMs, 'complete']);
      expect(totalBytes(trace)).toEqual(trace.objects.map(({bytes}) => bytes));
    }
});

test('a load is complete after a hand-over before the browser connects', () => {
  for (const pane of Object.values(PANES))
    for (const atMs of [0, 4, 8]) {
      const changes = [{atMs, path: {...LTE, handover: true}}];
      expect([atMs, one(pane, true, {browser: 'chromium', changes}).outcome]).toEqual([atMs, 'complete']);
    }
});

test('QUIC connects anew if the client moves before the handshake is complete', () => {
  const changes = [{atMs: 10, path: {...LTE, handover: true}}];
  expect(one(PANES.h3, true, {changes}).connections.length).toBe(2);
});

test('QUIC that connects anew on a first visit resumes its session, but sends its first request only when it is connected', () => {
  const secondConnection = (atMs: number) => {
    const changes = [{atMs, path: {...LTE, handover: true}}];
    const {connections, packets, chunks} = one({...PANES.h3, visit: 'first'}, true, {changes});
    const [, second] = connections;
    const [requestNs = 0] = Array.from(chunks.packet)
      .filter(row => packets.endpoint[row] === second?.client)
      .map(row => packets.sentNs[row] ?? 0);
    const answers = Array.from(packets.sentNs.keys()).filter(row => packets.endpoint[row] === second?.server);
    const ofHandshake = answers.filter(row => (packets.fateNs[row] ?? 0) <= requestNs);
    return {
      isAnswered: ofHandshake.length > 0,
      bytes: ofHandshake.reduce((sum, row) => sum + (packets.bytes[row] ?? 0), 0),
    };
  };
  const full = secondConnection(30);
  expect(full.isAnswered).toBe(true);
  // in this time the client is connected, but has not received HANDSHAKE_DONE yet, so that its connection cannot follow
  // it to the other path
  for (let atMs = 44; atMs <= 60; atMs += 4) {
    const {isAnswered, bytes} = secondConnection(atMs);
    expect(isAnswered).toBe(true);
    expect(bytes).toBeLessThan(full.bytes / 2);
  }
});

test('panes that share the path move together', () => {
  const {panes} = runDocument(documentOf([PANES.h3, PANES.h2], true, {path: {...WIFI, atOnce: true}}));
  expect(panes.map(({outcome}) => outcome)).toEqual(['complete', 'complete']);
  expect(panes.map(({connections}) => connections.length)).toEqual([1, 2]);
});

test('other traffic stays on the old path', () => {
  const traffic = [{kind: 'cbr', direction: 'down', rateBps: 500_000}];
  const sent = one(PANES.h3, true, {path: {...WIFI, traffic}}).traffic?.packets.sentNs ?? [];
  expect(sent.length).toBeGreaterThan(10);
  expect(Math.max(...sent)).toBeLessThanOrEqual(AT_MS * 1e6);
});

test('a hand-over after the end of a load changes no packet', () => {
  const plain = {page: {synthetic: SYNTHETIC}, path: WIFI, panes: [PANES.h3]};
  const [trace] = runDocument(plain).panes;
  const ahead = one(PANES.h3, true, {changes: [{atMs: 60_000, path: {handover: true}}]});
  // a server that allows migration leaves out a transport parameter, but the message is padded to the same size
  expect(ahead.packets).toEqual(trace?.packets);
});

describe('the setting handover', () => {
  const parsed = (handover: Json, panes: readonly Json[] = [PANES.h3]) => parseScenario(documentOf(panes, handover));

  test('may be true, false or have the time to notice', () => {
    const documents = [true, false, {noticeMs: 0}, {noticeMs: 5000}].map(handover => {
      const result = parsed(handover);
      return result.ok ? (scenarioDocument(result.scenario)['changes'] as Json[]) : result.problems[0]?.message;
    });
    const path = {rateBps: {down: 3e6, up: 3e6}, rttMs: {down: 80, up: 80}};
    expect(documents).toEqual([
      [{atMs: AT_MS, path: {...path, handover: true}}],
      [{atMs: AT_MS, path}],
      [{atMs: AT_MS, path: {...path, handover: true}}],
      [{atMs: AT_MS, path: {...path, handover: {noticeMs: 5000}}}],
    ]);
  });

  test('is refused with the reason', () => {
    const problem = (handover: Json, panes?: readonly Json[]) => {
      const result = parsed(handover, panes);
      return result.ok ? undefined : result.problems[0]?.message;
    };
    expect(problem(1)).toBe('changes[0].path.handover is 1: must be true, false or {"noticeMs": …}');
    expect(problem({noticeMs: -1})).toMatch(/^changes\[0\]\.path\.handover\.noticeMs is -1: must be a number from 0/);
    expect(problem(true, [{pipeline: 'udp'}])).toBe('changes[0].path.handover is true: must be absent with a udp pane');
    expect(problem(true, [{pipeline: 'catp'}])).toMatch(/absent with a catp pane$/);
    const initial = parseScenario({path: {handover: true}});
    expect(initial.ok ? undefined : initial.problems[0]?.message).toMatch(/^path\.handover is not a setting of path/);
  });

  test('has a caption that names the hand-over and what changes', () => {
    const result = parsed(true);
    expect(result.ok && changeCaptions(result.scenario)).toEqual([
      {atNs: AT_MS * 1e6, text: 'hand-over: rate 4 → 3 Mbit/s, RTT 30 → 80 ms'},
    ]);
  });
});

test('a packet that had left the upstream queue arrives although the client has left the path', () => {
  const {packets} = one(PANES.h2);
  const rows = Array.from(packets.sentNs.keys()).filter(row => {
    const [left = 0, fateNs = 0] = [packets.leftNs[row], packets.fateNs[row]];
    return packets.direction[row] === DIRECTION.up && left <= AT_MS * 1e6 && fateNs > AT_MS * 1e6;
  });
  expect(rows.length).toBeGreaterThan(0);
  for (const row of rows) expect(packets.fate[row]).toBe(FATE.delivered);
});
