import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {Json} from '../../app/base/json.ts';
import {parseScenario, type Scenario} from '../../app/run/scenario/scenario.ts';
import {anyScenario} from '../../app/run/scenario/testing/anyScenario.ts';
import {Trace} from '../../app/run/trace/trace.ts';
import type {CauseName} from '../../app/run/why/causeKinds.ts';
import {causeTotals, nsOf, sumNs} from '../../app/run/why/causeTotals.ts';
import {completeTarget, criticalPath} from '../../app/run/why/criticalPath.ts';
import {whyOptionsOf} from '../../app/run/why/whyOptions.ts';
import {targetOf, type WhyMetric} from '../../app/run/why/whyTarget.ts';
import {runDocument} from '../workers/testing/runs.ts';

function scenarioOf(document: Json): Scenario {
  const parsed = parseScenario(document);
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return parsed.scenario;
}

/** Returns the time of causes on the critical path to the end of the first pane's load, in ms. */
function msOf(document: Json, ...causes: readonly CauseName[]): number {
  return msOfMetric(document, {kind: 'finish'}, causes);
}

function msOfMetric(document: Json, metric: WhyMetric, causes: readonly CauseName[]): number {
  const [data] = runDocument(document).panes;
  if (data === undefined) throw new Error('no pane');
  const trace = new Trace(data);
  const options = whyOptionsOf(scenarioOf(document), 0);
  const found = targetOf(trace, metric, options);
  if (!found.ok) throw new Error(found.why);
  const totals = causeTotals(criticalPath(trace, found.target, options));
  return causes.reduce((sum, cause) => sum + nsOf(totals, cause), 0) / 1e6;
}

function urlOfLast(document: Json): string {
  return runDocument(document).panes[0]?.objects.at(-1)?.url ?? '';
}

/** Returns columns without rows. */
function emptied<T extends object>(columns: T): T {
  return Object.fromEntries(Object.entries(columns).map(([name, values]) => [name, values.slice(0, 0)])) as T;
}

describe('the critical path of every object of any load', () => {
  /** Checks all paths of a run, and returns how many there are. */
  function checkPaths(document: Json): number {
    let paths = 0;
    for (const [pane, data] of runDocument(document).panes.entries()) {
      const trace = new Trace(data);
      const options = whyOptionsOf(scenarioOf(document), pane);
      for (const object of trace.objects.keys()) {
        const target = completeTarget(trace, object);
        if (target === null) continue;
        const spans = criticalPath(trace, target, options);
        const gaps = spans.filter(({fromNs}, i) => fromNs !== (spans[i - 1]?.untilNs ?? 0));
        const empty = spans.filter(({fromNs, untilNs}) => untilNs <= fromNs);
        const unknown = spans.filter(({cause}) => cause === 'unknown' || cause === 'transit');
        const wrong = {object, gaps, empty, unknown, sumNs: sumNs(causeTotals(spans))};
        expect(wrong).toEqual({object, gaps: [], empty: [], unknown: [], sumNs: target.atNs});
        paths += 1;
      }
    }
    return paths;
  }

  test('has no gap and no overlap, and adds up to the time of the object, to the nanosecond', () => {
    let paths = 0;
    fc.assert(
      fc.property(anyScenario, document => {
        fc.pre(parseScenario(document).ok);
        paths += checkPaths(document);
      }),
      {numRuns: 20},
    );
    expect(paths).toBeGreaterThan(50);
  });

  test('has no gap and no overlap, also if the client moves to another path in the middle of the load', () => {
    let paths = 0;
    const handover = fc.oneof(fc.constant(true), fc.record({noticeMs: fc.integer({min: 0, max: 2000})}));
    const change = fc.record({
      atMs: fc.integer({min: 1, max: 3000}),
      path: fc.record({
        handover,
        rttMs: fc.integer({min: 1, max: 300}),
        loss: fc.double({min: 0, max: 0.1, noNaN: true}),
      }),
    });
    const pane = fc.constantFrom(...MOVING);
    fc.assert(
      fc.property(
        pane,
        fc.array(change, {minLength: 1, maxLength: 3}),
        fc.nat(1000),
        fc.integer({min: 0, max: 100}),
        (pane, changes, seed, dnsMs) => {
          const page = {synthetic: {indexBytes: 4000, objects: 10, objectBytes: 30_000}};
          paths += checkPaths({page, path: {rateBps: 2e6, rttMs: 60, loss: 0.01}, panes: [pane], changes, seed, dnsMs});
        },
      ),
      {numRuns: 30},
    );
    expect(paths).toBeGreaterThan(200);
  });
});

