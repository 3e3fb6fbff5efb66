import {describe, expect, test} from 'vitest';
import {type Failure, failureText} from '../../page/failure.ts';
import {smallTrace} from '../trace/testing/smallTrace.ts';
import type {ObjectTrace, TraceData} from '../trace/traceData.ts';
import {measure} from './metrics.ts';
import {summarise} from './paneSummary.ts';
import {runNotes, summaryNotes} from './runNotes.ts';
import {rankTest} from './statistics.ts';

describe('the metrics of a small load', () => {
  const metrics = measure(smallTrace());

  // Papers are cited by their short names, which README.md explains. N07 §3.1 and §5: the page time T lasts from the
  // first request until the last piece of the last object is rendered. PPage counts from the first request, and PRen
  // from the second one.
  test('T and PPage count from the GET of index.html, and PRen from the first GET of another object', () => {
    expect(metrics.pageTimeMs).toBe(60);
    expect(metrics.pPageMs).toEqual({25: 20, 50: 60, 75: 60, 100: 60});
    expect(metrics.pRenMs).toEqual({25: 10, 50: 50, 75: 50, 100: 50});
  });

  test('T counts from a request that was redirected to index.html', () => {
    const {objects, ...small} = smallTrace();
    const [index, ...others] = objects;
    if (index === undefined) throw new Error('no objects');
    const redirected = {...index, url: '/old', requestNs: (index.requestNs ?? 0) - 5e6};
    expect(measure({...small, objects: [index, redirected, ...others]}).pageTimeMs).toBe(65);
  });

  test('the set-up time counts from navigation, and is null for a pipeline without set-up', () => {
    expect(measure({...smallTrace(), setupNs: 5e6}).setupMs).toBe(5);
    expect(measure({...smallTrace(), setupNs: 0}).setupMs).toBeNull();
  });

  test('silent time is the longest interval without a change on the page (C03)', () => {
    expect(metrics.silentMs).toBe(40);
  });

  test('silent time may last until T: an empty object completes without a delivery', () => {
    const {objects, ...data} = smallTrace();
    const empty = objects.map((object, i) => (i === 1 ? {...object, bytes: 0} : object));
    const deliveries = {
      object: Uint32Array.of(0),
      atNs: Float64Array.of(20e6),
      bytes: Float64Array.of(100),
      first: Float64Array.of(0),
    };
    expect(measure({...data, objects: empty, deliveries})).toMatchObject({
      pageTimeMs: 60,
      silentMs: 50,
    });
  });

  test('packets and losses are counted by direction, and retransmissions in total', () => {
    expect(metrics.packets).toEqual({down: 5, up: 1});
    expect(metrics.lost).toEqual({down: 1, up: 0});
    expect(metrics.retransmitted).toBe(1);
  });

  test('blocked data is measured in time and bytes', () => {
    expect([metrics.holBlockedMs, metrics.holBlockedBytes]).toEqual([30, 200]);
  });

  // C03 §5: for TCP, the longest time in which out-of-order packets wait to be put in order.
  test('the longest wait is that of one piece of data, which may wait until the end of the run', () => {
    const waiting = (...times: readonly (readonly [startMs: number, endMs: number])[]) => {
      const [endpoint, stream, bytes] = [0, 0, 200].map(value => new Uint32Array(times.length).fill(value));
      const [startNs, endNs] = [0, 1].map(i => Float64Array.from(times, time => (time[i] ?? 0) * 1e6));
      const first = Float64Array.from(times, (_, i) => 300 + 200 * i);
      const row = Uint32Array.from(times.keys());
      const blocked = {...smallTrace().blocked, endpoint, stream, bytes, first, startNs, endNs};
      const blockedPieces = {row, object: new Uint32Array(times.length).fill(1), bytes};
      return measure({...smallTrace(), blocked, blockedPieces} as TraceData);
    };
    expect(waiting().longestWaitMs).toBe(0);
    expect(waiting([30, 50], [45, 70])).toMatchObject({longestWaitMs: 25, holBlockedMs: 40});
    expect(waiting([35, Number.NaN]).longestWaitMs).toBe(35);
  });

  // R02: from the request to complete reception.
  test('each object has its times and its latency', () => {
    expect(metrics.objects).toMatchObject([
      {url: '/', requestMs: 10, firstByteMs: 20, completeMs: 20, latencyMs: 10},
      {url: '/image.jpg', requestMs: 20, firstByteMs: 30, completeMs: 70, latencyMs: 50},
    ]);
  });
});

