import {expect, test} from 'vitest';
import type {Json} from '../../app/base/json.ts';
import {syntheticPage} from '../../app/page/synthetic.ts';
import {parseScenario, type Scenario} from '../../app/run/scenario/scenario.ts';
import {smallTrace} from '../../app/run/trace/testing/smallTrace.ts';
import {Trace} from '../../app/run/trace/trace.ts';
import {type Intervened, interventionsOf} from '../../app/run/why/interventions.ts';
import {pagePath} from '../../app/run/why/loadPaths.ts';
import {whyOptionsOf} from '../../app/run/why/whyOptions.ts';
import {takeSnapshot} from '../pages/base/pageSnapshot.ts';
import {intervened} from './interventions.ts';
import {loadToExplain} from './load.ts';

const MS = 1e6;

interface Tried extends Intervened {
  readonly totalNs: number;
}

/** The interventions of a load with one pane; none if the load is not complete. */
function triedOf(document: Json): readonly Tried[] {
  const scenario = scenarioOf(document);
  if (scenario.page.kind !== 'synthetic') throw new Error('the page is not synthetic');
  const page = takeSnapshot(syntheticPage(scenario.page), []);
  const trace = new Trace(loadToExplain(page, scenario, scenario.seed, 0));
  const path = pagePath(trace, whyOptionsOf(scenario, 0));
  const totalNs = path?.at(-1)?.untilNs ?? 0;
  if (path === null) return [];
  const load = {scenario, pane: 0, trace, path, metric: {kind: 'finish'} as const};
  return intervened(page, load).map(each => ({...each, totalNs}));
}

function scenarioOf(document: Json): Scenario {
  const parsed = parseScenario(document);
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return parsed.scenario;
}

const PAGE = {synthetic: {objects: 4, objectBytes: 6000}};
const named = (tried: readonly Tried[], name: string) => tried.find(each => each.name === name);

test('delivering a lost request saves the timeout that was attributed to it', () => {
  const path = {rateBps: 1_000_000, rttMs: 100, loss: {up: {packets: [0], applies: 'data'}, down: 0}};
  const lost = named(triedOf({page: PAGE, path, panes: [{pipeline: 'tcp', tls: false}]}), 'lost-packet');
  expect(lost?.label).toBe('data packet 0 from the browser arrives');
  expect(lost?.causes).toEqual(['recovery-timeout']);
  expect(lost?.attributedNs).toBeGreaterThan(900 * MS);
  expect(Math.abs((lost?.savedNs ?? 0) - (lost?.attributedNs ?? 0))).toBeLessThan(20 * MS);
});

test('without loss, taking away the think time or the look-up saves what was attributed to it', () => {
  const document = {page: {synthetic: {objects: 0}}, dnsMs: 40, serverThinkMs: 70, panes: [{pipeline: 'h2'}]};
  const tried = triedOf(document);
  expect(named(tried, 'dns')).toMatchObject({attributedNs: 40 * MS, savedNs: 40 * MS});
  const server = named(tried, 'server');
  expect(server?.attributedNs).toBe(70 * MS);
  expect(Math.abs((server?.savedNs ?? 0) - 70 * MS)).toBeLessThan(MS);
});

test('causes without time, and causes that nothing can take away, have no intervention', () => {
  const names = triedOf({page: PAGE, panes: [{pipeline: 'sctp', tls: false}]}).map(({name}) => name);
  expect(names).toEqual(['set-up', 'window', 'objects-first']);
  const quic = triedOf({page: PAGE, panes: [{pipeline: 'h3'}]}).map(({name}) => name);
  expect(quic.slice(0, 2)).toEqual(['set-up', 'window']);
  // a server of datagrams has no window
  expect(triedOf({page: PAGE, panes: [{pipeline: 'udp'}]}).map(({name}) => name)).not.toContain('window');
});

const HANDSHAKES = [
  ['tcp', {tls: false}, 1],
  ['h2', {}, 1],
  ['sctp', {tls: false}, 1],
  // the handshakes of DTLS and SCTP
  ['sctp', {tls: true}, 2],
] as const;

