import {fileURLToPath} from 'node:url';
import {describe, expect, test} from 'vitest';
import {causeOf} from '../../app/run/cause/cause.ts';
import {causeSentence} from '../../app/run/cause/causeSentence.ts';
import {parseScenario} from '../../app/run/scenario/scenario.ts';
import type {Trace} from '../../app/run/trace/trace.ts';
import {openPage} from '../pages/openPage.ts';
import {traces} from '../workers/testing/runs.ts';
import {capture} from './load.ts';
import {readCapture, type WirePacket} from './testing/captured.ts';

// Compares the sentence about each lost data packet with the packets on the wire. The packets are read from the run's
// capture file. Bytes and TSNs are followed one by one, independently of the code in app/ that finds the causes.

const FIXTURES = fileURLToPath(new URL('../../fixtures/pages', import.meta.url));
const page = await openPage({kind: 'named', name: 'gallery'}, FIXTURES);

const SEEDS = Array.from({length: 20}, (_, i) => i + 1);
/** In some of these panes each object has its own stream, so that no object waits for another's data. */
const PANES = [
  {pipeline: 'tcp'},
  {pipeline: 'sctp'},
  {pipeline: 'sctp', streams: 3},
  {pipeline: 'sctp', idata: true, fragmentation: false},
];

describe.each(PANES)('%j', pane => {
  test('each sentence has the times of the packets on the wire', () => {
    const seen = {losses: 0, third: 0, timeout: 0, reported: 0, waited: 0, still: 0, requests: 0};
    for (const seed of SEEDS) {
      for (const each of losses(pane, seed)) {
        const {trace, wire, lost} = each;
        const cause = causeOf(trace, lost);
        if (cause === undefined) throw new Error(`packet ${lost} was lost`);
        const told = readSentence(causeSentence(trace, cause));
        const found = follow(each);
        const where = `seed ${seed}, packet ${lost}: ${causeSentence(trace, cause)}`;
        seen.losses += 1;
        expect(told.lost, where).toBe(moment(wire[lost]?.sentNs ?? 0));
        if (found.isNeedless) {
          expect(told.isNeedless, where).toBe(true);
          continue;
        }
        expect(told.there, where).toBe(found.arrivedNs === null ? undefined : moment(found.arrivedNs));
        if (told.third !== undefined) {
          expect(told.third, where).toBe(duration((found.thirdReportNs ?? 0) - found.lostNs));
          expect(found.thirdReportNs, where).toBe(found.againNs);
          seen.third += 1;
        }
        if (told.timeout !== undefined) {
          expect(told.timeout, where).toBe(duration((found.collapseNs ?? 0) - found.lostNs));
          seen.timeout += 1;
        }
        if (told.again !== undefined) {
          expect(told.again, where).toBe(duration((found.againNs ?? 0) - found.lostNs));
          seen.reported += 1;
        }
        if (told.isRequest) {
          seen.requests += 1;
          continue;
        }
        expect(told.waiting, where).toBe(found.waiting);
        expect(told.waited, where).toBe(found.waiting === 0 ? undefined : duration(found.longestWaitNs));
        if (found.waiting > 0) seen.waited += 1;
        if (told.pageStill !== undefined) {
          expect(told.pageStill, where).toBe(duration(found.pageStillNs));
          seen.still += 1;
        }
        if (told.ownStill !== undefined) expect(told.ownStill, where).toBe(duration(found.ownStillNs));
      }
    }
    // The comparison is useful only if there are enough losses of each kind.
    expect(seen.losses).toBeGreaterThan(60);
    expect(seen.third).toBeGreaterThan(30);
    expect(seen.timeout).toBeGreaterThan(1);
    expect(seen.requests).toBeGreaterThan(1);
    if ('streams' in pane || pane.pipeline === 'tcp') expect(seen.waited).toBeGreaterThan(3);
    else expect(seen.waited).toBe(0);
    expect(seen.reported).toBeGreaterThan(2);
  });
});

/** Loads the page. Returns each lost packet with data, together with all packets on the wire. */
function losses(pane: (typeof PANES)[number], seed: number) {
  const document = {page: 'gallery', seed, panes: [pane], path: {rateBps: 1_000_000, rttMs: 350, loss: 0.04}};
  const [trace] = traces(document) as [Trace];
  const parsed = parseScenario(document);
  if (!parsed.ok) throw new Error('the scenario is not valid');
  const wire = readCapture(capture(page, parsed.scenario, seed, 0), trace);
  expect(wire.length).toBe(trace.data.packets.sentNs.length);
  const arrivals = {down: arrivalsOf(wire, true), up: arrivalsOf(wire, false)};
  return wire.flatMap(({isLost, data}, lost) => {
    return isLost && data.length > 0 ? [{trace, wire, arrivals, lost}] : [];
  });
}