/** Panes whose client can move to another path. */
const MOVING: readonly Json[] = [
  {pipeline: 'h3', profile: 'modern'},
  {pipeline: 'h3', profile: 'modern', congestion: 'bbr'},
  {pipeline: 'h2', profile: 'modern', browser: 'chromium'},
  {pipeline: 'tcp', connections: 6, pipelining: false, tls: true},
  {pipeline: 'tcp'},
  {pipeline: 'sctp', streams: 5},
];

describe('each cause has the time that the scenario gives it', () => {
  const page = {synthetic: {indexBytes: 2000, objects: 0, objectBytes: 0}};
  const path = {rateBps: 1e6, rttMs: 100, loss: 0};
  const one = {page, path, panes: [{pipeline: 'tcp'}]};

  test('one object needs one round trip for the set-up and one for itself', () => {
    expect(msOf(one, 'propagation')).toBeCloseTo(100, 6);
    // the handshake's packets of 40 to 60 bytes are serialised, too
    expect(msOf(one, 'set-up')).toBeGreaterThan(100);
    expect(msOf(one, 'set-up')).toBeLessThan(102);
  });

  test('serialisation is the bits of the response divided by the rate', () => {
    const bits = msOf(one, 'own-bytes') * 1e3;
    expect(bits).toBeGreaterThan(8 * 2000);
    expect(bits).toBeLessThan(8 * 3000);
  });

  test('the think time of the server is the time of the cause server', () => {
    expect(msOf({...one, serverThinkMs: 70}, 'server')).toBeCloseTo(70, 6);
    expect(msOf(one, 'server')).toBe(0);
  });

  test('the server also thinks about a request that arrives with the end of the SCTP handshake', () => {
    const early = {...one, panes: [{pipeline: 'sctp', profile: 'modern'}], serverThinkMs: 70};
    expect(msOf(early, 'server')).toBeCloseTo(70, 6);
  });

  test('the look-up of the address takes the time that the scenario gives it', () => {
    expect(msOf({...one, dnsMs: 40}, 'dns')).toBeCloseTo(40, 6);
  });

  test('TLS has a round trip of its own', () => {
    const tls = msOf({...one, panes: [{pipeline: 'tcp', tls: true}]}, 'tls');
    expect(tls).toBeGreaterThan(100);
    expect(tls).toBeLessThan(180);
  });

  test.each(['udp', 'catp'])('a lost request over %s is recovered by the timer of the client', pipeline => {
    const lost = {packets: [0], applies: 'data'};
    const path = {rateBps: 1_000_000, rttMs: 100, loss: {up: lost, down: 0}};
    const page = {synthetic: {objects: 1, objectBytes: 5000}};
    const document = {page, path, panes: [{pipeline}]};
    const late = msOf(document, 'recovery-timeout');
    expect(late).toBeGreaterThan(500);
    expect(msOf(document, 'pacing')).toBeLessThan(20);
    expect(msOf({...document, path: {...path, loss: 0}}, 'recovery-timeout')).toBe(0);
  });

  test.each(['udp', 'catp'])('over %s, no request waits behind one that asks for missing data', pipeline => {
    for (const seed of [3, 6, 9]) {
      const path = {rateBps: 1_000_000, rttMs: 100, loss: {up: 0.3, down: 0.1}};
      const document = {page: 'gallery', seed, path, panes: [{pipeline}]};
      const [data] = runDocument(document).panes;
      if (data === undefined) throw new Error('no pane');
      const trace = new Trace(data);
      for (const object of trace.objects.keys()) {
        const target = completeTarget(trace, object);
        const path = target === null ? [] : criticalPath(trace, target, whyOptionsOf(scenarioOf(document), 0));
        expect(path.filter(({cause, direction}) => cause === 'blocking' && direction === 'up')).toEqual([]);
      }
    }
  });

  test('a repeated SYN ACK does not hide the handshake of TLS', () => {
    const page = {synthetic: {objects: 1, objectBytes: 5000}};
    const path = {rateBps: 1_000_000, rttMs: 100, duplicate: {down: 1}};
    const document = {page, path, panes: [{pipeline: 'tcp', tls: true}]};
    expect(msOf(document, 'tls')).toBeCloseTo(msOf({...document, path: {...path, duplicate: null}}, 'tls'), 6);
  });

  test('a lost packet costs recovery, and pictures whose data has arrived wait behind it', () => {
    const page = {synthetic: {indexBytes: 500, objects: 10, objectBytes: 6000}};
    const many = (...packets: readonly number[]): Json => ({
      ...one,
      page,
      path: {...path, loss: packets.length === 0 ? 0 : {packets, applies: 'data'}},
    });
    const recovery = ['recovery-ack', 'recovery-probe', 'recovery-timeout'] as const;
    expect(msOf(many(), ...recovery, 'blocking')).toBe(0);
    // the page has 45 packets of data; the last picture has the last five
    expect(msOf(many(44), ...recovery)).toBeGreaterThan(0);
    // a packet of the last picture but one is lost
    const lossy = many(38);
    const last: WhyMetric = {kind: 'object', url: urlOfLast(lossy)};
    expect(msOfMetric(lossy, last, ['blocking'])).toBeGreaterThan(50);
    // over SCTP with a stream for each picture, no picture waits for data of another one
    const sctp = {...(lossy as object), panes: [{pipeline: 'sctp', streams: 10}]};
    expect(msOfMetric(sctp, last, ['blocking'])).toBe(0);
  });

  test.each([
    ['a response', {visit: 'again', drop: {down: {packets: [1]}}}],
    ['a request in early data', {visit: 'again', drop: {up: {packets: [1]}}}],
    ['a request in early data before the ClientHello', {visit: 'again', drop: {up: {packets: [0, 1]}}}],
    ['a response before a packet that is lost twice', {visit: 'again', drop: {down: {packets: [1, 8, 9]}}}],
    ['a request', {visit: 'first', drop: {up: {packets: [4]}}}],
  ])(
    'over QUIC, what arrives before a lost packet of the handshake waits for the set-up, and for nothing else: %s',
    (_, lossy) => {
      const pane = {pipeline: 'h3', profile: 'modern'};
      const document = {...one, panes: [{...pane, ...lossy}]};
      const recovery = ['recovery-ack', 'recovery-probe', 'recovery-timeout'] as const;
      const [set, waited] = [msOf(document, 'set-up'), msOf(document, 'set-up', ...recovery)];
      const clean = msOf({...document, panes: [{...pane, visit: lossy.visit}]}, 'set-up');
      expect(waited - clean).toBeGreaterThan(200);
      expect(waited - set).toBeGreaterThan(100);
      expect(msOf(document, 'server', 'blocking', 'window', 'slow-start', 'pacing')).toBeLessThan(1);
      // the propagation of the packets does not count as waiting
      expect(msOf(document, 'propagation')).toBeCloseTo(100, 6);
    },
  );

  describe('in a recorded load, data that was read late did not wait for the set-up', () => {
    const packets38 = {packets: [38], applies: 'data'};
    const page = {synthetic: {indexBytes: 500, objects: 10, objectBytes: 6000}};
    const again = {pipeline: 'h3', profile: 'modern', visit: 'again', drop: {up: {packets: [1]}}};

    test.each([
      ['because earlier data was lost', 'client', {...one, page, path: {...path, loss: packets38}}],
      ['because its keys were missing', 'server', {...one, panes: [again]}],
    ] as const)('%s', (_, seenAt, document) => {
      const [data] = runDocument(document).panes;
      if (data === undefined) throw new Error('no pane');
      const {blocked, samples} = data;
      const trace = new Trace({...data, blocked: emptied(blocked), samples: emptied(samples)});
      const target = completeTarget(trace, trace.objects.length - 1);
      if (target === null) throw new Error('not complete');
      const spans = criticalPath(trace, target, {...whyOptionsOf(scenarioOf(document), 0), seenAt});
      expect(spans.filter(({cause, direction}) => cause === 'set-up' && direction !== null)).toEqual([]);
    });
  });

  test('a hand-over costs the time until the client asks again, and over QUIC only the time of what was lost', () => {
    const page = {synthetic: {indexBytes: 2000, objects: 1, objectBytes: 400_000}};
    const moves = (pane: Json, noticeMs: number): Json => ({
      page,
      path: {rateBps: 2e6, rttMs: 100},
      panes: [pane],
      changes: [{atMs: 1000, path: {handover: {noticeMs}}}],
    });
    const h2 = {pipeline: 'h2', profile: 'modern'};
    const h3 = {pipeline: 'h3', profile: 'modern'};
    // the part of the picture that arrived over the old connection is lost
    const asked = 1000 - msOf(moves(h2, 0), 'hand-over');
    expect(asked).toBeGreaterThan(300);
    expect(asked).toBeLessThan(600);
    expect(msOf(moves(h2, 500), 'hand-over')).toBeCloseTo(1500 - asked, 6);
    const followed = msOf(moves(h3, 500), 'hand-over');
    expect(followed).toBe(msOf(moves(h3, 0), 'hand-over'));
    // the server learns the new address after half of a round trip
    expect(followed).toBeGreaterThan(49);
    expect(followed).toBeLessThan(400);
    expect(msOf({...(moves(h3, 0) as object), changes: []}, 'hand-over')).toBe(0);
  });

  test('an object that is requested on a new connection after a hand-over waits for the set-up and for TLS', () => {
    const page = {synthetic: {indexBytes: 500, objects: 3, objectBytes: 60_000}};
    const pane = {pipeline: 'tcp', profile: 'modern', connections: 1, pipelining: false, tls: true, earlyData: false};
    const document = {
      page,
      path: {rateBps: 2e6, rttMs: 100},
      panes: [pane],
      changes: [{atMs: 600, path: {handover: true}}],
    };
    const still = {...document, changes: []};
    // the last picture had not been requested before the hand-over
    const last: WhyMetric = {kind: 'object', url: urlOfLast(document)};
    for (const cause of ['set-up', 'tls'] as const) {
      const more = msOfMetric(document, last, [cause]) - msOfMetric(still, last, [cause]);
      expect(more, cause).toBeGreaterThan(95);
      expect(more, cause).toBeLessThan(125);
    }
  });

  test('a hand-over during the handshake costs the time until the client connects again', () => {
    const page = {synthetic: {indexBytes: 2000, objects: 0, objectBytes: 0}};
    const changes = [{atMs: 30, path: {handover: {noticeMs: 20}}}];
    expect(msOf({page, path, panes: [{pipeline: 'tcp'}], changes}, 'hand-over')).toBeCloseTo(50, 6);
  });
});