test.each(HANDSHAKES)('without the handshake of %s %o, %i round trips are saved', (pipeline, settings, roundTrips) => {
  const path = {rateBps: 10_000_000, rttMs: 200};
  const document = {page: {synthetic: {objects: 0}}, path, panes: [{pipeline, profile: 'modern', ...settings}]};
  const setUp = named(triedOf(document), 'set-up');
  expect(setUp).toMatchObject({causes: ['set-up'], assumption: 'free-set-up'});
  expect(Math.abs((setUp?.savedNs ?? 0) / MS - 200 * roundTrips)).toBeLessThan(10);
  expect(Math.abs((setUp?.attributedNs ?? 0) / MS - 200 * roundTrips)).toBeLessThan(10);
});

test('without the handshake, the timeout of a lost SYN is saved, too, and all other packets keep their fates', () => {
  const lost = (up: readonly number[]) => ({rateBps: 1_000_000, rttMs: 100, loss: {up: {packets: up}, down: 0}});
  const setUp = (up: readonly number[]) =>
    named(triedOf({page: PAGE, path: lost(up), panes: [{pipeline: 'tcp', tls: false}]}), 'set-up');
  const syn = setUp([0]);
  expect(syn?.causes).toEqual(['recovery-timeout', 'set-up']);
  expect(syn?.attributedNs).toBeGreaterThan(3000 * MS);
  expect(Math.abs((syn?.savedNs ?? 0) - (syn?.attributedNs ?? 0))).toBeLessThan(100 * MS);
  // the first request is packet 2, after SYN and ACK; it is lost in both loads
  const request = setUp([2]);
  expect(Math.abs((request?.savedNs ?? 0) - (request?.attributedNs ?? 0))).toBeLessThan(MS);
});

test.each(['tcp', 'h2', 'h3', 'sctp'])(
  'without limits of the window, %s sends a large object in one flight',
  pipeline => {
    const page = {synthetic: {objects: 1, objectBytes: 400_000}};
    const path = {rateBps: 100_000_000, rttMs: 300};
    const pane = {pipeline, profile: 'modern', sendBuffer: {bytes: 20_000}};
    const tried = triedOf({page, path, panes: [pane]});
    const window = named(tried, 'window');
    const leftNs = (window?.totalNs ?? 0) - (window?.savedNs ?? 0);
    // handshakes, HTML, and the object with 32 ms of serialisation
    expect(leftNs / MS).toBeLessThan(1 + (pipeline === 'h2' ? 4 : 3) * 300 + 80);
    expect((window?.totalNs ?? 0) / MS).toBeGreaterThan(5000);
    // a large send buffer alone would leave the window in slow start
    expect(window?.savedNs).toBeGreaterThan(named(tried, 'send-buffer')?.savedNs ?? 0);
    // the intervention on the window also takes away what the small buffer causes
    expect(window?.causes).toEqual(['slow-start', 'window', 'recovery-window', 'pacing', 'server']);
    expect(window?.attributedNs).toBeGreaterThan(named(tried, 'send-buffer')?.attributedNs ?? 0);
    const unbuffered = named(triedOf({page, path, panes: [{pipeline, profile: 'modern'}]}), 'window');
    expect(unbuffered?.causes).toEqual(['slow-start', 'window', 'recovery-window', 'pacing']);
  },
);

test.each(['h2', 'h3'])('without limits of the window, %s with BBR saves about what was attributed', pipeline => {
  const page = {synthetic: {objects: 4, objectBytes: 15_000}};
  const panes = [{pipeline, profile: 'modern', congestion: 'bbr'}];
  const window = named(triedOf({page, path: {rateBps: 3_000_000, rttMs: 200}, panes}), 'window');
  const difference = (window?.savedNs ?? 0) - (window?.attributedNs ?? 0);
  expect(Math.abs(difference)).toBeLessThan(0.05 * (window?.totalNs ?? 0));
});

