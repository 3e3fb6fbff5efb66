import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import type {CapturedLoad} from '../../app/captures/capturedLoad.ts';
import {exchangesOfObjects} from '../../app/captures/placeOnPage.ts';
import {seenByClient} from '../../app/captures/testing/seenByClient.ts';
import {fitPath} from '../../app/captures/twin/pathFit.ts';
import {firstPacketNs} from '../../app/captures/twin/placedTwin.ts';
import {fitTwin, type Twin} from '../../app/captures/twin/twin.ts';
import type {PageSnapshot} from '../../app/page/page.ts';
import {parseScenario, type Scenario} from '../../app/run/scenario/scenario.ts';
import {loadToExplain} from '../engine/load.ts';
import {openPage} from '../pages/openPage.ts';

const PANES = {
  h1: {pipeline: 'tcp', profile: 'modern', tls: true, connections: 6, pipelining: false},
  h2: {pipeline: 'h2', profile: 'modern', tls: true},
  h3: {pipeline: 'h3', profile: 'modern'},
} as const;

const SERVER = {h1: 'nginx', h2: 'nginx', h3: 'caddy'} as const;
const PATH = {rateBps: 10e6, rttMs: 60};

interface Captured {
  readonly load: CapturedLoad;
  readonly page: PageSnapshot;
  readonly exchanges: readonly (number | undefined)[];
}

/** A computed load as a capture at the client shows it. */
async function captured(pane: keyof typeof PANES, settings: object, page = 'gallery', more = {}): Promise<Captured> {
  const document = {page, panes: [{...PANES[pane], ...more}], browser: 'chromium', server: SERVER[pane], ...settings};
  const parsed = parseScenario({certificate: 'site', ...document});
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  const snapshot = await openPage(parsed.scenario.page, join(import.meta.dirname, '../../fixtures/pages'));
  const addresses = snapshot.objects.map(({url, address}) => address ?? `https://www.interleave.test${url}`);
  const load = seenByClient(loadToExplain(snapshot, parsed.scenario, 7, 0), addresses);
  const objects = addresses.map(address => ({address}));
  return {load, page: snapshot, exchanges: exchangesOfObjects(load.exchanges, objects)};
}

function twinOf({load, page, exchanges}: Captured): Twin {
  const compute = (scenario: Scenario) => loadToExplain(page, scenario, 1, 0);
  const fitted = fitTwin(load, {source: page.name, exchanges}, compute);
  if (!fitted.ok) throw new Error(fitted.message);
  return fitted.twin;
}

/** The page time of the twin divided by that of the capture, both from the first packet. */
function ratioOf({load}: Captured, {trace}: Twin): number {
  const real = Math.max(...load.exchanges.map(({completeNs}) => completeNs ?? 0));
  return (Math.max(...trace.objects.map(({completeNs}) => completeNs ?? 0)) - firstPacketNs(trace)) / real;
}

describe('the path', () => {
  test.each([
    ['h1', 1e6, 100],
    ['h2', 5e6, 30],
    ['h3', 50e6, 200],
    ['h2', 20e6, 20],
  ] as const)('of a load by %s has the rate of %s bit/s and the RTT of %s ms', async (pane, rateBps, rttMs) => {
    const fit = fitPath((await captured(pane, {path: {rateBps, rttMs, loss: 0.02}}, 'today')).load);
    expect((fit?.downBps ?? 0) / rateBps).toBeCloseTo(1, 1.5);
    expect((fit?.rttNs ?? 0) / 1e6 / rttMs).toBeCloseTo(1, 1.5);
  });

  test('has the rate of the way up if large packets take long there, and no such rate otherwise', async () => {
    const slow = fitPath((await captured('h2', {path: {rateBps: {down: 10e6, up: 1e6}, rttMs: 60}})).load);
    expect((slow?.upBps ?? 0) / 1e6).toBeCloseTo(1, 1);
    expect(fitPath((await captured('h2', {path: PATH})).load)?.upBps).toBeNull();
  });
});

