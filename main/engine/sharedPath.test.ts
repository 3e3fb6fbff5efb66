import {describe, expect, test} from 'vitest';
import type {Json} from '../../app/base/json.ts';
import {syntheticPage} from '../../app/page/synthetic.ts';
import {measure} from '../../app/run/metrics/metrics.ts';
import {parseScenario} from '../../app/run/scenario/scenario.ts';
import {FATE} from '../../app/run/trace/columns.ts';
import {encodeRun} from '../../app/run/trace/runFile.ts';
import type {TraceData} from '../../app/run/trace/traceData.ts';
import {traceProblem} from '../../app/run/trace/traceProblem.ts';
import {takeSnapshot} from '../pages/base/pageSnapshot.ts';
import {runDocument} from '../workers/testing/runs.ts';
import {capture, loadToExplain, loadToMeasure, packetParts} from './load.ts';

const SYNTHETIC = {indexBytes: 800, objects: 8, objectBytes: 30_000, headerBytes: 250, requestBytes: 300};
const PATH = {rateBps: 4_000_000, rttMs: 60, queuePackets: 60, atOnce: true};
const H3 = {pipeline: 'h3', profile: 'modern'};
const H1 = {pipeline: 'tcp', profile: 'modern', connections: 6, pipelining: false};
const SCTP = {pipeline: 'sctp', profile: 'modern', streams: 8};

function documentOf(panes: readonly Json[], path: {readonly [key: string]: Json} = {}) {
  return {page: {synthetic: SYNTHETIC}, path: {...PATH, ...path}, panes: [...panes]};
}

function opened(document: Json) {
  const parsed = parseScenario(document);
  if (!parsed.ok || parsed.scenario.page.kind !== 'synthetic') throw new Error('not a synthetic scenario');
  return {scenario: parsed.scenario, page: takeSnapshot(syntheticPage(parsed.scenario.page), [])};
}

function timesOf(panes: readonly TraceData[]): readonly number[] {
  return panes.map(pane => measure(pane).pageTimeMs ?? Number.POSITIVE_INFINITY);
}

