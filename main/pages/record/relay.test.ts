import {expect, test, vi} from 'vitest';
import {GATEWAY_LIMITS} from '../base/gatewayLimits.ts';
import type {DevTools} from './devTools.ts';
import {Relay} from './relay.ts';

test('requests that wait for their turn do not count as done', async () => {
  const onProgress = vi.fn();
  const relay = new Relay({
    tools: {send: async () => ({})} as Partial<DevTools> as DevTools,
    fetcher: {exchange: async () => ({status: 200, headers: [], body: new Uint8Array()})},
    limits: {...GATEWAY_LIMITS, parallel: 1},
    edit: ({body}) => body,
    frameId: () => 'main',
    onProgress,
  });
  for (const requestId of ['1', '2', '3']) {
    const request = {url: `https://a.test/${requestId}`, method: 'GET', headers: {}};
    relay.handleEvent({method: 'Fetch.requestPaused', params: {requestId, request, resourceType: 'Image'}});
  }
  await vi.waitUntil(() => relay.open === 0);
  expect(onProgress.mock.calls).toEqual([
    [1, 3],
    [2, 3],
    [3, 3],
  ]);
});