test('the intervention no-loss takes away losses of the path, but not drops of the queue', () => {
  const page = {synthetic: {objects: 1, objectBytes: 30_000}};
  const path = {rateBps: 1_000_000, rttMs: 100, queuePackets: 4};
  const noLoss = (loss: Json) =>
    named(triedOf({page, path: {...path, loss}, panes: [{pipeline: 'tcp', tls: false}]}), 'no-loss');
  // the queue drops packets, which cost a timeout, but there is no loss to take away
  expect(noLoss(0)).toBeUndefined();
  // the path loses the request, after SYN and ACK
  const lost = noLoss({up: {packets: [2]}, down: 0});
  expect(lost?.causes).toEqual(['recovery-timeout']);
  expect(lost?.attributedNs).toBeGreaterThan(990 * MS);
  expect(lost?.attributedNs).toBeLessThan(1050 * MS);
  expect(Math.abs((lost?.savedNs ?? 0) - (lost?.attributedNs ?? 0))).toBeLessThan(50 * MS);
  expect(lost?.totalNs).toBeGreaterThan(3000 * MS);
});

test('taking away the policers of a path saves time, and only paths with policers have this intervention', () => {
  const page = {synthetic: {objects: 1, objectBytes: 200_000}};
  const path = {rateBps: 4_000_000, rttMs: 100};
  const policer = {rateBps: 1_000_000, burstBytes: 10_000};
  const panes = [{pipeline: 'tcp', profile: 'modern'}];
  const names = triedOf({page, path, panes}).map(({name}) => name);
  expect(names).not.toContain('policer');
  const policed = named(triedOf({page, path: {...path, policer}, panes}), 'policer');
  expect(policed?.scenario.path.policer).toBeUndefined();
  expect(policed?.savedNs).toBeGreaterThan(500 * MS);
  const later = named(triedOf({page, path, panes, changes: [{atMs: 0, path: {policer}}]}), 'policer');
  expect(later?.savedNs).toBe(policed?.savedNs);
});

test('a client that keeps its address saves about what is attributed to the hand-over', () => {
  const handOver = (pane: Json) => {
    const page = {synthetic: {objects: 1, objectBytes: 400_000}};
    const changes = [{atMs: 1000, path: {handover: {noticeMs: 800}}}];
    return named(triedOf({page, path: {rateBps: 2_000_000, rttMs: 50}, panes: [pane], changes}), 'hand-over');
  };
  const dead = handOver({pipeline: 'h2', profile: 'modern'});
  expect(dead?.label).toBe('the client keeps its address');
  expect(dead?.attributedNs).toBeGreaterThan(1000 * MS);
  // the new connection also needs a handshake
  expect((dead?.savedNs ?? 0) - (dead?.attributedNs ?? 0)).toBeGreaterThan(50 * MS);
  expect((dead?.savedNs ?? 0) - (dead?.attributedNs ?? 0)).toBeLessThan(300 * MS);
  const followed = handOver({pipeline: 'h3', profile: 'modern'});
  expect(followed?.savedNs).toBeGreaterThan(0);
  expect(followed?.savedNs).toBeLessThan((dead?.savedNs ?? 0) / 2);
});

test('panes that share their path have no interventions', () => {
  const scenario = scenarioOf({
    page: PAGE,
    path: {atOnce: true},
    panes: [{pipeline: 'tcp', tls: true}, {pipeline: 'h3'}],
  });
  const span = {cause: 'tls', fromNs: 0, untilNs: MS, object: 0, direction: null} as const;
  expect(interventionsOf(scenario, 0, new Trace(smallTrace()), [span])).toEqual([]);
});

test('attribution and intervention agree within a tenth of the page time in the required share of loads', () => {
  const agreed = agreementOf(randomLoads(() => ({})));
  expect([...agreed.keys()].sort()).toEqual(Object.keys(LEAST_AGREEING).sort());
  expectToAgree(agreed, LEAST_AGREEING);
});