describe('a browser', () => {
  const path = {rateBps: 10_000_000, rttMs: 100, loss: 0};
  const of = (browser: string, pane: object, more: object = {}): Json =>
    ({page: 'gallery', path, browser, panes: [pane], ...more}) as Json;

  test('needs time before it connects, before it reads the HTML, and until its first requests leave it', () => {
    for (const pane of [{pipeline: 'h2'}, {pipeline: 'tcp', tls: true, connections: 6, pipelining: false}]) {
      // time during which the HTML still arrives does not count as time of scripts
      for (const [browser, ms, sendMs] of [
        ['chromium', 8 + 6.6, 9],
        ['firefox', 7 + 28, 33],
      ] as const) {
        if (pane.pipeline === 'h2') expect(msOf(of(browser, pane), 'request-queue')).toBeCloseTo(sendMs, 3);
        const scripts = msOf(of(browser, pane), 'scripts');
        expect(scripts, browser).toBeGreaterThan(ms - 3);
        expect(scripts, browser).toBeLessThan(ms + 0.001);
      }
      expect(msOf(of('plain', pane), 'scripts')).toBe(0);
    }
  });

  test('looks up no address for bare datagrams', () => {
    expect(msOf(of('chromium', {pipeline: 'udp'}, {dnsMs: 50}), 'dns')).toBe(0);
    expect(msOf(of('chromium', {pipeline: 'h2'}, {dnsMs: 50}), 'dns')).toBe(50);
  });

  test('waits behind no lost packet if none was lost, even when it waits for the rest of a TLS record', () => {
    for (const server of ['plain', 'nginx'])
      expect(msOf(of('chromium', {pipeline: 'h2', profile: 'modern'}, {server}), 'blocking'), server).toBe(0);
  });
});