/** Follows the bytes or TSNs of a lost packet, using only the packets on the wire. */
function follow({trace, wire, arrivals, lost}: ReturnType<typeof losses>[number]) {
  const packet = wire[lost];
  if (packet === undefined) throw new Error('no such packet');
  const {data, fromServer, sentNs: lostNs} = packet;
  const cameAt = fromServer ? arrivals.down : arrivals.up;
  const latest = Math.max(...data.flatMap(({from, to}) => Array.from(cameAt.subarray(from, to))));
  const arrivedNs = latest === Number.POSITIVE_INFINITY ? null : latest;
  const endNs = arrivedNs ?? trace.data.endNs;
  const same = wire.filter(each => each.fromServer === fromServer);
  const copies = wire.slice(lost + 1).filter(each => {
    const isOf = each.data.some(({from, to}) => data.some(own => from < own.to && own.from < to));
    return each.fromServer === fromServer && isOf;
  });
  // Data waited for the lost packet if it is later in the stream and arrived before the lost data did.
  const holes = new Map<number, {readonly end: number; readonly toNs: number}>();
  for (const {from, to, stream} of data) {
    const own = Math.max(...cameAt.subarray(from, to));
    holes.set(stream, {end: to, toNs: Math.max(holes.get(stream)?.toNs ?? lostNs, Math.min(own, endNs))});
  }
  const waits = new Map<number, readonly [fromNs: number, toNs: number]>();
  for (const {isLost, cameNs, data: ranges} of same) {
    for (const {from, to, stream, object} of isLost ? [] : ranges) {
      const {end, toNs} = holes.get(stream) ?? {end: to, toNs: lostNs};
      const isNews = cameAt.subarray(Math.max(from, end), to).includes(cameNs);
      const fromNs = Math.max(cameNs, lostNs);
      if (!isNews || fromNs >= toNs) continue;
      const [first, last] = waits.get(object) ?? [fromNs, toNs];
      waits.set(object, [Math.min(first, fromNs), Math.max(last, toNs)]);
    }
  }
  const lostObjects = new Set(data.map(({object}) => object));
  for (const object of lostObjects) waits.delete(object);
  const againNs = copies[0]?.sentNs ?? null;
  return {
    lostNs,
    arrivedNs,
    againNs,
    isNeedless: arrivedNs !== null && !copies.some(each => !each.isLost && each.cameNs <= arrivedNs),
    thirdReportNs: againNs === null ? null : reportsOf(wire, lost, againNs)[2],
    collapseNs: againNs === null ? null : collapse(trace, wire, lost, againNs),
    waiting: waits.size,
    longestWaitNs: Math.max(...Array.from(waits.values(), ([from, to]) => to - from)),
    pageStillNs: endNs - lastGrowth(trace, null, lostNs, endNs),
    ownStillNs: endNs - Math.min(...Array.from(lostObjects, each => lastGrowth(trace, each, lostNs, endNs))),
  };
}

/** Returns the time at which each byte or TSN of one side first arrived, or Infinity if it never arrived. */
function arrivalsOf(wire: readonly WirePacket[], fromServer: boolean): Float64Array {
  const own = wire.filter(each => each.fromServer === fromServer);
  const ends = own.flatMap(({data}) => data.map(({to}) => to));
  const arrivals = new Float64Array(Math.max(0, ...ends)).fill(Number.POSITIVE_INFINITY);
  for (const {data, isLost, cameNs} of own) {
    for (const {from, to} of isLost ? [] : data) {
      for (let unit = from; unit < to; unit++) arrivals[unit] = Math.min(arrivals[unit] ?? cameNs, cameNs);
    }
  }
  return arrivals;
}

/**
 * Returns the arrival times of acknowledgements whose gap blocks report more data after the lost packet than the gap
 * blocks of any earlier acknowledgement.
 */
function reportsOf(wire: readonly WirePacket[], lost: number, untilNs: number): readonly number[] {
  const {fromServer = false, data = []} = wire[lost] ?? {};
  const highest = Math.max(...data.map(({to}) => to - 1));
  let most = 0;
  return wire
    .slice(lost + 1)
    .filter(each => each.fromServer !== fromServer && !each.isLost && each.cameNs <= untilNs)
    .sort((a, b) => a.cameNs - b.cameNs)
    .flatMap(({gaps, cumulative, cameNs}) => {
      if (cumulative === null || cumulative > highest) return [];
      const beyond = gaps.filter(([from]) => from > highest).reduce((sum, [from, to]) => sum + to - from, 0);
      if (beyond <= most) return [];
      most = beyond;
      return [cameNs];
    });
}