describe('two page loads on one path', () => {
  const together = runDocument(documentOf([H3, H1]));
  const alone = runDocument(documentOf([H3, H1], {atOnce: false}));

  test('are complete, and both slower than each is alone', () => {
    const [slow, fast] = [timesOf(together.panes), timesOf(alone.panes)];
    expect(together.panes.map(({outcome}) => outcome)).toEqual(['complete', 'complete']);
    for (const [i, ms] of slow.entries()) expect(ms).toBeGreaterThan(1.2 * (fast[i] ?? 0));
  });

  test('share the rate: together they need at least as long as all bytes take at the rate', () => {
    const bytes = together.panes.flatMap(({packets: {bytes, direction, fate}}) =>
      Array.from(bytes).filter((_, row) => direction[row] === 0 && fate[row] === FATE.delivered),
    );
    const atRateNs = (8e9 * bytes.reduce((sum, each) => sum + each, 0)) / PATH.rateBps;
    const lastNs = Math.max(...together.panes.map(({endNs}) => endNs));
    expect(lastNs).toBeGreaterThan(0.95 * atRateNs);
    expect(lastNs).toBeLessThan(2 * atRateNs);
  });

  test('each has the packets of the other as other traffic, until its own end', () => {
    const [h3, h1] = together.panes;
    expect(h3?.traffic?.flows).toEqual([{kind: 'page', pane: 1, pipeline: 'tcp'}]);
    expect(h1?.traffic?.flows).toEqual([{kind: 'page', pane: 0, pipeline: 'h3'}]);
    const seen = h3?.traffic?.packets.sentNs ?? [];
    const sent = h1?.packets.sentNs ?? [];
    const shared = Math.min(seen.length, sent.length);
    expect(shared).toBeGreaterThan(100);
    expect(Array.from(seen.slice(0, shared))).toEqual(Array.from(sent.slice(0, shared)));
    expect(Math.max(...seen)).toBeLessThanOrEqual(h3?.endNs ?? 0);
    expect(together.panes.map(traceProblem)).toEqual([undefined, undefined]);
  });

  test('never have two packets on the downstream link at the same time', () => {
    const spans = together.panes.flatMap(({packets: {direction, bytes, leftNs}}) =>
      Array.from(leftNs, (left, row) => ({
        left,
        from: left - (8e9 * (bytes[row] ?? 0)) / PATH.rateBps,
        row,
        direction,
      })),
    );
    const down = spans.filter(({left, row, direction}) => direction[row] === 0 && !Number.isNaN(left));
    down.sort((a, b) => a.left - b.left);
    for (const [i, span] of down.entries()) expect(span.from).toBeGreaterThanOrEqual((down[i - 1]?.left ?? 0) - 2);
  });

  test('give the same bytes whenever they are computed, also between other loads', () => {
    const document = documentOf([SCTP, H3, SCTP], {loss: 0.03});
    const file = encodeRun(runDocument(document));
    runDocument(documentOf([SCTP]));
    expect(encodeRun(runDocument(document))).toEqual(file);
  });

  test('lose packets with the same numbers as each does alone', () => {
    const path = {queuePackets: 1000, loss: {down: {packets: [4, 9, 30]}, up: {packets: [2]}}};
    for (const {packets} of runDocument(documentOf([H3, SCTP], path)).panes) {
      for (const [way, numbers] of [
        [0, [4, 9, 30]],
        [1, [2]],
      ] as const) {
        const rows = Array.from(packets.fate.keys()).filter(row => packets.direction[row] === way);
        expect(rows.flatMap((row, k) => (packets.fate[row] === FATE.lost ? [k] : []))).toEqual(numbers);
      }
    }
  });

  test('a pane can drop packets that only its own load loses', () => {
    const drop = {down: {packets: [12]}};
    const [h3, h1] = runDocument(documentOf([H3, {...H1, drop}])).panes;
    expect(h3?.packets.fate.includes(FATE.lost)).toBe(false);
    const lost = Array.from(h1?.packets.fate.keys() ?? []).filter(row => h1?.packets.fate[row] === FATE.lost);
    expect(lost.length).toBe(1);
  });

  test('may also share the path with other traffic, which both traces show', () => {
    const traffic = [{kind: 'tcp', direction: 'up', startMs: -1000}];
    for (const {traffic: seen} of runDocument(documentOf([H3, H1], {traffic})).panes) {
      expect(seen?.flows.map(({kind}) => kind)).toEqual(['tcp', 'page']);
      expect(new Set(seen?.packets.flow)).toEqual(new Set([0, 1]));
    }
  });

  test('are measured as they are shown, pane by pane', () => {
    const {scenario, page} = opened(documentOf([H3, H1]));
    const measured = [1, 0].map(pane => measure(loadToMeasure(page, scenario, 1, pane)));
    expect(measured.reverse()).toEqual(together.panes.map(pane => measure(pane)));
    expect(() => loadToMeasure(page, scenario, 1, 2)).toThrow('invalid pane: 2 (there are 2)');
  });

  test('are explained as they are shown, and computed once for all panes', () => {
    const {scenario, page} = opened(documentOf([H3, H1]));
    const explained = [1, 0].map(pane => loadToExplain(page, scenario, 1, pane));
    expect(explained.reverse()).toEqual(together.panes);
    expect(loadToExplain(page, scenario, 1, 1)).toBe(explained[1]);
  });

  test("have captures of each load's own packets", () => {
    const {scenario, page} = opened(documentOf([H3, H1]));
    const last = (together.panes[1]?.packets.bytes.length ?? 0) - 1;
    expect(packetParts(page, scenario, 1, last)).toBeDefined();
    expect(capture(page, scenario, 1, 0)).not.toEqual(capture(page, scenario, 1, 1));
  });
});

test('loads that never end reach the time limit together', () => {
  const {panes} = runDocument({...documentOf([H3, H1], {loss: 1}), timeLimitMs: 5000});
  expect(panes.map(({outcome}) => outcome)).toEqual(['time-limit', 'time-limit']);
});