test('with a policer or a small send buffer, attribution and intervention agree in the required share of loads', {
  tags: ['long'],
}, () => {
  const policed = randomLoads(({between}) => ({
    path: {policer: {rateBps: between(200_000, 2_000_000), burstBytes: between(5000, 40_000)}},
  }));
  expectToAgree(agreementOf(policed), {'policer, no loss': 65, 'policer, loss': 40, 'no-loss, loss': 40});
  const buffered = randomLoads(({between}) => ({pane: {sendBuffer: {bytes: between(1500, 20_000)}}}));
  const least = {'send-buffer, no loss': 80, 'send-buffer, loss': 45, 'window, no loss': 95, 'window, loss': 75};
  expectToAgree(agreementOf(buffered), {...least, 'server, no loss': 95, 'server, loss': 65});
});

interface RandomLoad {
  readonly loss: number;
  readonly document: Json;
}

interface Dice {
  readonly oneOf: <T>(values: readonly T[]) => T;
  readonly between: (from: number, to: number) => number;
}

/** The documents of 120 random loads. `more` adds settings of the path and of the pane. */
function randomLoads(more: (dice: Dice) => {readonly path?: object; readonly pane?: object}): readonly RandomLoad[] {
  const random = randomNumbers();
  const oneOf = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const between = (from: number, to: number): number => Math.round(from + random() * (to - from));
  return Array.from({length: 120}, (_, i) => {
    const loss = oneOf([0, 0, 0.01, 0.05]);
    const page = {synthetic: {objects: between(2, 14), objectBytes: between(2000, 22_000)}};
    const times = {serverThinkMs: oneOf([0, 30, 60]), dnsMs: oneOf([0, 40])};
    const path = {rateBps: between(200_000, 4_000_000), rttMs: between(20, 320), loss};
    const pane = {pipeline: oneOf(['tcp', 'h2', 'h3', 'sctp']), profile: oneOf(['classic', 'modern'])};
    const {path: morePath, pane: morePane} = more({oneOf, between});
    const document = {page, seed: 1 + i, ...times, path: {...path, ...morePath}, panes: [{...pane, ...morePane}]};
    return {loss, document: document as Json};
  });
}

interface Agreement {
  readonly all: number;
  readonly close: number;
}

/** How often each intervention was tried, and how often it saved what was attributed, within a tenth of the page time. */
function agreementOf(loads: readonly RandomLoad[]): ReadonlyMap<string, Agreement> {
  const agreed = new Map<string, Agreement>();
  for (const {loss, document} of loads) {
    for (const {name, attributedNs, savedNs, totalNs} of triedOf(document)) {
      const key = `${name}, ${loss === 0 ? 'no loss' : 'loss'}`;
      const {all, close} = agreed.get(key) ?? {all: 0, close: 0};
      const isClose = savedNs !== null && Math.abs(savedNs - attributedNs) <= 0.1 * totalNs;
      agreed.set(key, {all: all + 1, close: close + (isClose ? 1 : 0)});
    }
  }
  return agreed;
}

function expectToAgree(agreed: ReadonlyMap<string, Agreement>, shares: {readonly [key: string]: number}): void {
  for (const [key, least] of Object.entries(shares)) {
    const {all, close} = agreed.get(key) ?? {all: 0, close: 0};
    expect(all, key).toBeGreaterThanOrEqual(9);
    expect((100 * close) / all, key).toBeGreaterThanOrEqual(least);
  }
}

/**
 * The smallest allowed share of loads in which the two agree, in %. docs/why.md has the measured shares, which are
 * larger, and says why they are not 100 %.
 */
const LEAST_AGREEING: {readonly [key: string]: number} = {
  'dns, no loss': 100,
  'dns, loss': 100,
  'set-up, no loss': 95,
  'set-up, loss': 80,
  'tls, no loss': 80,
  'tls, loss': 70,
  'server, no loss': 95,
  'server, loss': 70,
  'window, no loss': 95,
  'window, loss': 75,
  'objects-first, no loss': 35,
  'objects-first, loss': 10,
  'lost-packet, loss': 45,
  'no-loss, loss': 30,
};

/** Numbers from 0 to 1 that look random and are the same in every run (a linear congruential generator). */
function randomNumbers(): () => number {
  let state = 1;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}
