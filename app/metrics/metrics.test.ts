import {describe, expect, test} from 'vitest';
import {smallTrace} from '../trace/smallTrace.ts';
import {measure} from './metrics.ts';
import {summarise} from './summary.ts';

describe('of a small load', () => {
  const metrics = measure(smallTrace());

  // PAPERS §2: T = ren_N^M − req_0; PPage from req_0, PRen from req_1
  test('T, PPage and PRen count from the first GETs', () => {
    expect(metrics.pageTimeMs).toBe(60);
    expect(metrics.pPageMs).toEqual({25: 20, 50: 60, 75: 60, 100: 60});
    expect(metrics.pRenMs).toEqual({25: 10, 50: 50, 75: 50, 100: 50});
  });

  test('silent time is the longest without a change on the page (C03)', () => {
    expect(metrics.silentMs).toBe(40);
  });

  test('packets are counted by direction, losses and retransmissions with them', () => {
    expect(metrics.packets).toEqual({down: 5, up: 1});
    expect(metrics.lost).toEqual({down: 1, up: 0});
    expect(metrics.retransmitted).toBe(1);
  });

  test('what waited is told in time and bytes', () => {
    expect([metrics.holBlockedMs, metrics.holBlockedBytes]).toEqual([30, 200]);
  });

  // R02: request → completely received
  test('each object has its times and its latency', () => {
    expect(metrics.objects).toMatchObject([
      {url: '/', requestMs: 10, firstByteMs: 20, completeMs: 20, latencyMs: 10},
      {url: '/image.jpg', requestMs: 20, firstByteMs: 30, completeMs: 70, latencyMs: 50},
    ]);
  });
});

describe('of a load that does not complete', () => {
  test('what never came is null', () => {
    const data = smallTrace();
    const [index, image] = data.objects;
    if (index === undefined || image === undefined) throw new Error('the small trace has two objects');
    const metrics = measure({
      ...data,
      ...{outcome: 'aborted', reason: 'data-timeout'},
      objects: [index, {...image, completeNs: null, failedNs: data.endNs, failure: 'truncated'}],
      deliveries: {
        object: Uint32Array.of(0, 1),
        atNs: Float64Array.of(20e6, 30e6),
        bytes: Float64Array.of(100, 100),
      },
    });
    expect(metrics).toMatchObject({
      pageTimeMs: null,
      pPageMs: {25: 20, 50: null, 100: null},
      reason: 'data-timeout',
    });
  });

  test('an image that the server does not have never renders, and holds up nothing', () => {
    const data = smallTrace();
    const [index, image] = data.objects;
    if (index === undefined || image === undefined) throw new Error('the small trace has two objects');
    const missing = {...image, bytes: 0, completeNs: null, failedNs: 30e6, failure: 'status 404'};
    const metrics = measure({...data, outcome: 'partial', objects: [index, missing]});
    expect(metrics).toMatchObject({pageTimeMs: 20, pPageMs: {100: 10}});
  });
});

test('a summary compares the later panes with the first over the runs that completed', () => {
  const fast = measure(smallTrace());
  const slow = {...fast, pageTimeMs: 120};
  const never = {...fast, outcome: 'aborted' as const, pageTimeMs: null};
  const [first, second] = summarise([
    [slow, fast],
    [slow, fast],
    [slow, never],
  ]);
  expect(first).toMatchObject({runs: 3, complete: 3, againstFirst: null});
  expect(second).toMatchObject({
    runs: 3,
    complete: 2,
    pageTimeMs: {n: 2, mean: 60},
    againstFirst: {ratio: 2},
  });
});