describe('a twin', () => {
  test.each(['h1', 'h2', 'h3'] as const)('of a load by %s without faults takes as long as the load', async pane => {
    const capture = await captured(pane, {path: PATH});
    const twin = twinOf(capture);
    expect(ratioOf(capture, twin)).toBeCloseTo(1, 1.5);
    expect([twin.lost.length, twin.assumed.policer, twin.assumed.windowBytes, twin.thinkNs]).toEqual([
      0,
      null,
      null,
      0,
    ]);
    expect(twin.scenario).toMatchObject({browser: 'chromium', server: SERVER[pane]});
  });

  test('loses the packets with the data that the capture lost', async () => {
    const capture = await captured('h2', {path: {...PATH, loss: 0.03}, seed: 7});
    const twin = twinOf(capture);
    expect(twin.lost.length).toBeGreaterThan(2);
    expect(twin.placed).toBe(twin.lost.length);
    expect(Math.abs(ratioOf(capture, twin) - 1)).toBeLessThan(0.05);
  });

  test('has the think time of the server', async () => {
    const capture = await captured('h2', {path: PATH, serverThinkMs: 250});
    const twin = twinOf(capture);
    expect(Math.abs(twin.thinkNs / 1e6 - 250)).toBeLessThan(5);
    expect(ratioOf(capture, twin)).toBeCloseTo(1, 1.5);
  });

  test('has the window of the capture, which is far below what the path could carry', async () => {
    const capture = await captured('h2', {path: PATH}, 'today', {sendBuffer: {bytes: 12_000}});
    const twin = twinOf(capture);
    expect(twin.assumed.windowBytes).toBe(12_000);
    expect(ratioOf(capture, twin)).toBeCloseTo(1, 1.5);
  });

  test('has a policer instead of the losses that it explains', async () => {
    const policer = {down: {rateBps: 1_500_000, burstBytes: 40_000}};
    const capture = await captured('h2', {path: {...PATH, policer}}, 'today');
    const twin = twinOf(capture);
    expect(Math.abs((twin.assumed.policer?.rateBps ?? 0) / 1.5e6 - 1)).toBeLessThan(0.2);
    expect(twin.scenario.path.loss.down).toMatchObject({rate: 0});
    expect(Math.abs(ratioOf(capture, twin) - 1)).toBeLessThan(0.1);
  });

  const explaining = 'of a load of %s at %s bit/s has the queue of %s packets that explains its losses';
  test.each([['gallery', 2e6, 10] as const])(explaining, testExplaining);
  test.each([['today', 5e6, 20] as const])(explaining, {tags: ['long']}, testExplaining);

  async function testExplaining(page: string, rateBps: number, packets: number): Promise<void> {
    const capture = await captured('h2', {path: {rateBps, rttMs: 100, queuePackets: {down: packets}}}, page);
    const twin = twinOf(capture);
    expect(twin.lost.length).toBeGreaterThan(4);
    expect(Math.abs((twin.assumed.queuePackets ?? 0) - packets)).toBeLessThan(2);
    expect(twin.scenario.path).toMatchObject({
      queuePackets: {down: twin.assumed.queuePackets},
      loss: {down: {rate: 0}},
    });
    expect(Math.abs(ratioOf(capture, twin) - 1)).toBeLessThan(0.1);
  }

  test('without losses by a full queue says how long the queue must be at least', async () => {
    const lossy = twinOf(await captured('h2', {path: {...PATH, loss: 0.03}, seed: 7}));
    expect(lossy.assumed.queuePackets).toBeNull();
    expect(lossy.leastQueuePackets).toBeGreaterThan(3);
  });

  test('has the hosts of one site on one connection if the capture shows that', async () => {
    expect(twinOf(await captured('h2', {path: PATH}, 'today')).scenario.certificate).toBe('site');
    expect(twinOf(await captured('h2', {path: PATH, certificate: 'host'}, 'today')).scenario.certificate).toBe('host');
  });

  test('needs packets over TCP or QUIC that were captured at the client', async () => {
    const {load, page, exchanges} = await captured('h2', {path: PATH});
    const fitted = (other: Partial<CapturedLoad>) =>
      fitTwin({...load, ...other}, {source: page.name, exchanges}, () => expect.fail('nothing is computed'));
    expect(fitted({seenAt: 'server'})).toEqual({
      ok: false,
      message: 'a twin needs packets that were captured at the client',
    });
    expect(fitted({pipeline: 'sctp'})).toMatchObject({ok: false, message: expect.stringMatching(/TCP or QUIC/)});
    expect(fitted({packets: []})).toMatchObject({ok: false, message: expect.stringMatching(/has none/)});
    expect(fitted({packets: load.packets.slice(0, 3)})).toMatchObject({message: expect.stringMatching(/too few/)});
  });
});