/**
 * Returns the time at which the sender's cwnd first fell to one packet after a loss while no packet arrived. This is
 * the time of a timeout (RFC 5681 §3.1, RFC 9260 §6.3.3). Null if there was no timeout.
 */
function collapse(trace: Trace, wire: readonly WirePacket[], lost: number, untilNs: number): number | null {
  const {samples, packets} = trace.data;
  const endpoint = packets.endpoint[lost];
  const lostNs = wire[lost]?.sentNs ?? 0;
  for (const [row, atNs] of samples.atNs.entries()) {
    const isIn = samples.endpoint[row] === endpoint && atNs > lostNs && atNs <= untilNs;
    const isOne = (samples.cwndBytes[row] ?? 0) <= 1500;
    const isQuiet = !packets.fateNs.some((fateNs, each) => fateNs === atNs && packets.endpoint[each] !== endpoint);
    if (isIn && isOne && isQuiet) return atNs;
  }
  return null;
}

/**
 * Returns the time at which the object `of` last grew before `toNs`, or `fromNs` if `fromNs` is later. If `of` is null,
 * the growth of any object counts.
 */
function lastGrowth({data}: Trace, of: number | null, fromNs: number, toNs: number): number {
  const {atNs, object} = data.deliveries;
  const times = Array.from(atNs).filter((ns, row) => ns < toNs && (of === null || object[row] === of));
  if (of !== null && times.length === 0) return toNs;
  return Math.max(fromNs, ...times);
}

const DURATION = '[\\d.]+ m?s';

function readSentence(sentence: string) {
  const find = (pattern: string): string | undefined => new RegExp(pattern).exec(sentence)?.[1];
  const waiting = find('Meanwhile ([^;]*) had arrived and waited');
  return {
    isNeedless: sentence.includes('The loss had no effect'),
    isRequest: /the browser’s request/.test(sentence),
    lost: find('^Lost at ([\\d.]+ s)'),
    there: find(', arrived at ([\\d.]+ s)'),
    third: find(`noticed after (${DURATION}) by three`),
    timeout: find(`noticed after (${DURATION}) by a timeout`),
    again: find(`sent again after (${DURATION}), when`),
    waiting: waiting === undefined ? 0 : countNames(waiting),
    waited: find(`had arrived and waited (?:up to )?(${DURATION})`),
    pageStill: find(`nothing on the page moved for (${DURATION})`),
    ownStill: find(`stood still for (${DURATION})`),
  };
}

/** Counts the names in a list like `a`, `a and b`, `a, b and c` or `a, b and five others`. */
function countNames(text: string): number {
  const others = ['two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
  const parts = text.split(/, | and /);
  const more = others.indexOf(/^(\w+) others$/.exec(parts.at(-1) ?? '')?.[1] ?? '');
  return more < 0 ? parts.length : parts.length - 1 + more + 2;
}

function moment(ns: number): string {
  return `${(ns / 1e9).toFixed(2)} s`;
}

function duration(ns: number): string {
  return ns < 1e9 ? `${Math.round(ns / 1e6)} ms` : moment(ns);
}

test.each([{pipeline: 'tcp', connections: 6, pipelining: false}, {pipeline: 'h2'}])(
  'after a lost SYN, a browser opens another connection: %o',
  pane => {
    const [trace] = traces({
      page: 'gallery',
      browser: 'chromium',
      path: {rateBps: 1_000_000, rttMs: 100, loss: {up: {packets: [0], applies: 'all'}, down: 0}},
      panes: [{...pane, profile: 'modern', tls: true}],
    } as never);
    if (trace === undefined) throw new Error('no trace');
    const [lost = -1] = trace.droppedPackets();
    const cause = causeOf(trace, lost);
    expect(cause && causeSentence(trace, cause)).toMatch(
      /Another connection was opened after 250 ms, and was complete at 0\.[4-6]\d s\.$/,
    );
  },
);

test('of two connections that were opened together, neither replaces the other after a lost SYN', () => {
  const [trace] = traces({
    page: 'gallery',
    path: {rateBps: 1_000_000, rttMs: 100, loss: {up: {packets: [1], applies: 'all'}, down: 0}},
    panes: [{pipeline: 'tcp', connections: 2, profile: 'modern', tls: true}],
  } as never);
  if (trace === undefined) throw new Error('no trace');
  const [lost = -1] = trace.droppedPackets();
  const cause = causeOf(trace, lost);
  expect(cause && causeSentence(trace, cause)).toMatch(
    /a packet from the browser that sets up the connection\. The set-up waited 1\.0\d s for a timer and then continued\.$/,
  );
});
