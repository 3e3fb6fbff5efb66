import {describe, expect, test} from 'vitest';
import type {Json} from '../../app/base/json.ts';
import {measure} from '../../app/run/metrics/metrics.ts';
import {findPreset} from '../../app/run/scenario/presets.ts';
import {FATE} from '../../app/run/trace/columns.ts';
import {encodeRun} from '../../app/run/trace/runFile.ts';
import type {Trace} from '../../app/run/trace/trace.ts';
import type {TraceData} from '../../app/run/trace/traceData.ts';
import {captionLine, captionsOf} from '../../app/telling/movie/captions.ts';
import {runDocument, traces} from '../workers/testing/runs.ts';

// These tests check what the papers claim about loads over TCP and SCTP, over many seeds.

const SEEDS = Array.from({length: 20}, (_, i) => i + 1);
const path = {rateBps: 1_000_000, rttMs: 350, loss: 0.03};
const page = {synthetic: {objects: 10, objectBytes: 10_000}};

test('without loss SCTP takes as long as TCP, but TCP is faster if it acknowledges every segment (N07 §5)', () => {
  const panes = ['classic', 'classic-quickack', 'classic-iw10'].map(profile => ({pipeline: 'tcp', profile}));
  const far = {...path, rttMs: 850, loss: 0};
  const [delayed, each, wide, streams] = load({panes: [...panes, sctp({})], path: far, seed: 1}).map(trace => {
    const {pageTimeMs, packets} = measure(trace.data);
    return {pageTimeMs: pageTimeMs ?? 0, up: packets.up, down: packets.down};
  });
  if (delayed === undefined || each === undefined || wide === undefined || streams === undefined)
    throw new Error('four panes');
  expect(each.up).toBeGreaterThanOrEqual(each.down);
  expect(delayed.up).toBeLessThan(0.6 * delayed.down);
  expect(each.pageTimeMs).toBeLessThan(0.8 * streams.pageTimeMs);
  expect(Math.abs(streams.pageTimeMs / delayed.pageTimeMs - 1)).toBeLessThan(0.01);
  // An initial window of 10 instead of 3 segments saves one and a half round trips.
  expect(delayed.pageTimeMs - wide.pageTimeMs).toBeGreaterThan(far.rttMs);
  expect(wide.up).toBe(delayed.up);
});

describe('the concurrency level is the number of streams (N07 §4)', () => {
  test('one stream is sequential, like TCP', () => {
    for (const seed of SEEDS) {
      for (const trace of load({panes: [sctp({streams: 1}), {pipeline: 'tcp'}], seed})) {
        const completed = trace.objects.map(object => object.completeNs ?? 0);
        const begun = trace.objects.map((_, i) => trace.deliveriesOf(i).atNs[0] ?? 0);
        expect(completed).toEqual([...completed].sort((a, b) => a - b));
        for (const [i, end] of completed.slice(0, -1).entries()) expect(begun[i + 1]).toBeGreaterThanOrEqual(end);
      }
    }
  });

  test('the spread of PPage grows with streams', () => {
    const [one, two, five, ten] = spreads([1, 2, 5, 10].map(streams => sctp({streams})));
    expect(one).toBeLessThan(two ?? 0);
    expect(two).toBeLessThan(five ?? 0);
    expect(five).toBeLessThan(ten ?? 0);
  });

  test('more streams than objects change nothing', () => {
    for (const seed of SEEDS) {
      const [enough, more] = load({panes: [sctp({streams: 11}), sctp({streams: 64})], seed});
      expect(more?.data.deliveries).toEqual(enough?.data.deliveries);
      expect(more?.data.packets).toEqual(enough?.data.packets);
    }
  });

  test('messages that each carry a whole response reduce the spread', () => {
    const [packets, responses] = spreads([sctp({}), sctp({fragmentation: false})]);
    expect(responses).toBeLessThan((packets ?? 0) / 2);
  });

  test('a send buffer of K objects limits the level to min(L, K) (N07 §6)', () => {
    const buffers = [1, 3, 6].map(objects => sctp({sendBuffer: {objects}}));
    const [one, three, six, all] = spreads([...buffers, sctp({})]);
    expect(one).toBeLessThan(three ?? 0);
    expect(three).toBeLessThan(six ?? 0);
    expect(six).toBeLessThan(all ?? 0);
  });

  test('a first-come scheduler reduces the spread', () => {
    const [roundRobin, firstCome] = spreads([sctp({}), sctp({scheduler: 'first-come'})]);
    expect(firstCome).toBeLessThan((roundRobin ?? 0) / 2);
  });

  test('an interleaving server renders objects concurrently even on one stream', () => {
    const [sequential, interleaving] = spreads([sctp({streams: 1}), sctp({streams: 1, server: 'interleaving'})]);
    expect(interleaving).toBeGreaterThan((sequential ?? 0) * 2);
  });
});