describe('the metrics of a load that does not complete', () => {
  const {objects, ...data} = smallTrace();
  const [index, image] = objects;
  if (index === undefined || image === undefined) throw new Error('the small trace has two objects');
  const failing = (failure: Failure, failedNs = 30e6): ObjectTrace => {
    return {...image, completeNs: null, failedNs, failure};
  };
  const noTimes = {25: null, 50: null, 75: null, 100: null};

  test.each<[TraceData['outcome'], Failure]>([
    ['aborted', {kind: 'aborted', reason: 'data-timeout', bytes: 100, ofBytes: 400}],
    ['time-limit', {kind: 'time-limit', limitMs: 70, bytes: 100, ofBytes: 400}],
    // This happens to N07's movie without fragmentation and with a send buffer of 4 KiB.
    ['partial', {kind: 'too-large', what: 'message', bytes: 10_250, limitBytes: 4096}],
    ['partial', {kind: 'status', status: 500}],
    ['partial', {kind: 'surplus', bytes: 3}],
  ])('%s with failure %j: all times of rendering are null', (outcome, failure) => {
    const reason = failureText(failure);
    const metrics = measure({...data, outcome, reason, objects: [index, failing(failure)]});
    expect(metrics).toMatchObject({outcome, reason, missing: 0, pageTimeMs: null, silentMs: null});
    expect([metrics.pPageMs, metrics.pRenMs]).toEqual([noTimes, noTimes]);
    expect(runNotes([metrics, measure(smallTrace())], ['TCP', 'SCTP'])).toEqual([
      `TCP has no page time, PPage or ratio: ${outcome}: ${reason}`,
    ]);
  });

  test.each<[Failure]>([
    [{kind: 'status', status: 404}],
    [{kind: 'too-large', what: 'request', bytes: 33_000, limitBytes: 16_384}],
  ])('with an object that is missing in every pane (%j), the load is complete and all other objects count', failure => {
    const missing = {...failing(failure, 65e6), bytes: 0};
    const metrics = measure({...data, objects: [index, missing]});
    expect(metrics).toMatchObject({outcome: 'complete', missing: 1, pageTimeMs: 10, pPageMs: {100: 10}});
    expect(runNotes([metrics, metrics], ['TCP', 'SCTP'])).toEqual([
      '1 object is missing in every pane (its server does not have it, or its address is too long), and is not counted',
    ]);
    // An aborted pane has no page time.
    const aborted = measure({...data, outcome: 'aborted', reason: 'x', objects: [index, missing]});
    expect(aborted.pageTimeMs).toBeNull();
  });

  test('a page without any object that can be loaded has no page time', () => {
    const missing = failing({kind: 'status', status: 404});
    expect(measure({...data, objects: [{...missing, url: '/'}]}).pageTimeMs).toBeNull();
  });
});

describe('a summary', () => {
  const fast = measure(smallTrace());
  const slow = {...fast, pageTimeMs: 120, setupMs: 50};
  const other = {...fast, pageTimeMs: 1200, setupMs: 500};
  // Incomplete runs are excluded, whatever times they have.
  const never = {...fast, outcome: 'partial', reason: 'it failed', setupMs: 1e6, pageTimeMs: 1e6} as const;
  const stuck = {
    ...fast,
    outcome: 'aborted',
    reason: 'data-timeout',
    setupMs: null,
    pageTimeMs: null,
  } as const;
  const summary = summarise([
    {seed: 1, panes: [slow, fast]},
    {seed: 2, panes: [slow, fast]},
    {seed: 7, panes: [other, never]},
    {seed: 8, panes: [stuck, fast]},
    {seed: 9, panes: [slow, never]},
  ]);
  const [first, second] = summary;

  test('covers the complete runs, and lists the others', () => {
    expect(first).toMatchObject({runs: 5, complete: 4, pageTimeMs: {n: 4, mean: 390}, againstFirst: null});
    expect(second).toMatchObject({runs: 5, complete: 3, pageTimeMs: {n: 3, mean: 60}, setupMs: {n: 3}});
    expect(second?.lost.down.n).toBe(3);
    expect(first?.leftOut).toEqual([{outcome: 'aborted', reason: 'data-timeout', seeds: [8]}]);
    expect(second?.leftOut).toEqual([{outcome: 'partial', reason: 'it failed', seeds: [7, 9]}]);
    expect(summaryNotes(summary, ['pane 1', 'pane 2'])).toEqual([
      '1 of 5 runs of pane 1 is not counted: aborted: data-timeout (seed 8)',
      '2 of 5 runs of pane 2 are not counted: partial: it failed (seeds 7, 9)',
    ]);
  });

  test('has visual metrics of the complete runs, if there are any', () => {
    const visual = (ms: number, neverMs: number | null = ms) => ({
      recognisableMs: ms,
      goodMs: neverMs,
      speedIndexMs: ms / 2,
      visuallyCompleteMs: {85: ms, 100: 2 * ms},
    });
    const [seen] = summarise([
      {seed: 1, panes: [{...fast, visual: visual(10)}]},
      {seed: 2, panes: [{...fast, visual: visual(20, null)}]},
      {seed: 3, panes: [{...never, visual: visual(1e6)}]},
    ]);
    expect(seen?.visual).toMatchObject({
      recognisableMs: {n: 2, mean: 15},
      goodMs: {n: 1, mean: 10, ci95: null},
      speedIndexMs: {mean: 7.5},
      visuallyCompleteMs: {85: {mean: 15}, 100: {mean: 30}},
    });
    expect(seen?.visual?.recognisableMs.ci95).toBeCloseTo(63.53, 2);
    expect(first).not.toHaveProperty('visual');
  });

  test('compares panes over the runs that are complete in both', () => {
    // Only seeds 1 and 2. With the seeds 7, 8 and 9, one of the two panes is incomplete.
    expect(second?.againstFirst).toMatchObject({runs: 2, ratio: 2, rankTest: rankTest([120, 120], [60, 60])});
  });
});
