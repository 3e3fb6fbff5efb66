import {setImmediate} from 'node:timers/promises';
import {expect, test} from 'vitest';
import type {Loss} from '../../../app/run/scenario/lossModel.ts';
import {DEFAULT_PATH} from '../../../app/run/scenario/path.ts';
import {EmulatedPath} from './emulatedPath.ts';

test('a packet that is lost at the link’s exit is not delivered, but later packets are', async () => {
  const second: Loss = {model: 'list', packets: [1], applies: 'all', at: 'exit'};
  let nowNs = 0;
  const path = new EmulatedPath({...DEFAULT_PATH, loss: {down: second, up: second}}, 1, () => nowNs);
  const delivered: number[] = [];
  for (const packet of [0, 1, 2]) {
    path.enter({direction: 'down', bytes: 1500, hasData: true, flow: 0, ecn: 0, deliver: () => delivered.push(packet)});
  }
  nowNs = 1e9;
  for (let turn = 0; turn < 5; turn++) await setImmediate();
  expect(delivered).toEqual([0, 2]);
  expect(path.counts.down).toMatchObject({passed: 2, lost: 1});
  path.close();
});

test('a packet that the path copies is delivered twice, and marks are passed on', async () => {
  let nowNs = 0;
  const duplicate = {down: {rate: 1, correlation: 0}};
  const queue = {down: {kind: 'codel', targetMs: 1, intervalMs: 1}} as const;
  const path = new EmulatedPath({...DEFAULT_PATH, duplicate, queue}, 1, () => nowNs);
  const delivered: string[] = [];
  for (const packet of [0, 1, 2, 3, 4]) {
    const deliver = (isMarked: boolean) => delivered.push(`${packet}${isMarked ? ' CE' : ''}`);
    path.enter({direction: 'down', bytes: 1500, hasData: true, flow: 0, ecn: 2, deliver});
  }
  nowNs = 1e9;
  for (let turn = 0; turn < 5; turn++) await setImmediate();
  expect(delivered.length).toBe(10);
  for (const packet of [0, 1, 2, 3, 4]) {
    const own = delivered.filter(each => each.startsWith(`${packet}`));
    expect(own[0]).toBe(own[1]);
  }
  expect(delivered.filter(each => each.endsWith('CE')).length).toBe(2 * path.counts.down.marked);
  expect(path.counts.down.marked).toBeGreaterThan(0);
  path.close();
});