describe('in every load', () => {
  const loads = SEEDS.flatMap(seed => load({panes: [{pipeline: 'tcp'}, sctp({})], seed}));

  test('100 %Page is the page time T', () => {
    for (const metrics of loads.map(trace => measure(trace.data))) {
      expect(metrics.outcome).toBe('complete');
      expect(metrics.pPageMs[100]).toBe(metrics.pageTimeMs);
    }
  });

  test('PPage is at least PRen plus a round trip', () => {
    for (const {pPageMs, pRenMs} of loads.map(trace => measure(trace.data))) {
      for (const percent of [25, 50, 75, 100] as const) {
        expect(pPageMs[percent]).toBeGreaterThanOrEqual((pRenMs[percent] ?? 0) + path.rttMs);
      }
    }
  });

  test('every object’s bytes grow to its size', () => {
    for (const trace of loads) {
      const {endNs, objects} = trace.data;
      expect(objects.map((_, i) => trace.bytesAt(i, endNs))).toEqual(objects.map(object => object.bytes));
    }
  });
});

describe('all panes have the same losses', () => {
  const panes = [{pipeline: 'tcp'}, sctp({}), {pipeline: 'tcp', profile: 'modern'}];
  const losses = [{rate: 0.05}, {p: 0.05, r: 0.5}, {packets: [0, 2, 3, 11, 30]}];

  test('if the packets of each direction are counted separately', () => {
    for (const seed of SEEDS) {
      const [first, ...others] = load({panes, seed});
      for (const direction of [0, 1]) expectSame(first, others, trace => fates(trace, direction), 20);
    }
  });

  test('if only data packets can be lost; then no other packet is lost', () => {
    for (const each of losses) {
      for (const seed of SEEDS.slice(0, 6)) {
        const [first, ...others] = load({panes, seed, path: {...path, loss: {...each, applies: 'data'}}});
        const [down, up] = [0, 1].map(way => (trace: Trace | undefined) => fates(trace, way, isData));
        expectSame(first, others, down ?? (() => []), 60);
        // On TCP the GETs of all objects may share a segment.
        expectSame(first, others, up ?? (() => []), 2);
        for (const trace of [first, ...others]) {
          for (const way of [0, 1]) expect(fates(trace, way, row => !isData(row, trace))).not.toContain(true);
        }
      }
    }
  });

  test('if a list of lost packets counts data packets', () => {
    const all = load({panes, path: {...path, loss: {down: {packets: [2, 5], applies: 'data'}, up: 0}}});
    const lost = all.map(trace => fates(trace, 0, isData).flatMap((isLost, k) => (isLost ? [k] : [])));
    expect(lost).toEqual(panes.map(() => [2, 5]));
  });

  test('if packets are lost before the link, and also if they are lost after the link has transmitted them', () => {
    for (const seed of SEEDS) {
      const [entry, exit] = (['entry', 'exit'] as const).map(at =>
        load({panes, seed, path: {...path, loss: {rate: 0.05, at}}}),
      );
      const count = 20;
      for (const direction of [0, 1]) {
        const ofExit = exit?.map(trace => fates(trace, direction).slice(0, count));
        expect(ofExit).toEqual(entry?.map(trace => fates(trace, direction).slice(0, count)));
      }
      for (const {data} of exit ?? []) {
        const {packets} = data;
        const lost = [...packets.fate.keys()].filter(row => packets.fate[row] === FATE.lost);
        for (const row of lost) {
          const tookNs = (packets.fateNs[row] ?? 0) - (packets.sentNs[row] ?? 0);
          expect(tookNs).toBeGreaterThanOrEqual(((packets.bytes[row] ?? 0) * 8e9) / path.rateBps);
        }
      }
      const isAtOnce = ({data: {packets}}: Trace) =>
        packets.fate.every((fate, row) => fate !== FATE.lost || packets.fateNs[row] === packets.sentNs[row]);
      expect(entry?.every(isAtOnce)).toBe(true);
    }
  });

  test('and packets without data are no longer lost after a change to `applies: data`', () => {
    const changes = [{atMs: 1500, path: {loss: {applies: 'data'}}}];
    const all = SEEDS.flatMap(seed => load({panes, seed, path: {...path, loss: 0.1}, changes}));
    const bare = (isCounted: (sentNs: number) => boolean) =>
      all.flatMap(trace => {
        const {sentNs} = trace.data.packets;
        return fates(trace, 1, row => !isData(row, trace) && isCounted(sentNs[row] ?? 0));
      });
    expect(bare(sentNs => sentNs < 1.5e9)).toContain(true);
    expect(bare(sentNs => sentNs > 1.5e9)).not.toContain(true);
    expect(bare(sentNs => sentNs > 1.5e9).length).toBeGreaterThan(100);
  });
});

