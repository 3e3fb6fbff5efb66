import {describe, expect, test} from 'vitest';
import type {Json} from '../../app/base/json.ts';
import {packedTrace} from '../../app/run/link/packedTrace.ts';
import {measure} from '../../app/run/metrics/metrics.ts';
import {QUEUE_DISCIPLINES} from '../../app/run/scenario/linkParts.ts';
import {FATE} from '../../app/run/trace/columns.ts';
import {encodeRun} from '../../app/run/trace/runFile.ts';
import type {TraceData} from '../../app/run/trace/traceData.ts';
import {runDocument} from '../workers/testing/runs.ts';

// These tests check what the settings of links do to page loads.

const page = {synthetic: {objects: 10, objectBytes: 10_000}};

function panesOf(path: Json, more: {readonly [key: string]: Json} = {}): readonly TraceData[] {
  return runDocument({page, path, panes: [{pipeline: 'tcp'}], ...more}).panes;
}

function pageTimeMs(path: Json, more: {readonly [key: string]: Json} = {}): number {
  const [pane] = panesOf(path, more);
  return (pane && measure(pane).pageTimeMs) ?? 0;
}

function steps(rows: readonly (readonly [number, number])[], periodMs: number): Json {
  return {name: 'drawn', packed: packedTrace({kind: 'steps', rows, periodMs})};
}

describe('a trace of the capacity', () => {
  test('with one rate gives the run with that rate, byte for byte', () => {
    const path = {rttMs: 80, loss: 0.02};
    const constant = panesOf({...path, rateBps: 3_000_000});
    const traced = panesOf({
      ...path,
      rateBps: 1,
      down: {trace: steps([[0, 3e6]], 70)},
      up: {trace: steps([[0, 3e6]], 9)},
    });
    expect(traced).toEqual(constant);
  });

  test('with a rate of 0 for some time delays the page by about that time', () => {
    const path = {rateBps: 2_000_000, rttMs: 40};
    const stopped = steps([[0, 2e6], [200, 0], [900, 2e6]], 100_000); // biome-ignore format: three steps
    const later = pageTimeMs({...path, down: {trace: stopped}}) - pageTimeMs(path);
    expect(later).toBeGreaterThan(680);
    expect(later).toBeLessThan(710);
  });

  test('of delivery opportunities has its own rate: a large packet every 6 ms is 2 Mbit/s', () => {
    const timesMs = Uint32Array.from({length: 50}, (_, at) => 6 * (at + 1));
    const trace = {name: 'drawn', packed: packedTrace({kind: 'opportunities', timesMs})};
    const [traced, constant] = [pageTimeMs({rttMs: 40, down: {trace}}), pageTimeMs({rttMs: 40, rateBps: 2_000_000})];
    expect(Math.abs(traced / constant - 1)).toBeLessThan(0.03);
  });

  test('with a random start begins elsewhere for each seed, and at the same point for each pane', () => {
    const path = {rttMs: 40, down: {trace: {name: 'lte-driving', startMs: 'random'}}};
    const times = [1, 2, 3, 4, 5].map(seed => pageTimeMs(path, {seed}));
    expect(new Set(times).size).toBe(5);
    const twice = panesOf(path, {panes: [{pipeline: 'h2'}, {pipeline: 'h2'}]});
    expect(twice[0]).toEqual(twice[1]);
  });

  test('can begin and end while the page is loaded', () => {
    const path = {rateBps: 1_000_000, rttMs: 40};
    const slow = steps([[0, 100_000]], 1000);
    const changes = (...traces: readonly Json[]): Json =>
      traces.map((trace, at) => ({atMs: 300 + 100 * at, path: {down: {trace}}}));
    const [throughout, between, without] = [[slow], [slow, null], []].map(traces =>
      pageTimeMs(path, {changes: changes(...traces)}),
    );
    expect(throughout).toBeGreaterThan(2 * (between ?? 0));
    expect(between).toBeGreaterThan(without ?? 0);
  });
});

test('a trace of the delay that steps up by 40 ms makes the load longer by more than 40 ms', () => {
  const path = {rateBps: 10_000_000, rttMs: 100};
  const same = steps([[0, 50]], 1000);
  expect(panesOf({...path, rttMs: 7, down: {delayTrace: same}, up: {delayTrace: same}})).toEqual(panesOf(path));
  const rising = steps([[0, 50], [150, 90]], 100_000); // biome-ignore format: two steps
  expect(pageTimeMs({...path, down: {delayTrace: rising}})).toBeGreaterThan(pageTimeMs(path) + 40);
});

test('a run on shipped traces is the same each time', () => {
  const document = {
    page,
    path: {down: {trace: 'starlink', delayTrace: 'starlink'}, up: {trace: 'starlink', delayTrace: 'starlink'}},
    panes: [{pipeline: 'tcp'}, {pipeline: 'sctp'}, {pipeline: 'h3'}],
  };
  expect(encodeRun(runDocument(document))).toEqual(encodeRun(runDocument(document)));
});

test.each(Object.entries(QUEUE_DISCIPLINES))(
  'the core has the queue discipline %s, its settings, and the defaults that their texts name',
  (kind, {settings}) => {
    const through = (more: {readonly [key: string]: Json}): readonly TraceData[] =>
      panesOf({rateBps: 1_000_000, rttMs: 100, queue: {kind, ...more}}, {panes: [{pipeline: 'tcp', ecn: 'classic'}]});
    const usual = through({});
    for (const [key, {text}] of Object.entries(settings)) {
      const value = text?.default as Json | undefined;
      if (value !== undefined) expect(through({[key]: value}), key).toEqual(usual);
      else expect(through({[key]: 1}), key).not.toEqual(usual);
    }
  },
);

test.each([
  // the defaults of Linux: `txqueuelen` of a device for pfifo, and `limit` of sch_codel, sch_fq_codel, sch_pie, sch_dualpi2
  ['droptail', 1000],
  ['codel', 1000],
  ['fq_codel', 10_240],
  ['pie', 1000],
  ['dualpi2', 10_000],
])('a queue of the kind %s without a limit holds %i packets', (kind, packets) => {
  const traffic = [{kind: 'cbr', direction: 'down', rateBps: 1e9, packetBytes: 125, endMs: 120}];
  // each packet takes 100 s, so that none leaves the queue; the first packet of the page load arrives later
  const path = {rateBps: 10, rttMs: 1000, queue: {kind}, traffic};
  const [pane] = runDocument({page, path, panes: [{pipeline: 'tcp'}], timeLimitMs: 120}).panes;
  const fates = pane?.traffic?.packets.fate ?? [];
  expect(fates.length).toBeGreaterThan(packets);
  const held = fates.filter(fate => fate !== FATE.queueFull).length;
  expect(held).toBeLessThanOrEqual(packets);
  // FQ-CoDel drops up to 64 packets at once (sch_fq_codel.c)
  expect(held).toBeGreaterThan(packets - (kind === 'fq_codel' ? 65 : 1));
});