describe.each([{pipeline: 'tcp', connections: 6, pipelining: false}, {pipeline: 'h2'}])(
  'a second connection because the first one is not established: %o',
  pane => {
    const document = (path: object): Json => ({
      page: 'gallery',
      browser: 'chromium',
      server: 'nginx',
      dnsMs: 60,
      path: {rateBps: 10_000_000, rttMs: 100, ...path},
      panes: [{...pane, profile: 'modern', tls: true}],
    });
    const byHtml = (path: object, cause: CauseName): number => {
      const [data] = runDocument(document(path)).panes;
      if (data === undefined) throw new Error('no pane');
      const [trace, options] = [new Trace(data), whyOptionsOf(scenarioOf(document(path)), 0)];
      const target = completeTarget(trace, 0);
      return target === null ? Number.NaN : nsOf(causeTotals(criticalPath(trace, target, options)), cause) / 1e6;
    };

    test('a lost SYN costs the time until the second connection is opened', () => {
      const lossy = {loss: {up: {packets: [0]}, down: 0}};
      expect(byHtml(lossy, 'recovery-timeout')).toBe(250);
      expect(byHtml(lossy, 'dns')).toBe(60);
      expect(byHtml(lossy, 'request-wait')).toBe(byHtml({loss: 0}, 'request-wait'));
    });
  },
);