describe('captions agree with the trace', () => {
  test.each(SEEDS.slice(0, 5))('of n07-movie, seed %i', seed => {
    const movie = findPreset('n07-movie')?.scenario ?? {};
    let waits = 0;
    for (const trace of traces({...movie, seed})) {
      const line = captionLine(captionsOf(trace), 2e9);
      const lostNs = trace.droppedPackets().map(packet => trace.data.packets.fateNs[packet] ?? 0);
      for (let tNs = 0; tNs <= trace.data.endNs; tNs += 10e6) {
        const text = line(tNs);
        const waiting = trace.objects.filter((_, i) =>
          trace.blockedOf(i).some(({startNs, endNs}) => startNs <= tNs && tNs < endNs),
        );
        const [, first, others] = /^(\S+)(?: and (.+))? waits? for lost data$/.exec(text) ?? [];
        if (first !== undefined) {
          waits += 1;
          const named = others === undefined ? 1 : 1 + (Number(/^(\d+) others$/.exec(others)?.[1]) || 1);
          expect(waiting).toHaveLength(named);
          expect(waiting.some(({url}) => url.endsWith(first) || first === 'index.html')).toBe(true);
        }
        if (/^packet lost/.test(text)) expect(lostNs.some(atNs => atNs <= tNs && tNs - atNs <= 2e9)).toBe(true);
      }
    }
    expect(waits).toBeGreaterThan(10);
  });
});

describe('a load is a function of its arguments', () => {
  test('the same arguments give the same bytes', () => {
    const document = {page, path, seed: 7, panes: [{pipeline: 'tcp'}, sctp({}), sctp({profile: 'modern'})]};
    expect(encodeRun(runDocument(document))).toEqual(encodeRun(runDocument(document)));
  });

  test('a pane is the same without other panes', () => {
    const panes = [{pipeline: 'tcp'}, sctp({}), sctp({profile: 'modern'})];
    const together = runDocument({page, path, panes}).panes;
    const alone = panes.flatMap(pane => runDocument({page, path, panes: [pane]}).panes);
    expect(alone).toEqual(together);
  });

  test('another seed gives another run', () => {
    const [first, second] = [1, 2].map(seed => encodeRun(runDocument({page, path, seed})));
    expect(first).not.toEqual(second);
  });

  test('a change at a time does not affect anything before that time', () => {
    const panes = [{pipeline: 'tcp'}, sctp({}), {pipeline: 'tcp', profile: 'modern'}];
    let changedRuns = 0;
    for (const seed of SEEDS) {
      const atMs = 317 * seed;
      const change = {atMs, path: {loss: 0.2, rateBps: 200_000, rttMs: {down: 500}, queuePackets: 5}};
      const without = load({panes, seed});
      const changed = load({panes, seed, changes: [change]});
      for (const [i, trace] of changed.entries()) {
        expect(pastOf(trace.data, atMs * 1e6)).toEqual(pastOf(without[i]?.data as TraceData, atMs * 1e6));
      }
      changedRuns += changed.some((trace, i) => trace.data.endNs !== without[i]?.data.endNs) ? 1 : 0;
    }
    // The other loads ended before their change.
    expect(changedRuns).toBeGreaterThan(SEEDS.length / 3);
  });
});

