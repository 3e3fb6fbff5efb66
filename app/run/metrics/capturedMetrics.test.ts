import {expect, test} from 'vitest';
import {captureTrace} from '../../captures/captureTrace.ts';
import {packet, smallLoad} from '../../captures/testing/capturedLoads.ts';
import {capturedMetrics} from './paneMetrics.ts';

test('one end knows only its own lost packets, and only a capture at the client alone shows what waited', () => {
  const load = smallLoad();
  const packets = [...load.packets, packet('up', 95, {fate: 'lost'})];
  const seen = (seenAt: 'client' | 'server' | 'both') =>
    capturedMetrics(captureTrace({...load, packets, seenAt}), seenAt);
  expect(seen('client')).toMatchObject({lost: {down: Number.NaN, up: 1}, packets: {down: 5, up: 4}, holBlockedMs: 15});
  expect(seen('server')).toMatchObject({lost: {down: 0, up: Number.NaN}, holBlockedMs: Number.NaN});
  expect(seen('both')).toMatchObject({lost: {down: 0, up: 1}, holBlockedMs: Number.NaN});
});

test('a capture without packets has none of their metrics', () => {
  const metrics = capturedMetrics(captureTrace({...smallLoad(), packets: []}), 'client');
  const none = {down: Number.NaN, up: Number.NaN};
  expect(metrics).toMatchObject({packets: none, lost: none, retransmitted: Number.NaN, holBlockedMs: Number.NaN});
  expect(metrics.finishMs).toBe(90);
});