/** Returns the part of a trace that happened before `ns`, without anything that was decided later. */
function pastOf({objects, deliveries, packets, samples, blocked}: TraceData, ns: number) {
  const known = (time: number | null | undefined) => (time != null && time < ns ? time : null);
  const rows = (times: Float64Array) => Array.from(times.keys()).filter(row => (times[row] ?? ns) < ns);
  return {
    objects: objects.map(object => [
      ...[object.discoveredNs, object.requestNs, object.firstByteNs, object.completeNs].map(known),
    ]),
    deliveries: rows(deliveries.atNs).map(row => [deliveries.object[row], deliveries.atNs[row], deliveries.bytes[row]]),
    packets: rows(packets.sentNs).map(row => [
      packets.sentNs[row],
      packets.direction[row],
      packets.bytes[row],
      packets.kind[row],
      packets.cumulativeAck[row],
      known(packets.fateNs[row]),
      known(packets.fateNs[row]) && packets.fate[row],
    ]),
    samples: rows(samples.atNs).map(row => [samples.atNs[row], samples.cwndBytes[row], samples.flightBytes[row]]),
    blocked: rows(blocked.startNs).map(row => [blocked.startNs[row], blocked.bytes[row], known(blocked.endNs[row])]),
  };
}

function load(document: {readonly [key: string]: Json}): readonly Trace[] {
  return traces({page, path, discovery: 'complete', ...document});
}

function sctp(settings: {readonly [key: string]: Json}): Json {
  return {pipeline: 'sctp', streams: 11, ...settings};
}

/** Returns for each pane the mean over all seeds of (100 %Page − 25 %Page) / 100 %Page. */
function spreads(panes: readonly Json[]): readonly number[] {
  const [some, others] = [panes.slice(0, 4), panes.slice(4)];
  const runs = SEEDS.map(seed => load({panes: some, seed}).map(trace => measure(trace.data).pPageMs));
  const means = some.map((_, pane) => {
    const each = runs.map(run => 1 - (run[pane]?.[25] ?? 0) / (run[pane]?.[100] ?? 0));
    return each.reduce((sum, spread) => sum + spread, 0) / each.length;
  });
  return others.length === 0 ? means : [...means, ...spreads(others)];
}

/** Returns for each counted packet of a direction whether the path dropped it. */
function fates(
  trace: Trace | undefined,
  direction: number,
  isCounted: (row: number, trace: Trace) => boolean = () => true,
): readonly boolean[] {
  const {packets} = (trace as Trace).data;
  return Array.from(packets.fate.keys())
    .filter(row => packets.direction[row] === direction && isCounted(row, trace as Trace))
    .map(row => packets.fate[row] === FATE.lost);
}

/** Whether the packet has data, which is bytes of a TCP segment or a DATA chunk. */
function isData(row: number, trace: Trace | undefined): boolean {
  return (trace as Trace).data.chunks.packet.includes(row);
}

/** Compares the packets up to the end of the shorter trace, in which there must be at least `least` packets. */
function expectSame(
  first: Trace | undefined,
  others: readonly Trace[],
  fatesOf: (trace: Trace | undefined) => readonly boolean[],
  least: number,
): void {
  for (const other of others) {
    const [ours, theirs] = [fatesOf(first), fatesOf(other)];
    const both = Math.min(ours.length, theirs.length);
    expect(both).toBeGreaterThanOrEqual(least);
    expect(ours.slice(0, both)).toEqual(theirs.slice(0, both));
  }
}
